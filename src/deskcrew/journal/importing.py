"""Reading an exported run into a journal. The file may come from anybody: it is believed in nothing.

Nothing in it is ever taken for a path. Every size is bounded while it is read. The run is in the journal only when its chain
of hashes holds, each blob is what it is named by, and its events can be folded.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or_ignore
from sqlalchemy.exc import IntegrityError

from deskcrew.errors import CrewMistake, JournalError, UsageError
from deskcrew.events import SCHEMA, Body, Event, Header, RunStarted, body_digest, event_id
from deskcrew.journal import schema
from deskcrew.journal.exporting import BLOBS, DIGEST, EVENTS, FORM, MANIFEST, digests_in, files_in, save_points_in
from deskcrew.journal.fold import RunState
from deskcrew.journal.redaction import without_texts
from deskcrew.journal.store import Store, path_to
from deskcrew.journal.verify import report

MOST_ENTRIES = 1_000_000
MOST_EVENTS = 100_000
MOST_FOLDS = 5_000_000
"""Events of all branches together, those that branches share counted for each."""
LARGEST_EVENTS = 256 << 20
LATEST = 2.5e11
"""Unix seconds, in the year 9892."""
LARGEST = 512 << 20
"""Bytes of the largest single content."""
MOST = 16 << 30
"""Bytes of all contents."""
DENSEST = 100
"""How many times the file's own size its contents may have; an export stays well below."""
FREE = 16 << 20
"""Bytes of contents that are let through whatever the file's size."""
_RUN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,31}")
_CHUNK = 1 << 20
_BODY: TypeAdapter[Body] = TypeAdapter(Body)
# What a made-up sequence of events, each of them well formed, can do to the fold.
_UNFOLDABLE = (
    CrewMistake,
    JournalError,
    ValidationError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
)


class _Refused(Exception):
    """Why a file is not imported, in words for a person."""


@dataclass(frozen=True, slots=True)
class Imported:
    """``run``: its id here; ``was``: its id in the file. ``new``: False where it was here already."""

    run: str
    was: str
    events: int
    redacted: int
    new: bool


@dataclass(frozen=True, slots=True)
class _Line:
    """An event, and its header and body as they stand in the file: hashes are taken over those."""

    event: Event
    header: dict[str, Any]
    body: dict[str, Any]
    redacted: bool


@dataclass(frozen=True, slots=True)
class _Names:
    """What the manifest says. ``events``, ``head``: how many there must be, and the id of the last."""

    run: str
    events: int
    head: str
    branches: tuple[tuple[int, str, bool], ...]


def read_export(path: Path, store: Store) -> Imported:
    """Add the run that a file holds to the journal. One that is there is left alone; where another run has its id, it gets a
    new one, and its chain of hashes is made anew.

    Raises UsageError for a file that cannot be read or is no zip file, JournalError for one that is no export, is not whole,
    was changed, or was written by a newer Deskcrew. Then nothing is added.
    """
    hint = "Nothing was changed. Ask for the export again."
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise UsageError(f"{path} cannot be imported: it is not a zip file, or cut off.", hint=hint) from error
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"{path} cannot be imported: {why}.", hint="Name a file that `deskcrew export` wrote.") from error
    try:
        with archive:
            reader = _Reader(archive, path.stat().st_size)
            names, lines = _names(reader), _lines(reader)
            _whole(names, lines)
            return _add(store, reader, names, lines)
    except _Refused as refused:
        why = str(refused)
    except IntegrityError:
        why = "an event of it has the id of an event of another run"
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
        why = "it is damaged"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    raise JournalError(f"{path} cannot be imported: {why}.", hint=hint)


def _whole(names: _Names, lines: list[_Line]) -> None:
    """Refuse what is not all that the manifest speaks of: cutting off the newest events breaks no chain."""
    if not lines or any(line.event.header.run != names.run for line in lines):
        raise _Refused("its events are not those of one run")
    if len(lines) != names.events:
        raise _Refused(f"it holds {len(lines)} events, and its manifest says {names.events}")
    if lines[-1].event.id != names.head:
        raise _Refused("its last event is not the one that its manifest names")


class _Reader:
    """The contents of an archive, each with its bound. What the archive says of sizes is not believed."""

    def __init__(self, archive: zipfile.ZipFile, size: int) -> None:
        self._archive = archive
        self._left = min(MOST, FREE + DENSEST * size)
        self._infos: dict[str, zipfile.ZipInfo] = {}
        if len(archive.infolist()) > MOST_ENTRIES:
            raise _Refused("it has too many entries")
        for info in archive.infolist():
            name = info.filename
            blob = name.removeprefix(BLOBS) if name.startswith(BLOBS) else None
            if name not in (MANIFEST, EVENTS) and (blob is None or not DIGEST.fullmatch(blob)):
                raise _Refused("it holds something that is no part of an export")
            if name in self._infos:
                raise _Refused("it holds something twice")
            self._infos[name] = info

    @property
    def blobs(self) -> list[str]:
        return sorted(name.removeprefix(BLOBS) for name in self._infos if name.startswith(BLOBS))

    def content(self, name: str, most: int = LARGEST) -> bytes:
        """All of one entry, of at most ``most`` bytes."""
        info = self._infos.get(name)
        if info is None:
            raise _Refused(f"{name} is missing")
        read = bytearray()
        with self._archive.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                read += chunk
                self._left -= len(chunk)
                if len(read) > most or self._left < 0:
                    raise _Refused("its contents are too large for a file of its size")
        return bytes(read)


