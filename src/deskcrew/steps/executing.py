"""Execute: the guard lets an operation through or not, its start is on disk before it is done, its end after (C8)."""

from __future__ import annotations

import re
import time
from typing import cast

import anyio.to_thread

from deskcrew.actions.executor import execute as perform
from deskcrew.actions.keys import KEYS
from deskcrew.actions.mending import imported, plain_texts, unbroken, untailed
from deskcrew.events import (
    ActionFinished,
    ActionInterrupted,
    ActionStarted,
    Event,
    Judged,
    Operation,
    OperationProposed,
    OperationSkipped,
)
from deskcrew.journal.fold import operation_key
from deskcrew.journal.records import Decision
from deskcrew.limits import may_act
from deskcrew.roles.view import shorten
from deskcrew.roles.vocabulary import unheard
from deskcrew.secrets.vault import as_shown
from deskcrew.steps.approving import approve
from deskcrew.steps.forbidding import forbidden
from deskcrew.steps.run import Run
from deskcrew.verdict import Verdict

MODIFIERS = frozenset({"ctrl", "alt", "shift", "super"})
LINE_BREAK = "⏎"
"""As a look shows one."""
_KEEPS = re.compile(r"\b(?:sav(?:es?|ed|ing)|keep|download|store)\b|ctrl", re.I)
LONE_KEYS = frozenset({"enter", "escape", "tab", "backspace", "delete"})
TEXT_LENGTH = 4000
"""Characters of a result that events and prompts hold; the rest is in a blob, and the text says so (W19)."""


async def execute(run: Run) -> None:
    """Carry out the decision's next operation, up to its end; reviewing it is the next turn."""
    state, journal = run.journal.state, run.journal
    decision = state.decision
    assert decision is not None
    may_act(state, run.limits)
    if run.seen is None:
        await run.look()
    operation = _meant(run, decision.operations[0])
    intention = str(state.turn.reply.get("intention") or "") if state.turn else ""
    proposed = journal.append(
        OperationProposed(role=decision.role, subtask=decision.subtask, operation=operation, intention=intention),
        lane=decision.subtask,
    )
    if refused := _refused(run, decision, operation):
        verdict = Verdict(kind="repair", why=refused)
        journal.append(
            Judged(scope="subtask", subtask=decision.subtask, verdict=verdict, by="rules"),
            lane=decision.subtask,
            cause=proposed,
        )
        return
    if already := _done_already(run, operation) or _saves_page(run, decision, operation):
        journal.append(OperationSkipped(why=already), lane=decision.subtask, cause=proposed)
        return
    approved = await approve(run, decision, proposed)
    if approved is not None:
        await act(run, decision, approved)


def _meant(run: Run, operation: Operation) -> Operation:
    """Typing "Ctrl+S" is pressing it, unless the task wants those letters written: small models mix the two up. A line break
    inside a string of code is the two characters that stand for it, which a reply in JSON loses."""
    if isinstance(code := operation.params.get("code"), str):
        mended = plain_texts(imported(untailed(unbroken(code))))
        return operation.model_copy(update={"params": {**operation.params, "code": mended}})
    if operation.function == "hotkey":
        keys = [str(key) for key in cast("list[object]", operation.params.get("keys") or [])]
        ordinary = [key for key in keys if key.lower() not in MODIFIERS]
        # Nobody presses two letters together: what follows the first is a small model running on.
        kept = [key for key in keys if key.lower() in MODIFIERS or key == ordinary[0]]
        return operation.model_copy(update={"params": {**operation.params, "keys": kept}})
    typed = str(operation.params.get("keys") or "")
    names = tuple(name.strip() for name in typed.lower().split("+"))
    if operation.function != "keyboard_input":
        return operation
    if LINE_BREAK in typed and LINE_BREAK not in run.journal.state.task:  # copied from what a look shows
        operation = operation.model_copy(update={"params": {**operation.params, "keys": typed.replace(LINE_BREAK, "\n")}})
    if operation.params.get("click_enter") and _just_typed(run, operation):
        return Operation(function="hotkey", params={"keys": ["enter"]})
    meant = names[0] in (MODIFIERS if len(names) > 1 else LONE_KEYS) and all(name in KEYS for name in names)
    if not meant or typed in run.journal.state.task:
        return operation
    return Operation(function="hotkey", params={"keys": list(names)})


def _just_typed(run: Run, operation: Operation) -> bool:
    """Whether the last thing that an earlier reply did was typing the same into the same place: only Enter is missing."""
    state = run.journal.state
    turns = (turn for turn in reversed(state.turns) if turn.done)
    turn = next(turns, None)
    if turn is None or turn is state.turn or operation.params.get("clear"):
        return False
    last = turn.done[-1]
    same = (last.operation.function, last.operation.control) == (operation.function, operation.control)
    typed = last.operation.params
    return last.ok and same and typed.get("keys") == operation.params.get("keys") and not typed.get("click_enter")


