"""What a task says must not be pressed or sent, so that a small model does not do it."""

from __future__ import annotations

from typing import cast

from deskcrew.english.mentions import begins_with, mentions, prohibitions
from deskcrew.events import Operation
from deskcrew.observation import Control, Observation
from deskcrew.texts import hide, show, stands_in

_FIELDS = frozenset({"text field", "number field", "password field", "date editor"})
"""Single-line fields; in others Enter only begins a new line."""


def forbidden(operation: Operation, task: str, now: Observation) -> str:
    """The words of ``task`` that forbid an operation; '' if there are none. Quoted text forbids nothing."""
    control = now.control(operation.control or now.focus or "")
    if control is None:
        return ""
    pressed = operation.function == "click_input" and control.role in ("button", "link")
    sends = _enters(operation, control) or (pressed and begins_with("sender", control.name))
    hidden, texts = hide(task)
    for found in prohibitions(hidden):
        words = " ".join(show(found, texts).split())
        if (sends and mentions("sending", found)) or (pressed and stands_in(control.name.strip(" .…:"), words)):
            return words
    return ""


def _enters(operation: Operation, control: Control) -> bool:
    """Whether the operation presses Enter in a single-line field, which submits a form as its button does."""
    keys = cast("list[object]", operation.params.get("keys") or [])
    alone = operation.function == "hotkey" and [str(key).lower() for key in keys] == ["enter"]
    return (alone or bool(operation.params.get("click_enter"))) and control.role in _FIELDS
