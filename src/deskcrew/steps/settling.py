"""Changes that a program made in its layer: the guard decides, and a person where it asks, before any of it is applied to
the workspace.

The difference is an event before it is decided about, and the decision is on disk before anything is landed. So a process
that was killed in between knows what may go on (:func:`land_rest`), and a replay decides again from the events alone.
"""

from __future__ import annotations

import os

from deskcrew.actions.action import Action
from deskcrew.environments.changes import Changes
from deskcrew.environments.manifest import Manifest
from deskcrew.environments.trees import FOLDER
from deskcrew.events import ActionStarted, ChangesFound, Event, HumanSaid, OperationApproved, OperationDenied, Saved
from deskcrew.human.questions import Accepted, Approval, EditedOperation, OperationQuestion
from deskcrew.run import Run

_UNDO = "delete_file puts a file where it can be got back."


async def settle(run: Run, started: Event, changes: Changes) -> str:
    """Why nothing of it may land, worded for the model; '' where all of it may."""
    body = started.body
    assert isinstance(body, ActionStarted)
    journal = run.journal
    run.history.follow(journal.events)
    changes = _with_own(run, changes)
    ruling = run.guard.decide_changes(
        changes,
        body.operation,
        run.actions[body.operation.function],
        agent=body.role,
        grants=run.history.grants,
        counts=run.history.counts,
        consents=run.history.consents,
        now=started.header.time,
    )
    found = journal.append(
        ChangesFound(
            changes=journal.blob(changes.model_dump_json()),
            paths=len(changes.entries),
            losses=changes.losses(),
            effect=ruling.effect,
            rule=ruling.rule,
            risk=ruling.risk,
            why=ruling.why,
        ),
        lane=body.subtask,
        cause=started,
    )
    by, why = ("policy", ruling.why) if ruling.effect == "deny" else ("policy", "")
    if ruling.effect == "ask":
        journal.commit()  # a person may take their time
        by, why = await _asked(run, found, body)
    if not why:
        if ruling.effect == "ask":
            approved = OperationApproved(rule=ruling.rule, risk=ruling.risk, by="human")
            journal.append(approved, lane=body.subtask, cause=found)
        journal.commit()
        return ""
    denied = OperationDenied(rule=ruling.rule, risk=ruling.risk, by=by, why=why)  # type: ignore[arg-type]
    journal.append(denied, lane=body.subtask, cause=found)
    return f"Nothing of what it wrote was kept: {why}.{f' {_UNDO}' if changes.destroyed else ''}"


def _with_own(run: Run, changes: Changes) -> Changes:
    """The changes, with what the run itself made marked: a crew may put its own work right without asking anybody.

    Only while everything that was there at the start still is as it was: else what somebody had may lie in a new file.
    """
    if not changes.destroyed:
        return changes
    journal = run.journal
    saved = [event.body.manifest for event in journal.events if isinstance(event.body, Saved)]
    start, now = (Manifest.from_bytes(journal.read_blob(digest)) for digest in (saved[0], saved[-1]))
    for path, entry in start.by_path.items():
        there = now.by_path.get(path)
        same = there is not None and (there.kind, there.digest, there.target) == (entry.kind, entry.digest, entry.target)
        if entry.kind != "folder" and (not same or not entry.kept):
            return changes
    found = (event.body for event in journal.events if isinstance(event.body, ChangesFound))
    told = (Changes.model_validate_json(journal.read_blob(body.changes)) for body in found)
    made = {entry.path for each in told for entry in each.entries if entry.kind == "new"} - start.by_path.keys()
    marked = (
        entry.model_copy(update={"own": True}) if entry.path in made and entry.path in now.by_path else entry
        for entry in changes.entries
    )
    return Changes(entries=tuple(marked))


async def _asked(run: Run, found: Event, body: ActionStarted) -> tuple[str, str]:
    """Who said no, and why; no reason where a person said yes."""
    assert isinstance(found.body, ChangesFound)
    question = OperationQuestion(
        role=body.role,
        subtask=body.subtask,
        operation=body.operation,
        intention="It has run, and nothing of it is in the workspace yet.",
        needed=True,
        risk=found.body.risk,
        why=found.body.why,
    )
    while True:
        answer = await run.human.before_operation(run.journal.state, question)
        match answer:
            case Approval(allowed=True):
                return "human", ""
            case Approval():
                return "human", answer.why or "the user said no"
            case EditedOperation():
                return "human", "the user wants something else"
            case None | Accepted():
                return "nobody", f"{found.body.why} (nobody was there to approve it)"
            case _:
                goes_on = run.asker.interventions.refusal(answer) or run.asker.interventions.leaves_alone(answer, body.role)
                await run.hear(answer)
                if not goes_on:
                    otherwise = isinstance(answer, HumanSaid) and answer.kind in ("guide", "switch") and answer.text
                    return "human", otherwise or "the user wants something else"


def hidden(run: Run, action: Action, agent: str) -> tuple[str, ...]:
    """Paths of the workspace that are not there for a program, since the policy denies them."""
    descriptor = os.open(run.desk.workspace.root, FOLDER)
    try:
        return run.guard.hidden(action, agent, descriptor)
    finally:
        os.close(descriptor)


def land_rest(run: Run, started: Event) -> None:
    """After a crash: what was allowed to land and had not all landed lands now; of anything else nothing does."""
    rest = run.journal.since(started)
    found = next((event for event in reversed(rest) if isinstance(event.body, ChangesFound)), None)
    allowed = found is not None and isinstance(found.body, ChangesFound) and found.body.effect == "allow"
    approved = any(isinstance(each.body, OperationApproved) and found and each.header.cause == found.id for each in rest)
    run.sandbox.clear_layer(land=allowed or approved)
