"""Whether a run's rows are what was written: the hash chain, the columns beside it, the head, the blobs.

Hashes are taken over the stored JSON and not over what today's types make of it, so old events verify for ever.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select

from deskcrew.canonical import canonical
from deskcrew.journal import schema

_BLOB_FIELDS = frozenset(
    {"blob", "schema_blob", "raw", "output", "observation", "screenshot", "text", "manifest", "before", "restored", "policy"}
)
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Report:
    """What was found. ``head``: id of the last event; ``redacted``: events whose content is proven by nothing, only their
    headers are; ``problems``: what is wrong, one line each, empty when all holds."""

    run: str
    events: int
    head: str
    redacted: int
    problems: tuple[str, ...]


def report(connection: Connection, run: str) -> Report:
    """Look at every row of a run. Cutting off the newest events is seen by the run's head."""
    found: list[str] = []
    redacted = 0
    parent: str | None = None
    earlier: set[str | None] = {None}
    blobs = _Blobs(connection)
    number = 0
    query = select(schema.events).where(schema.events.c.run == run).order_by(schema.events.c.number)
    for row in connection.execute(query):
        # Said once, at the gap: the events after it are in their places.
        if row.number != number + 1:
            found.append(f"event {row.number}: what should be before it is missing ({_events(number + 1, row.number - 1)})")
        number = row.number
        found += [f"event {number}: {problem}" for problem in _of_event(blobs, row, parent, earlier)]
        redacted += row.redacted
        parent = row.id
        earlier.add(parent)
    head, imported = connection.execute(
        select(schema.runs.c.head, schema.runs.c.imported).where(schema.runs.c.id == run)
    ).one_or_none() or (None, False)
    if redacted and not imported:
        found.append(f"{redacted} events are marked as redacted, though the run was never exported and imported")
    if head != parent:
        found.append(f"the run's last event is not the one it was finished with (after event {number})")
    return Report(run, len(earlier) - 1, parent or "", redacted, tuple(found))


def _events(first: int, last: int) -> str:
    return f"event {first}" if first == last else f"events {first} to {last}"


class _Blobs:
    """What is wrong with blobs. Each is read once: parts of prompts are named by many events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[str, str] = {}

    def problem(self, digest: str) -> str:
        """``missing``, ``changed``, or nothing."""
        if digest not in self._known:
            query = select(schema.blobs.c.data).where(schema.blobs.c.digest == digest)
            data = self._connection.execute(query).scalar()
            changed = data is not None and hashlib.sha256(data).hexdigest() != digest
            self._known[digest] = "missing" if data is None else "changed" if changed else ""
        return self._known[digest]


def _of_event(blobs: _Blobs, row: Row[Any], parent: str | None, earlier: set[str | None]) -> Iterator[str]:
    try:
        header, body = json.loads(row.header), json.loads(row.body)
        digest = hashlib.sha256(canonical(body)).hexdigest()
        parts = (header["parent"] or "").encode(), canonical(header), row.digest.encode()
        kinds = header["type"], body["type"]
    except (ValueError, KeyError, TypeError, AttributeError):
        yield "it is not readable"
        return
    if digest != row.digest and not row.redacted:
        yield "its content does not match its digest"
    if hashlib.sha256(b"\x00".join(parts)).hexdigest() != row.id:
        yield "its id does not match its header"
    if header["type"] == "rewound" and parent is not None:
        # A new branch: it may follow any earlier event.
        if header["parent"] not in earlier - {None}:
            yield "its parent is no earlier event"
    elif header["parent"] != parent:
        yield "its parent is not the event before it"
    columns = {"run": row.run, "number": row.number, "parent": row.parent}
    if any(header.get(name) != value for name, value in columns.items()):
        yield "its place in the run is not the one in its header"
    if kinds[0] != kinds[1]:
        yield "its content is of another type than its header says"
    # What a changed body names means nothing.
    for blob in sorted(set(_blobs(body))) if digest == row.digest or row.redacted else ():
        if problem := blobs.problem(blob):
            yield f"its blob {blob[:12]} is {problem}"


def _blobs(body: dict[str, Any]) -> Iterator[str]:
    """Digests in the fields of a body that name blobs. Not those of a reply or of parameters, which are a model's words."""
    parts: list[dict[str, Any]] = body.get("parts", [])
    for fields in (body, *parts):
        for name in _BLOB_FIELDS & fields.keys():
            if isinstance(fields[name], str) and _DIGEST.fullmatch(fields[name]):
                yield fields[name]
