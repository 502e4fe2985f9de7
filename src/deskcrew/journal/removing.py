"""Removes whole runs from a journal, and frees the space that no other run uses."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select

from deskcrew.errors import JournalError
from deskcrew.journal import schema
from deskcrew.journal.chain_heads import Heads
from deskcrew.journal.database import Database
from deskcrew.journal.holding import named_blobs
from deskcrew.journal.leases import break_off, runs_at_work
from deskcrew.journal.store import Store
from deskcrew.journal.stored import Stored


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed. ``workspaces``: the runs' folders, which are left alone; ``blobs`` and ``freed`` (bytes on disk): 0
    if ``going`` names a run with an active process, because it is not known yet which blobs that run needs."""

    runs: tuple[str, ...]
    events: int
    blobs: int
    freed: int
    workspaces: tuple[str, ...]
    going: str = ""


def remove(store: Store, names: Iterable[str]) -> Removed:
    """Remove runs by their exact ids, even unreadable ones. Raises UsageError, before anything is removed, if one of them is
    unknown or has an active process."""
    database = store.database
    before = database.size()
    journals = {name: store.unread(name) for name in names}
    with ExitStack() as stack:
        for journal in journals.values():
            stack.enter_context(journal.alone())
        with database.writing() as connection:
            workspaces = [folder for name in journals if (folder := _workspace(connection, name))]
            events = sum(_remove(connection, name) for name in journals)
    for name in journals:
        (database.locks / f"{name}.lock").unlink(missing_ok=True)
        Stored(store.path, name).remove()
        if (heads := Heads(store.path)).of(name):
            heads.add(name, 0, "", "removed")
    blobs, going = _collected(database)
    freed = max(before - database.size(), 0)
    return Removed(tuple(journals), events, blobs, freed, tuple(dict.fromkeys(workspaces)), going)


def _collected(database: Database) -> tuple[int, str]:
    """Remove the blobs that no run names any longer. Returns their number and ''. While a run has an active process, it may
    still name some: then none are removed, and 0 and that run are returned."""
    with database.writing() as connection:
        database.collecting(connection)
        if going := next(iter(runs_at_work(database)), ""):
            return 0, going
        break_off(database, connection)
        blobs = _remove_unnamed(connection, database)
    _shrink(database)
    return blobs, ""


def _workspace(connection: Connection, run: str) -> str:
    """The workspace folder of a run; '' if its first event does not name one."""
    events = schema.events.c
    told = select(func.json_extract(events.body, "$.workspace"))
    query = told.where(events.run == run, events.number == 1, func.json_valid(events.body))
    return str(connection.execute(query).scalar() or "")


def _remove(connection: Connection, run: str) -> int:
    connection.execute(delete(schema.branches).where(schema.branches.c.run == run))
    gone = connection.execute(delete(schema.events).where(schema.events.c.run == run)).rowcount
    connection.execute(delete(schema.runs).where(schema.runs.c.id == run))
    return gone


def _remove_unnamed(connection: Connection, database: Database) -> int:
    """Remove the blobs that no run names, and return their number."""
    named = set[str]().union(*named_blobs(connection, database).values())
    gone = [digest for digest in database.blobs.sizes(connection) if digest not in named]
    database.blobs.remove(connection, gone)
    return len(gone)


def _shrink(database: Database) -> None:
    """Return free pages to the disk. Raises JournalError, with everything unchanged, if there is no room for that."""
    try:
        database.shrink()
    except JournalError as error:
        raise JournalError(
            f"The runs are removed, but their space could not be freed: {error}",
            hint="`deskcrew remove --older-than 99999` tries that again.",
        ) from error