def _names(reader: _Reader) -> _Names:
    data = _json(reader.content(MANIFEST, 4 << 20))
    if data.get("form") != FORM:
        raise _Refused("it was written by a newer Deskcrew" if isinstance(data.get("form"), int) else "it is no export")
    run, listed, events, head = (data.get(name) for name in ("run", "branches", "events", "head"))
    if not isinstance(run, str) or not _RUN.fullmatch(run) or not isinstance(listed, list):
        raise _Refused("its manifest is not that of a run")
    if not isinstance(events, int) or not isinstance(head, str):
        raise _Refused("its manifest is not that of a run")
    found: list[tuple[int, str, bool]] = []
    for branch in cast("list[Any]", listed):
        match branch:
            case {"start": int() as start, "label": str() as label, "hidden": bool() as hidden} if (
                len(label) <= 80 and label.isprintable()
            ):
                found.append((start, label, hidden))
            case _:
                raise _Refused("its manifest is not that of a run")
    return _Names(run, events, head, tuple({start: (start, label, hidden) for start, label, hidden in found}.values()))


def _lines(reader: _Reader) -> list[_Line]:
    lines: list[_Line] = []
    ids: set[str | None] = {None}
    for text in reader.content(EVENTS, LARGEST_EVENTS).split(b"\n")[:-1]:
        if len(lines) >= MOST_EVENTS:
            raise _Refused("it has too many events")
        line = _line(_json(text), len(lines) + 1)
        # Only backwards: else following parents would have no end.
        if line.event.id in ids or (line.event.header.parent is None) != (not lines) or line.event.header.parent not in ids:
            raise _Refused(f"event {len(lines) + 1} follows no earlier one")
        ids.add(line.event.id)
        lines.append(line)
    return lines


def _line(data: dict[str, Any], number: int) -> _Line:
    id, header, digest, body = (data.get(name) for name in ("id", "header", "digest", "body"))
    if not (isinstance(id, str) and isinstance(digest, str) and isinstance(header, dict) and isinstance(body, dict)):
        raise _Refused(f"event {number} is not whole")
    redacted = data.get("redacted") is True
    kept = cast("tuple[dict[str, Any], dict[str, Any]]", (header, body))
    try:
        if redacted:
            # No hash covers such a body, so a text in it could be anybody's.
            kept = kept[0], without_texts(kept[1])
        head = Header.model_validate_json(json.dumps(header))
        if head.schema_version > SCHEMA:
            raise _Refused("it was written by a newer Deskcrew")
        event = Event(id=id, header=head, digest=digest, body=_BODY.validate_json(json.dumps(kept[1])))
    except (ValidationError, CrewMistake, RecursionError) as error:
        raise _Refused(f"event {number} is not one of this version") from error
    if head.number != number or not 0 <= head.time < LATEST or not DIGEST.fullmatch(id) or not DIGEST.fullmatch(digest):
        raise _Refused(f"event {number} is not in its place")
    return _Line(event, *kept, redacted)


def _json(text: bytes) -> dict[str, Any]:
    def no_number(_: str) -> float:
        raise ValueError

    try:
        data: object = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise _Refused("its JSON cannot be read") from error
    if not isinstance(data, dict):
        raise _Refused("its JSON is not what an export holds")
    return cast("dict[str, Any]", data)


def _add(store: Store, reader: _Reader, names: _Names, lines: list[_Line]) -> Imported:
    _fold(lines)
    redacted = sum(line.redacted for line in lines)
    with store.writing() as connection:
        known = _known(connection, names.run)
        ids = [line.event.id for line in lines]
        if known[: len(ids)] == ids:
            filled = _fill(connection, reader, names.run, lines)
            return Imported(names.run, names.run, len(lines), redacted, new=filled)
        run = names.run
        if known or _anywhere(connection, ids):
            run = time.strftime("%m%d-%H%M%S-") + secrets.token_hex(2)
            lines = list(_renamed(lines, run))
        _insert(connection, run, names, lines)
        _insert_blobs(connection, reader, lines)
        _verify(connection, run)
    return Imported(run, names.run, len(lines), redacted, new=True)


def _verify(connection: Connection, run: str) -> None:
    if problems := report(connection, run).problems:
        raise _Refused(f"its chain of hashes does not hold: {problems[0]}")


