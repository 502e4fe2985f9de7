"""Imports an exported run into a journal.

The run is added only if its hash chain holds, each blob matches its digest, and its events can be folded.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from deskcrew.errors import CrewMistake, JournalError, UsageError
from deskcrew.facts.events import Body, Event, RunStarted, body_digest, event_id
from deskcrew.facts.json_values import is_list, is_object
from deskcrew.journal import schema
from deskcrew.journal.blobs import Blobs
from deskcrew.journal.chain_heads import Heads
from deskcrew.journal.exported import ExportedLine, ExportedManifest, ImportRefused, Reader, contents_of, open_regular
from deskcrew.journal.exporting import BLOBS
from deskcrew.journal.fold import folded
from deskcrew.journal.journal import path_to
from deskcrew.journal.naming import digests_in, files_in, save_points_in
from deskcrew.journal.store import Store
from deskcrew.journal.verify import report_of

MOST_FOLDS = 5_000_000
"""The maximum number of events in all branches; shared events count once for each branch."""
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


@dataclass(frozen=True, slots=True)
class Imported:
    """The result. ``run``: the run's id here; ``was``: its id in the file; ``new``: False if it was all here already."""

    run: str
    was: str
    events: int
    redacted: int
    new: bool


def read_export(path: Path, store: Store, *, called: str = "") -> Imported:
    """Add the run in an export file to the journal. If it is there already, at most missing texts are added. If another run
    has its id, or several people share the journal, it gets a new id, and its hash chain is recomputed. ``called``: the
    file's name in errors, if not its path.

    Raises UsageError if the file cannot be read, JournalError if it is not an export, is incomplete, was changed, or was
    written by a newer Deskcrew. Then nothing is added.
    """
    called = called or str(path)
    try:
        file = open_regular(path)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"{called} cannot be imported: {why}.", hint="Name a file that `deskcrew export` wrote.") from error
    with file:
        return _read(file, store, called)


def _read(file: BinaryIO, store: Store, called: str) -> Imported:
    hint = "Nothing was changed. Ask for the export again."
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise JournalError(f"{called} cannot be imported: it is not a zip file, or truncated.", hint=hint) from error
    try:
        with archive:
            reader = Reader(archive, os.fstat(file.fileno()).st_size)
            names, lines = contents_of(reader)
            return _add(store, reader, names, lines)
    except ImportRefused as refused:
        why = str(refused)
    except IntegrityError:
        why = "one of its events has the id of an event of another run"
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError):
        why = "it is damaged"
    except OSError as error:
        why = (error.strerror or str(error)).lower()
    raise JournalError(f"{called} cannot be imported: {why}.", hint=hint)


def _add(store: Store, reader: Reader, names: ExportedManifest, lines: list[ExportedLine]) -> Imported:
    _fold(lines)
    redacted = sum(line.redacted for line in lines)
    blobs = store.database.blobs
    with store.database.writing() as connection:
        store.database.naming(connection)
        run = names.run
        if store.person and not store.has(run, connection):
            run = _own(store.person, lines)
            lines = list(_renamed(lines, run))
        known = _known(connection, run)
        ids = [line.event.id for line in lines]
        if known[: len(ids)] == ids:
            _compare(connection, run, lines)
            filled = _fill(connection, blobs, reader, run, lines)
            return Imported(run, names.run, len(lines), redacted, new=filled)
        if known or _anywhere(connection, ids):
            run = time.strftime("%m%d-%H%M%S-") + secrets.token_hex(2)
            lines = list(_renamed(lines, run))
        _insert(connection, run, names, lines, store.person)
        _insert_blobs(connection, blobs, reader, lines)
        _verify(connection, blobs, run)
    Heads(store.path).add(run, len(lines), lines[-1].event.id, "imported")
    return Imported(run, names.run, len(lines), redacted, new=True)


def _verify(connection: Connection, blobs: Blobs, run: str) -> None:
    if problems := report_of(connection, blobs, run).problems:
        raise ImportRefused(f"its hash chain does not verify: {problems[0]}")


def _fill(connection: Connection, blobs: Blobs, reader: Reader, run: str, lines: list[ExportedLine]) -> bool:
    """Add the texts of events that were imported without them. Returns whether there were any."""
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
        _insert_blobs(connection, blobs, reader, lines)
        _verify(connection, blobs, run)
    return bool(full)


