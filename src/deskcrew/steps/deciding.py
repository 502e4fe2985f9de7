"""Decide: the subtask's role looks and says which operations it wants (C7)."""

from __future__ import annotations

from dataclasses import replace

from deskcrew.actions.narrowing import operation_types
from deskcrew.observation import Observation
from deskcrew.roles.arranging import arranged
from deskcrew.roles.replies import Now
from deskcrew.roles.vocabulary import documents, texts
from deskcrew.steps.opening import opened_first, opens_by_rule
from deskcrew.steps.reading import reads_by_rule
from deskcrew.steps.refusing import refused_first
from deskcrew.steps.run import Run
from deskcrew.steps.saving import saves_by_rule
from deskcrew.steps.transferring import transfers_by_rule
from deskcrew.steps.unpacking import unpacks_by_rule

RULES_FIRST = (
    refused_first, transfers_by_rule, unpacks_by_rule, reads_by_rule, opened_first, opens_by_rule, saves_by_rule,
)  # fmt: skip
"""What may settle a part before its role is asked, in this order."""


async def decide(run: Run) -> None:
    """Ask the role of the ready subtask. The screen is looked at again first: it may have changed on its own. Nobody is
    asked where a program has to be opened before."""
    state = run.journal.state
    subtask = state.subtask
    assert subtask is not None
    assert subtask.role is not None
    role = run.crew.roles[subtask.role]
    if run.seen is None or run.desk.desktop is not None:
        await run.look()
    if any(rule(run, subtask, role) for rule in RULES_FIRST):
        return
    actions = run.actions_of(role)
    programs = state.applications
    listed = list(actions.values())
    shown = run.offered().model_copy(update={"files": run.now.files})
    human = run.human.can_help(state, role.name)
    small = run.asker.model(role).profile.free_text == "none"
    typed = texts(state, subtask, run.now) if small else ()
    typed = typed and (*typed, *run.desk.vault.placeholders)
    opened = documents(state, subtask, run.now) if small else None
    narrow = operation_types(listed, shown, labels=True, applications=programs, texts=typed, documents=opened)
    wide = operation_types(listed, shown, labels=False, applications=programs)
    now = Now(operations=narrow, human=human)
    # What a model is better not offered, a person may still want.
    free = operation_types(listed, shown, labels=True, applications=programs) if small else narrow
    image = marked(run.now) if run.asker.model(role).profile.vision else None
    await run.asker.ask(
        role,
        now,
        run.sight(role),
        wide=replace(now, operations=wide),
        edited=replace(now, operations=free),
        subtask=subtask,
        actions=actions,
        image=image,
        arrange=(lambda reply: arranged(reply, subtask.goal, run.now)) if run.small(role) else None,
    )


def marked(observation: Observation) -> bytes | None:
    """The set-of-marks picture of a look (C27), None where there is no screen."""
    from deskcrew.environments.marks import marks

    return marks(observation) if observation.screenshot else None
