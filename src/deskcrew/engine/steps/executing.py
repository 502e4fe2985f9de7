"""Execute: authorize an operation, write its start to the journal, carry it out, and write its end (C8)."""

from __future__ import annotations

import time
from dataclasses import replace

import anyio.from_thread
import anyio.to_thread

from deskcrew.actions.executor import execute as perform
from deskcrew.engine.context import Run
from deskcrew.engine.limits import may_act
from deskcrew.engine.prompting import Prompting
from deskcrew.engine.steps.approving import (
    approve,
    effect_of,
    hidden,
    land_rest,
    locate,
    settle,
    settle_sent,
    shown_to_person,
)
from deskcrew.engine.steps.using_skills import begin, note_request
from deskcrew.environments.changes import Changes
from deskcrew.errors import ActionError
from deskcrew.facts.events import (
    ActionFinished,
    ActionInterrupted,
    ActionStarted,
    Event,
    Operation,
    OperationProposed,
)
from deskcrew.facts.excerpts import beginning, shorten
from deskcrew.facts.observation import Sent
from deskcrew.journal.fold import operation_key
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import Decision

MEANWHILE = "The agent of another part has changed {} in the meantime, so this was not done. Read it again before you go on."
TEXT_LENGTH = 4000
"""The maximum characters of a result in events and prompts, unless the model can read more at once; the rest is in a blob,
and the text says so (W19)."""


async def execute(run: Run) -> None:
    """Carry out the decision's next operation. It is reviewed in the next turn."""
    record, surroundings = run.record, run.surroundings
    state, journal = record.state, record.journal
    decision = state.decision
    assert decision is not None
    may_act(state, record.limits)
    if surroundings.seen is None:
        await surroundings.look()
    operation = decision.operations[0]
    if operation.function in run.prompting.skills:
        await begin(run, decision, operation)
        return
    intention = str(state.turn.reply.get("intention") or "") if state.turn else ""
    missed = ""
    try:
        operation = await locate(surroundings, operation)
    except ActionError as error:
        missed = str(error)
    proposed = journal.append(
        OperationProposed(role=decision.role, subtask=decision.subtask, operation=operation, intention=intention),
        lane=decision.subtask,
    )
    if refused := missed or _refused(run.prompting, decision, operation):
        run.record.judge(decision.subtask, "repair", refused, cause=proposed)
        return
    if state.clash and run.surroundings.actions[operation.function].effect != "none":  # reading makes its lane aware of it
        run.record.judge(decision.subtask, "continue", MEANWHILE.format(", ".join(state.clash)), cause=proposed)
        return
    approved = await approve(run, decision, proposed)
    if approved is not None:
        await act(run, decision, approved)


def _refused(prompting: Prompting, decision: Decision, operation: Operation) -> str:
    """Why an operation is not even shown to the guard: outside the domain, or a repeat that cannot help."""
    record = prompting.record
    role = record.crew.roles[decision.role]
    action = prompting.actions_of(role).get(operation.function)
    if action is None:
        return f"{role.name} cannot use {operation.function} now: give an operation that is listed."
    if action.effect != "none" and record.state.unchanged[operation_key(operation)] > 1:
        return _same_again(record.journal, operation)
    return ""


def _same_again(journal: Journal, operation: Operation) -> str:
    """What a role is told if it repeats an operation although nothing has changed since."""
    turns = reversed(journal.state.turns)
    last = next((done for turn in turns for done in reversed(turn.done) if done.operation == operation), None)
    if last is not None and last.number:
        came = f" Its result: {last.verdict or last.text}" if not last.ok else ""
        return f"{operation.function} was just done in the same way and changed nothing; do something else.{came}"
    why = f" ({last.text})" if last is not None else ""
    return f"{operation.function} was just requested in the same way and was not done{why}; do something else."


async def act(run: Run, decision: Decision, proposed: Event) -> None:
    """Execute an approved proposal to its end."""
    record, surroundings = run.record, run.surroundings
    assert isinstance(proposed.body, OperationProposed)
    operation, journal = proposed.body.operation, record.journal
    action = surroundings.actions[operation.function]
    started = journal.append(
        ActionStarted(role=decision.role, subtask=decision.subtask, operation=operation, effect=action.effect),
        lane=decision.subtask,
        cause=proposed,
    )
    journal.commit()
    began = time.monotonic()

    def decide(changes: Changes) -> str:
        return anyio.from_thread.run(settle, run, started, changes)

    effect = effect_of(run, proposed)

    def decide_sent(sent: tuple[Sent, ...]) -> str:
        return anyio.from_thread.run(settle_sent, run, started, effect, sent) if effect is not None else ""

    bound = shown_to_person(record.journal, proposed)
    shown = max(TEXT_LENGTH, run.prompting.asker.model(record.crew.roles[decision.role]).profile.reading)
    scene = replace(
        surroundings.scene(),
        shown=shown,
        settle=decide,
        sends=decide_sent,
        may_go=effect,
        beginning=record.beginning() if action.needs == "sandbox" else None,
        hidden=lambda: hidden(run.authorization, action, decision.role),
    )
    result = await anyio.to_thread.run_sync(
        lambda: perform(operation, surroundings.actions, scene, bound), abandon_on_cancel=True
    )
    finished = ActionFinished(
        role=decision.role,
        subtask=decision.subtask,
        operation=operation,
        ok=result.ok,
        text=beginning(result.text, shown, action.onward),
        error=shorten(result.error, TEXT_LENGTH),
        exit_code=result.exit_code,
        output=journal.blob(result.text),
        reads=result.reads,
        seconds=round(time.monotonic() - began, 4),
    )
    journal.append(finished, lane=decision.subtask, cause=started)
    note_request(run, finished)


async def recover(run: Run) -> None:
    """After a crash: an action that started and did not end is never repeated blindly. Observe, and let the role see
    it."""
    started = run.record.state.action
    assert started is not None
    assert isinstance(started.body, ActionStarted)
    body = started.body
    await anyio.to_thread.run_sync(land_rest, run.surroundings, started)
    run.record.journal.append(
        ActionInterrupted(role=body.role, subtask=body.subtask, operation=body.operation), lane=body.subtask, cause=started
    )
    await run.surroundings.look()
