"""Redacts the texts of an event, for an export that may be shown to anybody: structure and numbers remain.

No hash covers what is left, because the event's digest is that of its whole body. A display must say so.

Everything that is not known to be structure counts as text, so a new field is text until it is listed here.
"""

from __future__ import annotations

from typing import Any

from deskcrew.facts.json_values import JsonObject, is_list, is_object
from deskcrew.journal.naming import DIGEST

REDACTED = "[redacted]"

_KEPT = frozenset(
    {"type", "id", "role", "subtask", "needs", "status", "kind", "by", "scope", "rule", "risk", "function", "effect", "crew"}
    | {"mode", "desktop", "version", "zone", "origin", "verified_by", "seen_by", "role_kind", "field", "switch", "drop"}
    | {"subtasks", "budget"}
)
_KEPT_IN_REPLY = frozenset({"branch", "verdict", "role", "subtask", "function"})
_NAME_SIGNS = str.maketrans(dict.fromkeys("_.:-", "a"))
_LONGEST_NAME = 80
_IDS = frozenset({"left", "reply", "sources"})
"""Fields that may hold ids of events."""
_OPAQUE = frozenset({"params", "settings", "profile"})
"""Fields with data of arbitrary form: even its numbers may have been typed by somebody."""


def without_texts(body: JsonObject) -> JsonObject:
    """An event's body with ``[redacted]`` in place of every text, and no blob. It can still be folded. Idempotent."""
    return _fields(body, _KEPT)


def _fields(fields: JsonObject, kept: frozenset[str]) -> JsonObject:
    return {name: _value(name, value, kept) for name, value in fields.items()}


def _value(name: str, value: Any, kept: frozenset[str]) -> Any:
    if isinstance(value, str):
        return _text(name, value, kept)
    if is_object(value):
        inside = value
        if name in _OPAQUE:
            already = isinstance(inside.get(REDACTED), int) and len(inside) == 1
            return inside if already else {REDACTED: len(inside)} if inside else {}
        if name == "files":
            return dict.fromkeys(inside, "")
        if name == "gives" and kept is _KEPT:
            return inside
        return _fields(inside, _KEPT_IN_REPLY if name == "reply" else kept)
    if is_list(value):
        # What a list holds has no name of its own, and what holds for a table of that name does not hold for it.
        return [_value("" if isinstance(item, dict) else name, item, kept) for item in value]
    return value


def _text(name: str, text: str, kept: frozenset[str]) -> str:
    if not text or name in kept:
        return text
    if name in _IDS and kept is _KEPT and DIGEST.fullmatch(text):
        return text
    if name == "reason" and kept is _KEPT and _is_reason(text):
        return text
    if name == "model" and kept is _KEPT and len(text) <= _LONGEST_NAME and text.translate(_NAME_SIGNS).isalnum():
        return text
    # A blob that is not there is not named either.
    return "" if DIGEST.fullmatch(text) else REDACTED


def _is_reason(text: str) -> bool:
    """Whether a text has the form of the engine's own reasons: a word, or two with a colon between them."""
    words = [word.replace("_", "a") for word in text.split(":")]
    return len(words) < 3 and all(word.isascii() and word.isalpha() and word.islower() for word in words)
