"""A small model's operations corrected to what was meant, or refused with a reason."""

from __future__ import annotations

from typing import cast

from deskcrew.actions.keys import KEYS
from deskcrew.coaching.code import imported, plain_texts, unbroken, untailed
from deskcrew.coaching.forbidding import forbidden
from deskcrew.coaching.permitted_texts import unheard
from deskcrew.english.mentions import mentions
from deskcrew.events import Operation
from deskcrew.journal.fold import RunState
from deskcrew.observation import Observation

MODIFIERS = frozenset({"ctrl", "alt", "shift", "super"})
LINE_BREAK = "⏎"
"""How an observation shows a line break."""
LONE_KEYS = frozenset({"enter", "escape", "tab", "backspace", "delete"})


def mended(operation: Operation, state: RunState) -> Operation:
    """The operation as it was meant, because small models confuse some forms. Typing "Ctrl+S" presses these keys,
    unless the task wants the letters written. A line break inside a string of code becomes the two characters of its
    escape, which a reply in JSON loses."""
    if isinstance(code := operation.params.get("code"), str):
        code = plain_texts(imported(untailed(unbroken(code))))
        return operation.model_copy(update={"params": {**operation.params, "code": code}})
    if operation.function == "hotkey":
        keys = [str(key) for key in cast("list[object]", operation.params.get("keys") or [])]
        ordinary = [key for key in keys if key.lower() not in MODIFIERS]
        # Nobody presses two letters together: those after the first come from a small model that cannot stop.
        kept = [key for key in keys if key.lower() in MODIFIERS or key == ordinary[0]]
        return operation.model_copy(update={"params": {**operation.params, "keys": kept}})
    typed = str(operation.params.get("keys") or "")
    names = tuple(name.strip() for name in typed.lower().split("+"))
    if operation.function != "keyboard_input":
        return operation
    if LINE_BREAK in typed and LINE_BREAK not in state.task:  # copied from an observation
        operation = operation.model_copy(update={"params": {**operation.params, "keys": typed.replace(LINE_BREAK, "\n")}})
    if operation.params.get("click_enter") and _just_typed(operation, state):
        return Operation(function="hotkey", params={"keys": ["enter"]})
    meant = names[0] in (MODIFIERS if len(names) > 1 else LONE_KEYS) and all(name in KEYS for name in names)
    if not meant or typed in state.task:
        return operation
    return Operation(function="hotkey", params={"keys": list(names)})


def refused(operation: Operation, state: RunState, now: Observation) -> str:
    """Why an operation is not even shown to the guard, worded for its role; '' if nothing speaks against it."""
    if words := forbidden(operation, state.task, now):
        return f"The task says {words!r}; leave that."
    if word := unheard(operation, state, now):
        return f"Nobody speaks of {word!r}; use names from your part."
    if text := _typed_there(operation, state, now):
        return f"{text!r} was just typed into that field; another text belongs into another one."
    return ""


def saves_page(operation: Operation, state: RunState, now: Observation) -> str:
    """Why a small model's Ctrl+S on a page is left out; '' if it is kept. It submits no form, and the task does not
    mention saving."""
    keys = cast("list[object]", operation.params.get("keys") or [])
    saves = operation.function == "hotkey" and sorted(str(key).lower() for key in keys) == ["ctrl", "s"]
    if not saves or not now.on_page:
        return ""
    return "" if mentions("keeping", state.task) else "a page is not saved; what is filled in there is sent with a button"


def _just_typed(operation: Operation, state: RunState) -> bool:
    """Whether the last operation of an earlier reply typed the same text into the same place, so that only Enter is
    missing."""
    turns = (turn for turn in reversed(state.turns) if turn.done)
    turn = next(turns, None)
    if turn is None or turn is state.turn or operation.params.get("clear"):
        return False
    last = turn.done[-1]
    same = (last.operation.function, last.operation.control) == (operation.function, operation.control)
    typed = last.operation.params
    return last.ok and same and typed.get("keys") == operation.params.get("keys") and not typed.get("click_enter")


def _typed_there(operation: Operation, state: RunState, now: Observation) -> str:
    """The text that this reply has just typed into the single-line field that it now wants to type something else into;
    '' if it has not. A small model without a place for a text appends it to the last one."""
    control = now.control(operation.control or now.focus or "")
    turn = state.turn
    if operation.function != "keyboard_input" or operation.params.get("clear") or control is None or turn is None:
        return ""
    if not turn.done or not turn.done[-1].ok or control.role != "text field":
        return ""
    before = turn.done[-1].operation
    typed = str(before.params.get("keys") or "")
    same = (before.function, before.control) == (operation.function, operation.control)
    stands = same and len(typed) > 1 and typed in (control.value or "")
    return typed if stands and not before.params.get("click_enter") else ""