def _compare(connection: Connection, run: str, lines: list[ExportedLine]) -> None:
    """Raise ImportRefused if an event here says something else under the same id: the file was altered, or the record."""
    table = schema.events
    rows = connection.execute(select(table).where(table.c.run == run).order_by(table.c.number))
    for row, line in zip(rows, lines, strict=False):  # here it may have gone on
        same = row.digest == line.event.digest and json.loads(row.header) == line.header
        if not same or not (row.redacted or line.redacted or json.loads(row.body) == line.body):
            raise ImportRefused(f"run {run} is already here, and differs from the file from event {row.number} on")


def _fold(lines: list[ExportedLine]) -> None:
    """Fold every branch, so that an error is found now and not later."""
    events = [line.event for line in lines]
    parents = {event.header.parent for event in events}
    budget = MOST_FOLDS
    try:
        if not isinstance(events[0].body, RunStarted):
            raise ImportRefused("its first event does not begin a run")
        for event in events:
            if event.id not in parents:
                path = path_to(events, event)
                budget -= len(path)
                if budget < 0:
                    raise ImportRefused("it has too many branches")
                _ = folded(path).phase
    except _UNFOLDABLE as error:
        raise ImportRefused("its events do not fit together") from error


def _known(connection: Connection, run: str) -> list[str]:
    table = schema.events
    return list(connection.execute(select(table.c.id).where(table.c.run == run).order_by(table.c.number)).scalars())


def _own(person: str, lines: list[ExportedLine]) -> str:
    """The id for a run that one of several people imports: the same each time, and independent of other people's runs, so
    that it reveals nothing about them."""
    return f"imported-{hashlib.sha256(f'{lines[0].event.id} {person}'.encode()).hexdigest()[:12]}"


def _anywhere(connection: Connection, ids: list[str]) -> bool:
    """Whether the journal already has the first of these events."""
    table = schema.events
    return bool(connection.execute(select(func.count()).where(table.c.id == ids[0])).scalar())


def _renamed(lines: list[ExportedLine], run: str) -> Iterator[ExportedLine]:
    """The events under another run's id: every hash changes, and so does every reference to it."""
    ids: dict[str, str] = {}
    for line in lines:
        header = line.event.header
        changed = {"run": run, "parent": ids.get(header.parent or ""), "cause": ids.get(header.cause or "")}
        header = header.model_copy(update=changed)
        body = _mapped(line.body, ids)
        made = _BODY.validate_python(body)
        digest = line.event.digest if line.redacted else body_digest(made)
        body = body if line.redacted else made.model_dump(mode="json")
        event = Event(id=event_id(header, digest), header=header, digest=digest, body=made)
        ids[line.event.id] = event.id
        yield replace(line, event=event, header=header.model_dump(mode="json"), body=body)


def _mapped(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, str):
        return ids.get(value, value)
    if is_object(value):
        return {key: _mapped(item, ids) for key, item in value.items()}
    return [_mapped(item, ids) for item in value] if is_list(value) else value


def _row(lines: list[ExportedLine]) -> dict[str, object]:
    """The row of the list of runs for a run with these events."""
    first, last = lines[0].event, lines[-1].event
    started = first.body
    assert isinstance(started, RunStarted)
    state = folded(path_to([line.event for line in lines], last))
    ended = state.outcome.status if state.outcome else "interrupted" if state.interrupted else None
    row = schema.listed(first.header.time, started.task, started.crew, started.model)
    return row | {"head": last.id, "outcome": ended}


def _insert(connection: Connection, run: str, names: ExportedManifest, lines: list[ExportedLine], person: str) -> None:
    connection.execute(insert(schema.runs).values(id=run, imported=True, person=person, **_row(lines)))
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


def _insert_blobs(connection: Connection, blobs: Blobs, reader: Reader, lines: list[ExportedLine]) -> None:
    """Insert the blobs that the events and their save points name; raise ImportRefused if there are others. Save points come
    first, because they say which files belong to them."""
    named = {digest for line in lines if not line.redacted for digest in digests_in(line.body)}
    points = {digest for line in lines if not line.redacted for digest in save_points_in(line.body)}
    there = set(reader.blobs)
    for digest in sorted(points & there):
        data = _insert_blob(connection, blobs, reader, digest)
        named |= files_in(data)
    if there - named:
        raise ImportRefused("it holds a blob that belongs to no event")
    for digest in sorted(there - points):
        _insert_blob(connection, blobs, reader, digest)


def _insert_blob(connection: Connection, blobs: Blobs, reader: Reader, digest: str) -> bytes:
    data = reader.content(BLOBS + digest)
    if hashlib.sha256(data).hexdigest() != digest:
        raise ImportRefused(f"its blob {digest[:12]} was changed")
    blobs.put(connection, {digest: data})
    return data
