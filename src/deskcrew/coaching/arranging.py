"""A small model's operations arranged as a person would do them: at the end, replacing what is there, only once."""

from __future__ import annotations

from typing import Any, cast

from deskcrew.coaching.window_frames import browses
from deskcrew.english.mentions import mentions
from deskcrew.observation import Control, Observation

TO_END = ("ctrl", "end")
TYPING = "keyboard_input"
KEYS = 3
"""A text of at most this many characters may stand for single keys, which can be meant to be repeated."""


def arranged(reply: dict[str, Any], part: str, seen: Observation) -> dict[str, Any]:
    """The reply with its operations as a person would do them. Text that is typed repeatedly is typed once, text for a
    single-line field replaces its content, and what ``part`` wants at the end goes to the end."""
    operations = cast("list[dict[str, Any]]", reply.get("operations") or [])
    once = [each for at, each in enumerate(operations) if at == 0 or each != operations[at - 1] or not _runs_on(each)]
    if any(each.get("function") == TYPING for each in once):
        once = _at_end([_replacing(each, part, seen) for each in once], part, seen)
    if browses(seen) and not mentions("saving", part):  # saving a page only opens a dialog that is in the way
        once = [each for each in once if each.get("params", {}).get("keys") != ["ctrl", "s"]]
    return {**reply, "operations": once} if once != operations else reply


def _runs_on(operation: dict[str, Any]) -> bool:
    """Whether repeating the operation shows a small model that cannot stop: it types a text, or presses keys
    together."""
    keys = operation["params"].get("keys")
    if operation.get("function") == TYPING:
        return len(str(keys or "")) > KEYS
    return operation.get("function") == "hotkey" and isinstance(keys, list) and len(cast("list[str]", keys)) > 1


def _replacing(operation: dict[str, Any], part: str, seen: Observation) -> dict[str, Any]:
    """Typing into a single-line field that has content replaces it, instead of inserting into it."""
    if operation.get("function") != TYPING or mentions("end", part):
        return operation
    control = _aimed_at(operation, seen)
    if control is None or control.role != "text field" or not control.value:
        return operation
    return {**operation, "params": {**operation["params"], "clear": True}}


def _at_end(operations: list[dict[str, Any]], part: str, seen: Observation) -> list[dict[str, Any]]:
    """Moves the cursor to the end, and if needed to a new line, before text is added to existing text."""
    place = next(at for at, each in enumerate(operations) if each.get("function") == TYPING)
    typing, before = operations[place], operations[:place]
    if not mentions("end", part) or typing["params"].get("clear"):
        return operations
    control = _aimed_at(typing, seen)
    moved = any(each["params"].get("keys") == list(TO_END) for each in before)
    if moved or control is None or control.role != "text area" or not (control.value or "").strip():
        return operations
    if (control.value or "").rstrip("\n").endswith(f"\n{typing['params'].get('keys') or ''}"):
        return operations  # it is there already; going to the end again would only leave empty lines
    moves = [_pressed(*TO_END)]
    if mentions("line", part) and not (control.value or "").endswith(("\n", "…")):
        moves.append(_pressed("enter"))
    # Typed where the cursor is now: naming the control would move the cursor back.
    return [*before, *moves, {**typing, "control": None}, *operations[place + 1 :]]


def _aimed_at(operation: dict[str, Any], seen: Observation) -> Control | None:
    return seen.control(str(operation.get("control") or seen.focus or ""))


def _pressed(*keys: str) -> dict[str, Any]:
    return {"function": "hotkey", "control": None, "params": {"keys": list(keys)}}
