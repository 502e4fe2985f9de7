"""Verifies a run's rows: the hash chain, the columns beside it, the head, the blobs.

Hashes are computed over the stored JSON, not over what today's types make of it, so old events can always be verified.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from deskcrew.facts.canonical import canonical
from deskcrew.facts.json_values import JsonObject, object_in
from deskcrew.facts.verdict import OUTSIDE
from deskcrew.journal import schema
from deskcrew.journal.blobs import Blobs
from deskcrew.journal.chain_heads import Head
from deskcrew.journal.database import Database
from deskcrew.journal.naming import blobs_in, digests_in, kept_in, save_points_in


@dataclass(frozen=True, slots=True)
class Report:
    """The result of verifying a run. ``head``: id of the last event; ``redacted``: the number of events of which only the
    headers are verified; ``problems``: one line each, empty if there are none; ``blobs``: the number of blobs found;
    ``noted``: the number of the last event that was noted outside the journal, 0 if none was; ``running``: whether a process
    works on the run."""

    run: str
    events: int
    head: str
    redacted: int
    problems: tuple[str, ...]
    blobs: int = 0
    noted: int = 0
    running: bool = False


def report(database: Database, run: str, heads: Sequence[Head] = (), kept_elsewhere: str = "") -> Report:
    """The report on what is committed: see :func:`report_of`."""
    with database.reading() as connection:
        return report_of(connection, database.blobs, run, heads, kept_elsewhere)


def report_of(
    connection: Connection, kept: Blobs | None, run: str, heads: Sequence[Head] = (), kept_elsewhere: str = ""
) -> Report:
    """Check every row of a run, and every blob that it names. ``kept``: the blobs' store; None checks only the rows, in a
    quarter of the time. ``heads``: the run's last events as noted outside the journal, which reveal that its end was
    truncated or rewritten. ``kept_elsewhere``: an event's id that the run must have, '' for none."""
    found: list[str] = []
    redacted = 0
    parent: str | None = None
    earlier: set[str | None] = {None}
    blobs = _Blobs(connection, kept) if kept is not None else None
    number = 0
    ids: dict[int, str] = {}
    endings: dict[str, _Ending] = {}
    last = _Ending()
    begun: JsonObject = {}
    query = select(schema.events).where(schema.events.c.run == run).order_by(schema.events.c.number)
    for row in connection.execute(query):
        # Said once, at the gap: the events after it are in their places.
        if row.number != number + 1:
            found.append(f"event {row.number}: what should be before it is missing ({_events(number + 1, row.number - 1)})")
        number = row.number
        if number == 1 and not row.redacted:
            with suppress(ValueError):
                begun = object_in(json.loads(row.body))
        found += [f"event {number}: {problem}" for problem in _of_event(blobs, row, parent, earlier)]
        redacted += row.redacted
        parent = ids[number] = row.id
        earlier.add(parent)
        endings[row.id] = last = endings.get(row.parent, _Ending()).after(row)
    runs = schema.runs.c
    listed = select(runs.head, runs.imported, runs.outcome, runs.task, runs.crew, runs.model).where(runs.id == run)
    head, imported, outcome, *told = connection.execute(listed).one_or_none() or (None, False, None, "", "", "")
    if redacted and not imported:
        found.append(f"{redacted} events are marked as redacted, though the run was never exported and imported")
    if head != parent:
        found.append(f"the run's last event is not the one it was finished with (after event {number})")
    if not found and (outcome or "") not in last.told(imported=imported):
        found.append(f"the list of runs says {outcome or 'no outcome'}, its events {last.status or 'none'}")
    found += _unlike(begun, *told) if not found and not imported else ()
    found += _against(heads, ids)
    if kept_elsewhere and kept_elsewhere not in earlier:
        found.append(f"no event of the run is {kept_elsewhere[:12]}, which was kept as its last one")
    noted = max((head.events for head in heads), default=0)
    return Report(run, len(earlier) - 1, parent or "", redacted, tuple(found), blobs.read if blobs is not None else 0, noted)


def altered(database: Database, runs: Sequence[str], heads: Callable[[str], Sequence[Head]]) -> frozenset[str]:
    """The runs among these whose events or rows in the list of runs are not what was written. Blobs are not checked.
    ``heads``: returns a run's last events as noted outside the journal."""
    with database.reading() as connection:
        return frozenset(run for run in runs if report_of(connection, None, run, heads(run)).problems)


