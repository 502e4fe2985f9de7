"""What a task says is not to be pressed or sent: nobody of the crew does it, model or rule."""

from __future__ import annotations

import re
from typing import cast

from deskcrew.events import Operation
from deskcrew.observation import Control, Observation

_NOT = (
    r"\b(?:(?:do|must|should|may)\s+not|don['’]t|mustn['’]t|never|without|not\s+to)\s+"
    r"(?!forget|need|have|hesitate|worry|miss)(?:\w+\s+)?"
)
_SENDING = r"(?:send|submit|book|order|buy|pay|confirm|reserv|regist|apply|sav)(?:e|y|t?ing|ing)?"
_SENDS = re.compile(rf"{_NOT}{_SENDING}\b[^.;!?\n]*", re.I)
_PRESSES = re.compile(
    rf"{_NOT}(?:press|click|hit|tap|push|use)(?:ing)?\s+(?:on\s+)?(?:the\s+)?[\"“']?(?P<name>[^.;!?\n\"”]+?)[\"”']?"
    r"(?:\s+button)?(?=\s*(?:[.;,!?\n]|$|\byet\b))",
    re.I,
)
_SENDER = re.compile(rf"(?:{_SENDING}|place|check\s*out|finish|sign)\b", re.I)
"""How the name of a button begins that sends what is filled in."""
_FIELDS = frozenset({"text field", "number field", "password field", "date editor"})
"""Of one line: in others Enter only begins another."""


def forbidden(operation: Operation, task: str, now: Observation) -> str:
    """The words of ``task`` that forbid an operation; '' where none do."""
    control = now.control(operation.control or now.focus or "")
    if operation.function == "click_input" and control is not None:
        named = next((match for match in _PRESSES.finditer(task) if _is(control, match["name"])), None)
        if named is not None:
            return " ".join(named[0].split())
    sends = _SENDS.search(task)
    if sends is None or not (_enters(operation, control) or _sends(operation, control)):
        return ""
    return " ".join(sends[0].split())


def _sends(operation: Operation, control: Control | None) -> bool:
    if operation.function != "click_input" or control is None:
        return False
    return control.role in ("button", "link") and _SENDER.match(control.name.strip()) is not None


def _enters(operation: Operation, control: Control | None) -> bool:
    """Whether Enter is pressed in a field, which sends a form as its button does."""
    keys = cast("list[object]", operation.params.get("keys") or [])
    alone = operation.function == "hotkey" and [str(key).lower() for key in keys] == ["enter"]
    return (alone or bool(operation.params.get("click_enter"))) and control is not None and control.role in _FIELDS


def _is(control: Control, name: str) -> bool:
    return control.name.strip(" .…:").casefold() == name.strip().casefold()
