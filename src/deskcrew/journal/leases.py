"""Leases: which process executes a run in a database that several machines share. A lease is renewed, and has a fencing
token that every append checks.

Whoever takes a run increments its ``fence``, and can append only while the fence still has that value. If a process was
suspended for too long, and another process took its run meanwhile, its next append is therefore refused. All times are by
the server's clock, so the machines' clocks do not matter.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Float, Update, cast, func, null, or_, select, update

from deskcrew.errors import JournalError, UsageError
from deskcrew.facts.liveness import held, write_private
from deskcrew.journal import schema
from deskcrew.journal.database import Database

SECONDS = 30.0
"""How many seconds a lease lasts without renewal. It is renewed three times in that time."""
_RUNS = schema.runs.c


class Lease(NamedTuple):
    """A process's lease of a run. ``fence``: the value that every append checks; ``moved``: whether another machine executed
    the run last, so that this machine's own data about it may be older than the journal."""

    fence: int
    moved: bool


@contextmanager
def leased(database: Database, run: str) -> Generator[Lease | None]:
    """Take a run, and renew its lease in a background thread. Yields None, and does nothing, if no other machine writes into
    the database. The caller must hold the run's lock on this machine, so an earlier lease of this data folder is stale.
    Raises UsageError if a process elsewhere has the run."""
    if not database.shared:
        yield None
        return
    node = _node(database)
    free = or_(_RUNS.held_until.is_(None), _RUNS.held_until < now(), _RUNS.held_by == node)
    last = select(_RUNS.held_by).where(_RUNS.id == run).with_for_update()
    take = update(schema.runs).where(_RUNS.id == run, free).values(fence=_RUNS.fence + 1, held_by=node, held_until=_end())
    with database.writing() as connection:
        had = connection.execute(last).scalar()
        fence = connection.execute(take.returning(_RUNS.fence)).scalar()
    if fence is None:
        hint = f"Wait for it. If that machine is gone, the run can be continued here in {SECONDS:g} seconds at the latest."
        raise UsageError(f"Run {run} is running elsewhere.", hint=hint)
    ended = threading.Event()
    renewing = threading.Thread(target=_renewing, args=(database, run, fence, ended), name=f"lease of {run}", daemon=True)
    renewing.start()
    try:
        yield Lease(fence, moved=had != node)
    finally:
        ended.set()
        renewing.join()
        # Not to be had: it ends by itself then.
        with suppress(JournalError), database.at_once() as connection:
            connection.execute(_ours(run, fence).values(held_until=null()))


def renew(database: Database, run: str, fence: int) -> bool:
    """Renew a lease; False if another process has the run. Raises JournalError if the database cannot be used."""
    with database.at_once() as connection:
        return connection.execute(_ours(run, fence).values(held_until=_end())).rowcount > 0


def _renewing(database: Database, run: str, fence: int, ended: threading.Event) -> None:
    while not ended.wait(SECONDS / 3):
        with suppress(JournalError):
            if not renew(database, run, fence):
                return  # another one has it, and the next append says so


def _ours(run: str, fence: int) -> Update:
    return update(schema.runs).where(_RUNS.id == run, _RUNS.fence == fence)


def runs_at_work(database: Database) -> list[str]:
    """The runs that have an active process, on any machine."""
    here = [lock.stem for lock in sorted(database.locks.glob("*.lock")) if held(lock)]
    if not database.shared:
        return here
    elsewhere = select(_RUNS.id).where(_RUNS.held_until >= now(), _RUNS.held_by != _node(database)).order_by(_RUNS.id)
    with database.reading() as connection:
        return [*here, *connection.execute(elsewhere).scalars()]


def at_work(database: Database, run: str) -> bool:
    """Whether the run with this full id has an active process on any machine, even if that has not written anything yet."""
    if held(database.locks / f"{run}.lock"):
        return True
    if not database.shared:
        return False
    # Of this folder none is: its lock would be held.
    query = select(_RUNS.id).where(_RUNS.id == run, _RUNS.held_until >= now(), _RUNS.held_by != _node(database))
    with database.reading() as connection:
        return connection.execute(query).first() is not None


def had_here(database: Database, run: str) -> bool:
    """Whether the run was last executed from this machine's data folder, so that its workspace is on this disk."""
    if not database.shared:
        return True
    with database.reading() as connection:
        return connection.execute(select(_RUNS.held_by).where(_RUNS.id == run)).scalar() == _node(database)


def break_off(database: Database, connection: Connection) -> None:
    """Revoke expired leases: their processes may have stored blobs that nothing names yet."""
    if not database.shared:
        return
    late = update(schema.runs).where(_RUNS.held_until < now())
    connection.execute(late.values(fence=_RUNS.fence + 1, held_by=null(), held_until=null()))


def _node(database: Database) -> str:
    """The id of this machine's data folder in leases. Created on first use; processes that do so at the same time all get
    the same id."""
    file = database.locks / "node"
    try:
        return file.read_text(encoding="ascii")
    except FileNotFoundError:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = file.with_name(f"node-{secrets.token_hex(16)}")
        write_private(fresh, secrets.token_hex(16))
        with suppress(FileExistsError):
            os.link(fresh, file)
        fresh.unlink()
        return file.read_text(encoding="ascii")


def now() -> ColumnElement[float]:
    """Seconds since the epoch, by the server's clock."""
    return cast(func.extract("epoch", func.clock_timestamp()), Float)


def _end() -> ColumnElement[float]:
    return now() + SECONDS
