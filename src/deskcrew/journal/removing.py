"""Removes whole runs from a journal, and frees the space of what no other run needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, bindparam, delete, select, text

from deskcrew import liveness
from deskcrew.errors import JournalError
from deskcrew.journal import schema
from deskcrew.journal.heads import Heads
from deskcrew.journal.store import Store
from deskcrew.journal.stored import Stored

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SAVE_POINT = re.compile(r'"(?:manifest|before|restored)":\s*"([0-9a-f]{64})"')


@dataclass(frozen=True, slots=True)
class Removed:
    """What went. ``workspaces``: folders of the runs, which are as they were. ``blobs`` and ``freed`` (bytes on the disk)
    are 0 where ``going`` names a run that another process was at: what that one needs is not known yet."""

    runs: tuple[str, ...]
    events: int
    blobs: int
    freed: int
    workspaces: tuple[str, ...]
    going: str = ""


def remove(store: Store, names: Iterable[str]) -> Removed:
    """Remove runs by their exact ids, also those that cannot be read any more. Raises UsageError, before anything is gone,
    where another process is at one of them or there is none of that name."""
    before = _bytes(store.path)
    journals = {name: store.unread(name) for name in names}
    with ExitStack() as stack:
        for journal in journals.values():
            stack.enter_context(journal.alone())
        with store.writing() as connection:
            workspaces = [folder for name in journals if (folder := _workspace(connection, name))]
            events = sum(_remove(connection, name) for name in journals)
    for name in journals:
        _lock(store.path, name).unlink(missing_ok=True)
        Stored(store.path, name).remove()
        if (heads := Heads(store.path)).of(name):
            heads.add(name, 0, "", "removed")
    going = at_work(store)
    blobs = 0
    if not going:
        with store.writing() as connection:
            blobs = _remove_unnamed(connection)
        _shrink(store)
    freed = max(before - _bytes(store.path), 0)
    return Removed(tuple(journals), events, blobs, freed, tuple(dict.fromkeys(workspaces)), going)


def at_work(store: Store) -> str:
    """The id of a run that a process is at; '' where there is none."""
    locks = sorted(_lock(store.path, "x").parent.glob("*.lock"))
    return next((lock.stem for lock in locks if liveness.held(lock)), "")


def going(store: Store, run: str) -> bool:
    """Whether a process is at this run."""
    return liveness.held(_lock(store.path, run))


def _lock(path: Path, run: str) -> Path:
    return path.parent / "locks" / f"{run}.lock"


def _workspace(connection: Connection, run: str) -> str:
    """The folder of a run; '' where its first event does not say."""
    events = schema.events.c
    first = connection.execute(select(events.body).where(events.run == run, events.number == 1)).scalar() or ""
    value = connection.execute(
        text("select case when json_valid(:body) then json_extract(:body, '$.workspace') end"), {"body": first}
    )
    return str(value.scalar() or "")


def _remove(connection: Connection, run: str) -> int:
    connection.execute(delete(schema.branches).where(schema.branches.c.run == run))
    gone = connection.execute(delete(schema.events).where(schema.events.c.run == run)).rowcount
    connection.execute(delete(schema.runs).where(schema.runs.c.id == run))
    return gone


def _remove_unnamed(connection: Connection) -> int:
    """Remove the blobs that no run names, and say how many. Whatever looks like a digest in an event counts as a name, so
    that rather too much is kept; so does whatever a save point names."""
    named: set[str] = set()
    points: set[str] = set()
    for body in connection.execute(select(schema.events.c.body)).scalars():
        named.update(_DIGEST.findall(body))
        points.update(_SAVE_POINT.findall(body))
    blobs = schema.blobs.c
    for point in points:
        data = connection.execute(select(blobs.data).where(blobs.digest == point)).scalar() or b""
        named.update(_DIGEST.findall(data.decode("ascii", "replace")))
    gone = [digest for digest in connection.execute(select(blobs.digest)).scalars() if digest not in named]
    if gone:
        connection.execute(delete(schema.blobs).where(blobs.digest == bindparam("gone")), [{"gone": each} for each in gone])
    return len(gone)


def _shrink(store: Store) -> None:
    """Give the free pages back to the disk. Raises JournalError, after which all is as it was, where there is no room."""
    try:
        store.vacuum()
    except JournalError as error:
        raise JournalError(
            f"The runs are removed, but their space could not be freed: {error}",
            hint="`deskcrew remove --older-than 99999` tries that again.",
        ) from error


def _bytes(path: Path) -> int:
    there = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in there if file.exists())