def _fill(connection: Connection, reader: _Reader, run: str, lines: list[_Line]) -> bool:
    """Give the texts back to events that are here without them; whether there were any."""
    table = schema.events
    query = select(table.c.id).where(table.c.run == run, table.c.redacted)
    bare = set(connection.execute(query).scalars())
    full = [line for line in lines if line.event.id in bare and not line.redacted]
    for line in full:
        change = update(table).where(table.c.id == line.event.id)
        connection.execute(change.values(body=json.dumps(line.body), redacted=False))
    if full:
        if len(lines) == len(_known(connection, run)):
            connection.execute(update(schema.runs).where(schema.runs.c.id == run).values(**_row(lines)))
        _insert_blobs(connection, reader, lines)
        _verify(connection, run)
    return bool(full)


def _fold(lines: list[_Line]) -> None:
    """Try every branch: what cannot be folded must not be found out later."""
    events = [line.event for line in lines]
    parents = {event.header.parent for event in events}
    budget = MOST_FOLDS
    try:
        if not isinstance(events[0].body, RunStarted):
            raise _Refused("its first event begins no run")
        for event in events:
            if event.id not in parents:
                state, path = RunState(), path_to(events, event)
                budget -= len(path)
                if budget < 0:
                    raise _Refused("it has too many branches")
                for each in path:
                    state.apply(each)
                _ = state.phase
    except _UNFOLDABLE as error:
        raise _Refused("its events do not fit together") from error


def _known(connection: Connection, run: str) -> list[str]:
    table = schema.events
    return list(connection.execute(select(table.c.id).where(table.c.run == run).order_by(table.c.number)).scalars())


def _anywhere(connection: Connection, ids: list[str]) -> bool:
    """Whether the first event is in the journal under another run's name."""
    table = schema.events
    return bool(connection.execute(select(func.count()).where(table.c.id == ids[0])).scalar())


def _renamed(lines: list[_Line], run: str) -> Iterator[_Line]:
    """The same events under another run's id: every hash is another one, and so is every reference to it."""
    ids: dict[str, str] = {}
    for line in lines:
        header = line.event.header
        changed = {"run": run, "parent": ids.get(header.parent or ""), "cause": ids.get(header.cause or "")}
        header = header.model_copy(update=changed)
        body = cast("dict[str, Any]", _mapped(line.body, ids))
        made = _BODY.validate_python(body)
        digest = line.event.digest if line.redacted else body_digest(made)
        body = body if line.redacted else made.model_dump(mode="json")
        event = Event(id=event_id(header, digest), header=header, digest=digest, body=made)
        ids[line.event.id] = event.id
        yield replace(line, event=event, header=header.model_dump(mode="json"), body=body)


def _mapped(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, dict):
        return {key: _mapped(item, ids) for key, item in cast("dict[str, Any]", value).items()}
    return [_mapped(item, ids) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _row(lines: list[_Line]) -> dict[str, Any]:
    """What the list of runs says of a run that has these events."""
    first, last = lines[0].event, lines[-1].event
    started = first.body
    assert isinstance(started, RunStarted)
    state = RunState()
    for event in path_to([line.event for line in lines], last):
        state.apply(event)
    ended = state.outcome.status if state.outcome else "interrupted" if state.interrupted else None
    row: dict[str, Any] = {"created": first.header.time, "task": started.task, "crew": started.crew[:64]}
    return row | {"model": started.model[:200], "head": last.id, "outcome": ended}


def _insert(connection: Connection, run: str, names: _Names, lines: list[_Line]) -> None:
    connection.execute(insert(schema.runs).values(id=run, imported=True, **_row(lines)))
    connection.execute(
        insert(schema.events),
        [
            {
                "id": line.event.id,
                "run": run,
                "number": line.event.number,
                "parent": line.event.header.parent,
                "header": json.dumps(line.header),
                "digest": line.event.digest,
                "body": json.dumps(line.body),
                "redacted": line.redacted,
            }
            for line in lines
        ],
    )
    starts = {line.event.number for line in lines}
    labels = [
        {"run": run, "start": s, "label": label, "hidden": hidden} for s, label, hidden in names.branches if s in starts
    ]
    if labels:
        connection.execute(insert(schema.branches), labels)


def _insert_blobs(connection: Connection, reader: _Reader, lines: list[_Line]) -> None:
    """Only what the events name, and what their save points name. Those first: they say which files belong to them."""
    named = {digest for line in lines if not line.redacted for digest in digests_in(line.body)}
    points = {digest for line in lines if not line.redacted for digest in save_points_in(line.body)}
    there = set(reader.blobs)
    for digest in sorted(points & there):
        data = _insert_blob(connection, reader, digest)
        named |= files_in(data)
    if there - named:
        raise _Refused("it holds a blob that belongs to no event")
    for digest in sorted(there - points):
        _insert_blob(connection, reader, digest)


def _insert_blob(connection: Connection, reader: _Reader, digest: str) -> bytes:
    data = reader.content(BLOBS + digest)
    if hashlib.sha256(data).hexdigest() != digest:
        raise _Refused(f"its blob {digest[:12]} was changed")
    connection.execute(insert_or_ignore(schema.blobs).values(digest=digest, data=data).on_conflict_do_nothing())
    return data