def _refused(run: Run, decision: Decision, operation: Operation) -> str:
    """Why an operation is not even shown to the guard: outside the domain, or a repeat that cannot help."""
    role = run.crew.roles[decision.role]
    action = run.domain_of(role).get(operation.function)  # a model was offered no more than it should do, a rule may more
    if action is None:
        return f"{operation.function} is not an operation of {role.name}."
    if words := forbidden(operation, run.journal.state.task, run.now):
        return f"The task says {words!r}; leave that."
    if run.small(role) and (word := unheard(operation, run.journal.state, run.now)):
        return f"Nobody speaks of {word!r}; use names from your part."
    if run.small(role) and (text := _typed_there(run, operation)):
        return f"{text!r} was just typed into that field; another text belongs into another one."
    if (
        action.effect != "none"
        and not _done_already(run, operation)
        and run.journal.state.unchanged[operation_key(operation)] > 1
    ):
        return _same_again(run, operation)
    return ""


def _typed_there(run: Run, operation: Operation) -> str:
    """What this reply has typed already into the line that it wants to type something else into: a small model that finds
    no place for a text puts it behind the last one. '' where that is not so."""
    control = run.now.control(operation.control or run.now.focus or "")
    turn = run.journal.state.turn
    if operation.function != "keyboard_input" or operation.params.get("clear") or control is None or turn is None:
        return ""
    if not turn.done or not turn.done[-1].ok or control.role != "text field":
        return ""
    before = turn.done[-1].operation
    typed = str(before.params.get("keys") or "")
    same = (before.function, before.control) == (operation.function, operation.control)
    stands = same and len(typed) > 1 and typed in (control.value or "")
    return typed if stands and not before.params.get("click_enter") else ""


def _same_again(run: Run, operation: Operation) -> str:
    """What a role is told that wants the same once more, though nothing has changed since."""
    turns = reversed(run.journal.state.turns)
    last = next((done for turn in turns for done in reversed(turn.done) if done.operation == operation), None)
    if last is not None and last.number:
        came = f" It came to this: {last.verdict or last.text}" if not last.ok else ""
        return f"{operation.function} was just done in the same way and changed nothing; do something else.{came}"
    why = f" ({last.text})" if last is not None else ""
    return f"{operation.function} was just wanted in the same way and was not done{why}; do something else."


def _done_already(run: Run, operation: Operation) -> str:
    """Why typing this again would only double it: an earlier reply had it typed, and it still stands there."""
    typed = str(operation.params.get("keys") or "")
    if operation.function != "keyboard_input" or not typed:
        return ""
    control = run.now.control(operation.control or run.now.focus or "")
    state = run.journal.state
    if control is None or as_shown(typed) not in (control.value or ""):
        return ""
    clears = operation.params.get("clear")
    if clears and as_shown(typed).strip() != (control.value or "").strip():
        return ""
    current = state.turn
    earlier = (done for turn in reversed(state.turns) if turn is not current for done in turn.done)
    before = any(done.ok and (done.operation == operation or (clears and _types(done.operation, typed))) for done in earlier)
    return f"{typed!r} stands there already" if before else ""


def _saves_page(run: Run, decision: Decision, operation: Operation) -> str:
    """Why a small model's ctrl+s is left out of what it does on a page: it saves no form, and nobody speaks of saving."""
    keys = cast("list[object]", operation.params.get("keys") or [])
    saves = operation.function == "hotkey" and sorted(str(key).lower() for key in keys) == ["ctrl", "s"]
    if not saves or decision.total == 1 or not run.on_page or not run.small(run.crew.roles[decision.role]):
        return ""
    return (
        "" if _KEEPS.search(run.journal.state.task) else "a page is not saved; what is filled in there is sent with a button"
    )


def _types(operation: Operation, text: str) -> bool:
    return operation.function == "keyboard_input" and operation.params.get("keys") == text


async def act(run: Run, decision: Decision, proposed: Event) -> None:
    """Do a proposal that was let through, up to its end."""
    assert isinstance(proposed.body, OperationProposed)
    operation, journal = proposed.body.operation, run.journal
    action = run.actions[operation.function]
    started = journal.append(
        ActionStarted(role=decision.role, subtask=decision.subtask, operation=operation, effect=action.effect),
        lane=decision.subtask,
        cause=proposed,
    )
    journal.commit()
    began = time.monotonic()
    scene = run.scene()
    result = await anyio.to_thread.run_sync(lambda: perform(operation, run.actions, scene), abandon_on_cancel=True)
    journal.append(
        ActionFinished(
            role=decision.role,
            subtask=decision.subtask,
            operation=operation,
            ok=result.ok,
            text=shorten(result.text, TEXT_LENGTH),
            error=shorten(result.error, TEXT_LENGTH),
            exit_code=result.exit_code,
            output=journal.blob(result.text),
            reads=result.reads,
            seconds=round(time.monotonic() - began, 4),
        ),
        lane=decision.subtask,
        cause=started,
    )


async def recover(run: Run) -> None:
    """After a crash: an action that started and did not end is never repeated blindly. Look, and let the role see it."""
    started = run.journal.state.action
    assert started is not None
    assert isinstance(started.body, ActionStarted)
    body = started.body
    run.journal.append(
        ActionInterrupted(role=body.role, subtask=body.subtask, operation=body.operation), lane=body.subtask, cause=started
    )
    await run.look()
