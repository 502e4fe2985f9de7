"""The blobs that an event names: in its own fields, and in the save points that it names.

Replies and parameters do not count, since a model writes them: what looks like a digest there names nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TypeGuard

from deskcrew.facts.json_values import JsonObject, is_object, list_in

DIGEST = re.compile(r"[0-9a-f]{64}")
_SAVE_POINTS = ("manifest", "before", "restored")
"""Fields that name the blob of a save point, which in turn names the blobs of its files."""
_ALWAYS = frozenset({"blob", "schema_blob", "raw", "output", "observation", "screenshot", "text", "policy", *_SAVE_POINTS})
"""Fields in which a digest is always a blob's; in other fields it may be an event's id."""


def digests_in(body: JsonObject) -> Iterator[str]:
    """All strings in an event's own fields that could name a blob."""
    for fields in _fields(body, "parts", "tried", "pages"):
        yield from filter(_digest, fields.values())
    yield from _facts(body)


def blobs_in(body: JsonObject) -> Iterator[str]:
    """The digests in an event that certainly name a blob, which must therefore exist. Leaves out what older exports omitted
    (blobs of attempts, candidates and other pages), so that these can still be imported."""
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
    """Digests of a save point's files whose content was stored, and must therefore exist."""
    try:
        _, entries = json.loads(save_point)
        return {entry[6] for entry in entries if entry[-1] is True and _digest(entry[6])}
    except (ValueError, TypeError, LookupError, RecursionError):
        return files_in(save_point)


def digests_at(save_point: bytes) -> dict[str, str]:
    """Digests of a save point's files, by path. Files without a known digest are left out."""
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
    """The blobs of the facts about compared attempts, the only field that names several blobs."""
    yield from filter(_digest, list_in(body.get("facts")))


def _digest(text: object) -> TypeGuard[str]:
    return isinstance(text, str) and DIGEST.fullmatch(text) is not None
