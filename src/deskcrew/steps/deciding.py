"""Decide: the subtask's role looks and says which operations it wants (C7)."""

from __future__ import annotations

from dataclasses import replace

import anyio.to_thread

from deskcrew.actions.narrowing import operation_types
from deskcrew.observation import Observation
from deskcrew.roles.arranging import arranged
from deskcrew.roles.replies import Now
from deskcrew.roles.routing import program_named
from deskcrew.roles.vocabulary import documents, texts
from deskcrew.steps.cells import sets_cell_by_rule
from deskcrew.steps.choosing import chooses_by_rule
from deskcrew.steps.commanding import commands_by_rule
from deskcrew.steps.filling import fills_by_rule
from deskcrew.steps.listing import lists_by_rule
from deskcrew.steps.noting import notes_by_rule
from deskcrew.steps.obeying import left_to_send, obeys_by_rule
from deskcrew.steps.offering import offered
from deskcrew.steps.opening import opened_first, opens_by_rule
from deskcrew.steps.pressing import presses_last
from deskcrew.steps.reading import reads_by_rule
from deskcrew.steps.reckoning import reckons_by_rule
from deskcrew.steps.refusing import refused_first
from deskcrew.steps.run import Run
from deskcrew.steps.saving import saves_by_rule
from deskcrew.steps.sources import shown_in
from deskcrew.steps.transferring import transfers_by_rule
from deskcrew.steps.unpacking import unpacks_by_rule
from deskcrew.steps.viewing import views_by_rule
from deskcrew.steps.visiting import visits_by_rule
from deskcrew.steps.writing import writes_by_rule

RULES_FIRST = (
    refused_first,
    presses_last,
    transfers_by_rule,
    unpacks_by_rule,
    lists_by_rule,
    reads_by_rule,
    notes_by_rule,
    opened_first,
    opens_by_rule,
    visits_by_rule,
    saves_by_rule,
    reckons_by_rule,
    commands_by_rule,
    sets_cell_by_rule,
    chooses_by_rule,
    obeys_by_rule,
    writes_by_rule,
    fills_by_rule,
    views_by_rule,
)
"""What may speak in a role's place, before a model is asked, in this order."""
LOOKS, PAUSE = 4, 2.0
"""Looks at a window without anything in it, and seconds at most between them."""


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
        await _loaded(run)
    if any(rule(run, subtask, role) for rule in RULES_FIRST):
        return
    sends = left_to_send(run, subtask) if run.small(role) else None
    actions = offered(run, role, subtask, sends=sends is not None)
    programs = state.applications
    listed = list(actions.values())
    shown = run.offered(role).model_copy(update={"files": run.now.files})
    if sends is not None:  # all else is done: it is sent, or left
        shown = shown.model_copy(update={"controls": (sends,)})
    human = run.human.can_help(state, role.name)
    small = run.asker.model(role).profile.free_text == "none"
    typed = texts(state, subtask, run.now) if small else ()
    typed = typed and (*typed, *run.desk.vault.placeholders)
    opened = documents(state, subtask, run.now) if small else None
    if opened and (program := program_named(subtask.goal, programs)):
        opened = shown_in(program, opened)
    wide = operation_types(listed, shown, labels=False, applications=programs)
    narrow = (
        operation_types(listed, shown, labels=True, applications=programs, texts=typed, documents=opened)
        if run.crew.narrowing
        else wide
    )
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


async def _loaded(run: Run) -> None:
    """Wait (bounded) until the window in front shows anything that could be used: a program that was just opened may still
    be reading its file."""
    for _ in range(LOOKS):
        if run.desk.desktop is None or run.now.active_window is None or run.now.in_front:
            return
        await anyio.to_thread.run_sync(run.desk.desktop.wait, PAUSE, abandon_on_cancel=True)
        await run.look()


def marked(observation: Observation) -> bytes | None:
    """The set-of-marks picture of a look (C27), None where there is no screen."""
    from deskcrew.environments.marks import marks

    return marks(observation) if observation.screenshot else None
