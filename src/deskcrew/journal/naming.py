"""The blobs that an event names, by its own fields and through the save points among them.

Replies and parameters do not count, since they are a model's words: whatever looks like a digest there names nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeGuard

from deskcrew.facts.json_values import JsonObject, is_object, list_in

DIGEST = re.compile(r"[0-9a-f]{64}")
_SAVE_POINTS = ("manifest", "before", "restored")
"""Fields that name a save point, which names the blobs of its files."""
_ALWAYS = frozenset({"blob", "schema_blob", "raw", "output", "observation", "screenshot", "text", "policy", *_SAVE_POINTS})
"""Fields in which a digest is always a blob's; elsewhere it may be that of an event."""


def digests_in(body: JsonObject) -> Iterator[str]:
    """All strings in an event's own fields that could name a blob."""
    for fields in _fields(body, "parts", "tried", "pages"):
        yield from filter(_digest, fields.values())
    yield from _facts(body)


def blobs_in(body: JsonObject) -> Iterator[str]:
    """Those that certainly name a blob, which must therefore exist. What exports once left out, of attempts,
    candidates and other pages, is not among them, so that those can still be imported."""
    for fields in _fields(body, "parts"):
        yield from (
            text for name, text in fields.items() if _digest(text) and (name in _ALWAYS or fields is body.get("files"))
        )


def save_points_in(body: JsonObject) -> Iterator[str]:
    """The blobs that an event names as save points."""
    yield from filter(_digest, map(body.get, _SAVE_POINTS))


def files_in(save_point: bytes) -> set[str]:
    """Digests of the files that a save point's manifest names."""
    return {text for text in save_point.decode("utf-8", "replace").split('"') if _digest(text)}


def kept_in(save_point: bytes) -> set[str]:
    """Those whose content was stored, and must therefore exist."""
    try:
        _, entries = json.loads(save_point)
        return {entry[6] for entry in entries if entry[-1] is True and _digest(entry[6])}
    except (ValueError, TypeError, LookupError, RecursionError):
        return files_in(save_point)


def digests_at(save_point: bytes) -> dict[str, str]:
    """Digests of the files of a save point, by path; of what none is known, none."""
    try:
        _, entries = json.loads(save_point)
        return {entry[0]: entry[6] for entry in entries if _digest(entry[6])}
    except (ValueError, TypeError, LookupError, RecursionError):
        return {}


def _fields(body: JsonObject, *lists: str) -> Iterator[JsonObject]:
    files = body.get("files")
    yield body
    for name in lists:
        yield from filter(is_object, list_in(body.get(name)))
    if is_object(files):
        yield files


def _facts(body: JsonObject) -> Iterator[str]:
    """What is shown of attempts that are compared: the one field that names several blobs."""
    yield from filter(_digest, list_in(body.get("facts")))


def _digest(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and DIGEST.fullmatch(text) is not None