def _unlike(begun: JsonObject, task: str, crew: str, model: str) -> Iterator[str]:
    """Where a run's row in the list of runs differs from its first event."""
    first = schema.listed(0.0, *(str(begun.get(name, "")) for name in ("task", "crew", "model")))
    for name, said in {"task": task, "crew": crew, "model": model}.items():
        # Of a task in which a secret stood, the event alone says so.
        if said != first[name] and "[secret " not in str(first[name]):
            yield f"the list of runs says {said!r} for its {name}, its first event {first[name]!r}"


def _against(heads: Sequence[Head], ids: dict[int, str]) -> Iterator[str]:
    """Where the events differ from what was noted outside the journal, one line per event."""
    for number, head in {head.events: head for head in heads}.items():
        if number not in ids:
            yield f"event {number} is missing: it was noted as the run's last one"
        elif any(each.head != ids[number] for each in heads if each.events == number):
            yield f"event {number} differs from the one noted as the run's last: {head.head[:12]}"


class _Ending(NamedTuple):
    """How a branch has ended as of some event. ``again``: it can be continued; ``interrupted``: the event itself is an
    interruption."""

    status: str = ""
    again: bool = False
    interrupted: bool = False

    def after(self, row: Row[Any]) -> _Ending:
        """The ending after one more event. An unreadable event changes nothing: it is reported separately."""
        kind = row.kind or ""
        if '"run_finished"' in kind:
            with suppress(ValueError, KeyError, TypeError):
                outcome = json.loads(row.body)["outcome"]
                return _Ending(outcome["status"], outcome["status"] == "stopped" or outcome["reason"] in OUTSIDE)
        if '"run_resumed"' in kind and self.again:
            return _Ending()
        return self._replace(interrupted='"run_interrupted"' in kind)

    def told(self, *, imported: bool) -> frozenset[str]:
        """The statuses that the list of runs may show. An imported run may also be "interrupted" if events followed an
        interruption."""
        if self.status:
            return frozenset({self.status})
        return frozenset({"interrupted"} if self.interrupted else {"", "interrupted"} if imported else {""})


def _events(first: int, last: int) -> str:
    return f"event {first}" if first == last else f"events {first} to {last}"


class _Blobs:
    """Finds problems with blobs. Each blob is read once, since many events name the same parts of prompts."""

    def __init__(self, connection: Connection, kept: Blobs) -> None:
        self._connection, self._kept = connection, kept
        self._known: dict[str, str] = {}
        self._files: dict[str, set[str]] = {}

    @property
    def read(self) -> int:
        """The number of blobs that were found."""
        return sum(problem != "missing" for problem in self._known.values())

    def problem(self, digest: str) -> str:
        """``missing``, ``changed``, or '' if there is no problem."""
        self._look(digest)
        return self._known[digest]

    def of_save_point(self, digest: str) -> set[str]:
        """Digests of the file contents that a save point names; none if the save point is missing or changed."""
        if digest not in self._files:
            data = self._look(digest) or self._data(digest)
            self._files[digest] = kept_in(data or b"") if not self._known[digest] else set()
        return self._files[digest]

    def _look(self, digest: str) -> bytes | None:
        if digest in self._known:
            return None
        data = self._data(digest)
        changed = data is not None and hashlib.sha256(data).hexdigest() != digest
        self._known[digest] = "missing" if data is None else "changed" if changed else ""
        return data

    def _data(self, digest: str) -> bytes | None:
        return self._kept.get(self._connection, digest)


def _of_event(blobs: _Blobs | None, row: Row[Any], parent: str | None, earlier: set[str | None]) -> Iterator[str]:
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
            yield "its parent is not an earlier event"
    elif header["parent"] != parent:
        yield "its parent is not the event before it"
    columns = {"run": row.run, "number": row.number, "parent": row.parent}
    if any(header.get(name) != value for name, value in columns.items()):
        yield "its place in the run is not the one in its header"
    if kinds[0] != kinds[1]:
        yield "its content is of another type than its header says"
    # What a changed body names means nothing.
    if blobs is not None and (digest == row.digest or row.redacted):
        yield from _of_blobs(blobs, body)


def _of_blobs(blobs: _Blobs, body: JsonObject) -> Iterator[str]:
    certain = set(blobs_in(body))
    for blob in sorted(certain | set(digests_in(body))):
        problem = blobs.problem(blob)
        # The digest of an event, in a field of its own, is no blob's.
        if problem and (blob in certain or problem != "missing"):
            yield f"its blob {blob[:12]} is {problem}"
    for point in sorted(set(save_points_in(body))):
        for blob in sorted(blobs.of_save_point(point)):
            if problem := blobs.problem(blob):
                yield f"the content {blob[:12]} of a file in its save point is {problem}"
