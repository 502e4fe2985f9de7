"""What a program wants to change in the workspace: the guard decides, and a person where it asks, before any of it lands.

The difference is an event before it is decided about, and the decision is on disk before anything is landed. So a process
that was killed in between knows what may go on (:func:`land_rest`), and a replay decides again from the events alone.
"""

from __future__ import annotations

import os

from deskcrew.actions.action import Action
from deskcrew.environments.changes import Changes
from deskcrew.environments.trees import FOLDER
from deskcrew.events import ActionStarted, ChangesFound, Event, HumanSaid, OperationApproved, OperationDenied
from deskcrew.human.questions import Accepted, Approval, EditedOperation, OperationQuestion
from deskcrew.run import Run

_UNDO = "delete_file puts a file where it can be got back."


async def settle(run: Run, started: Event, changes: Changes) -> str:
    """Why nothing of it may land, worded for the model; '' where all of it may."""
    body = started.body
    assert isinstance(body, ActionStarted)
    journal = run.journal
    run.history.follow(journal.events)
    ruling = run.guard.decide_changes(
        changes,
        body.operation,
        run.actions[body.operation.function],
        agent=body.role,
        grants=run.history.grants,
        counts=run.history.counts,
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
