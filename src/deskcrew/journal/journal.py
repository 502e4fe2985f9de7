"""The events of one run: appended, folded, and committed together (docs/design/journal.md)."""

from __future__ import annotations

import hashlib
import time
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Row, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from deskcrew.errors import CrewMistake, JournalError, JournalUnreachable, UsageError
from deskcrew.facts.events import (
    AttemptsCompared,
    AttemptsShown,
    Body,
    Event,
    Header,
    LanesOpened,
    Rewound,
    RunFinished,
    RunInterrupted,
    RunResumed,
    RunStarted,
    body_digest,
    event_id,
)
from deskcrew.facts.observation import Frozen
from deskcrew.journal import schema
from deskcrew.journal.chain_heads import Heads, Why
from deskcrew.journal.database import Database
from deskcrew.journal.fold import RunState, folded
from deskcrew.journal.leases import Lease, leased
from deskcrew.journal.verify import report
from deskcrew.secrets.redactor import Redactor

if TYPE_CHECKING:
    from deskcrew.journal.floor import Floor

GLANCE = 0.5
"""Seconds after which a lock on a run means that a process is working on it, not just checking whether one is."""
HELD = 32 << 20
"""Bytes of blobs that may wait in memory for the next commit."""
REMEMBERED = 4 << 20
"""Bytes of blobs to cache, so that a turn need not read again what the turn before it wrote."""
OF_THE_RUN = (RunStarted, LanesOpened, RunResumed, RunFinished, AttemptsShown, AttemptsCompared, RunInterrupted)
"""Types of events that belong to no lane, whichever lane has the floor."""
_BODY: TypeAdapter[Body] = TypeAdapter(Body)


_RUNS = schema.runs.c
_KEEP_EVENTS = insert(schema.events)
_COLUMNS = ("id", "run", "number", "parent", "header", "digest", "body")
_MOVE_HEAD = (
    update(schema.runs).where(_RUNS.id == bindparam("of")).values(head=bindparam("last"), outcome=bindparam("ended"))
)
_OF_NOBODY = _MOVE_HEAD.where(_RUNS.held_until.is_(None))
_OURS = _MOVE_HEAD.where(_RUNS.fence == bindparam("ours"))


class Journal:
    """The events of one run. Appending only buffers; :meth:`commit` writes everything in one short transaction.

    There are three commits a turn: before an action starts, after it has ended, and after it was judged. In between the
    database is not locked, so that runs of other processes never wait for this run's model. Events that could not be
    committed are kept and written by the next commit, so a full disk breaks no chain.
    """

    def __init__(self, database: Database, run: str) -> None:
        self.run = run
        self.database = database
        self.state = RunState()
        self.events: list[Event] = []
        """The current branch: from the run's first event to its head."""
        self.all: list[Event] = []
        """All events of the run by number, including those of branches that were left."""
        self.redacted: set[str] = set()
        """Ids of events whose texts were removed before the run was imported."""
        self.watchers: list[Callable[[Event], None]] = []
        """Functions that are called with every event as it is appended, such as the live display."""
        self.redactor = Redactor()
        """Applied to everything before it is stored, so that no secret's value is written."""
        self.moved = False
        """Whether another machine executed the run before this process took it."""
        self._fence: int | None = None
        """The run's fence as this process raised it when it took the run; None before."""
        self._unsure = False
        """Whether the connection broke during a commit, so that it is unknown whether the commit succeeded."""
        self._row: dict[str, object] | None = None
        self._pending: list[Event] = []
        self._blobs: dict[str, bytes] = {}
        self._held = 0
        self._room = REMEMBERED
        self._remembered: dict[str, bytes] = {}
        """Cached blobs whose digests were computed in this process, least recently used first."""
        self._unnoted: Event | None = None
        """The last event that this process wrote, if it is not yet noted outside the journal."""

    @cached_property
    def floor(self) -> Floor:
        """The floor, which decides which open lane may append. Created on first use: readers need no event loop, which is
        slow to import."""
        from deskcrew.journal.floor import Floor

        return Floor(lambda: self.state)

    @property
    def path(self) -> Path:
        """The file beside which this machine keeps its own data about runs."""
        return self.database.path

    def begin(self, started: RunStarted) -> None:
        """Write the run's row and its first event. Raises UsageError if there already is a run with this id."""
        listed = schema.listed(time.time(), started.task, started.crew, started.model)
        self._row = listed | {"id": self.run, "person": started.person}
        self.append(started)
        self.commit()

    def load(self) -> None:
        """Read all events and fold the latest branch. Raises JournalError if this version cannot read one of the events."""
        self._read()

    def _read(self) -> None:
        """Read the events that are not loaded yet, and make the last one the head."""
        known = number = len(self.all)
        try:
            for row in self._rows(known):
                number = row.number
                header = Header.model_validate_json(row.header)
                self.all.append(Event(id=row.id, header=header, digest=row.digest, body=_BODY.validate_json(row.body)))
                if row.redacted:
                    self.redacted.add(row.id)
            if len(self.all) > known:
                self._stand(self.all[-1])
        except (ValidationError, CrewMistake) as error:
            raise JournalError(
                f"Event {number} of run {self.run} cannot be read: it was changed, or written by a newer Deskcrew."
            ) from error

    def catch_up(self) -> list[Event]:
        """Read the events that another process has written since. Returns the new ones of its current branch, oldest first.
        Raises JournalError like :meth:`load`."""
        older = {event_.id for event_ in self.events}
        self._read()
        return [event_ for event_ in self.events if event_.id not in older]

    def event(self, number: int) -> Event:
        """The event with this number, on any branch. Raises UsageError if there is none."""
        if not 1 <= number <= len(self.all):
            raise UsageError(f"Run {self.run} has the events 1 to {len(self.all)}.", hint=f"`deskcrew log {self.run}`.")
        return self.all[number - 1]

    def lineage(self, number: int) -> list[Event]:
        """The events of the branch that ends in event ``number``, oldest first. Raises UsageError if there is none."""
        return path_to(self.all, self.event(number))

    def since(self, event_: Event) -> list[Event]:
        """The events of the current branch after ``event_``, oldest first."""
        return self.events[self._place(event_) + 1 :]

    def before(self, event_: Event) -> list[Event]:
        """The events of the current branch before ``event_``, oldest first."""
        return self.events[: self._place(event_)]

    def _place(self, event_: Event) -> int:
        # Numbers grow along a branch, but have gaps where another branch was worked on.
        return bisect_left(self.events, event_.number, key=lambda known: known.number)

    def branch_at(self, parent: Event, body: Rewound, *, lane: str = "") -> Event:
        """Leave this branch and begin one after ``parent`` with ``body`` as its first event. The old branch is kept.
        ``lane``: the lane of the rejected reply."""
        self._stand(parent)
        self.state.enter(lane)
        return self.append(body)

    def _stand(self, head: Event) -> None:
        """Make the branch that ends in ``head`` the current one, and fold it."""
        self.events = path_to(self.all, head)
        self.state = folded(self.events)

    def append(self, body: Body, *, lane: str = "", cause: Event | None = None) -> Event:
        """Add an event after the last one and fold it. It is on disk after the next :meth:`commit`. ``lane``: label of the
        subtask it belongs to; ignored while lanes are open, when it is the lane that has the floor."""
        body, lane = self.redactor.model(body), self.lane_of(body, lane)
        parent = self.events[-1].id if self.events else None
        header = Header(
            run=self.run,
            number=len(self.all) + 1,
            parent=parent,
            lane=lane,
            cause=cause.id if cause else None,
            time=round(time.time(), 6),
            type=body.type,
        )
        digest = body_digest(body)
        added = Event(id=event_id(header, digest), header=header, digest=digest, body=body)
        self._fold(added)
        self._pending.append(added)
        for watcher in self.watchers:
            watcher(added)
        return added

    def lane_of(self, body: Body, lane: str) -> str:
        """The lane label for a new event with this body."""
        if isinstance(body, OF_THE_RUN):
            return ""
        return self.state.floor if self.state.lanes else lane

    @property
    def latest(self) -> Event:
        """The last event of the lane that has the floor."""
        floor = self.state.floor
        return next(event_ for event_ in reversed(self.events) if not floor or event_.header.lane == floor)

    def blob(self, data: bytes | str) -> str:
        """Store ``data`` and return its SHA-256 (hex). Storing the same data twice costs nothing."""
        raw = self.redactor.data(data.encode() if isinstance(data, str) else data)
        digest = hashlib.sha256(raw).hexdigest()
        self._blobs[digest] = raw
        self._held += len(raw)
        if self._held > HELD:
            self._write_blobs()
        return digest

    def _write_blobs(self) -> None:
        """Write the waiting blobs ahead of the next commit: blobs that no event names do no harm."""
        with self.database.writing() as connection:
            self.database.naming(connection)
            self.database.blobs.put(connection, self._blobs)
        self._written()

    def _written(self) -> None:
        """Move the blobs that have been written from the waiting ones to the cache."""
        for digest, data in self._blobs.items():
            self._remember(digest, data)
        self._blobs.clear()
        self._held = 0

    def _remember(self, digest: str, data: bytes) -> bytes:
        self._room += len(self._remembered.pop(digest, b"")) - len(data)
        self._remembered[digest] = data
        while self._room < 0:
            self._room += len(self._remembered.pop(next(iter(self._remembered))))
        return data

    def read_blob(self, digest: str) -> bytes:
        """The bytes stored under ``digest``. Raises JournalError if they are missing or do not match it."""
        found = self._blobs.get(digest)
        if found is not None:
            return found
        if (found := self._remembered.get(digest)) is not None:
            return self._remember(digest, found)
        with self.database.reading() as connection:
            found = self.database.blobs.get(connection, digest)
        if found is None or hashlib.sha256(found).hexdigest() != digest:
            what = "lost" if found is None else "holds wrong data for"
            raise JournalError(
                f"The journal {what} a blob ({digest[:12]}).", hint="`deskcrew verify RUN` says what is wrong."
            )
        return self._remember(digest, bytes(found))

    def commit(self) -> None:
        """Make everything appended so far durable: on disk when this returns. Raises JournalError if that fails."""
        if not self._pending and not self._blobs:
            return
        try:
            self._write()
        except JournalUnreachable:
            # It was there a moment ago. Waits until it is again, or raises.
            self._unsure = True
            self._write()
        self._row = None
        last = self._pending[-1] if self._pending else None
        self._pending.clear()
        self._written()
        if last is not None:
            self._unnoted = last
        if last is not None and (self.state.outcome is not None or isinstance(last.body, RunInterrupted)):
            self._note("interrupted" if isinstance(last.body, RunInterrupted) else "finished")

    def _note(self, why: Why) -> None:
        """Record the last event outside the journal as well."""
        last, self._unnoted = self._unnoted, None
        if last is not None:
            Heads(self.path).add(self.run, last.number, last.id, why)

    @contextmanager
    def claimed(self) -> Generator[Lease | None]:
        """Lock this run in order to continue it. The lock ends with the process, however that ends. Yields the lease if
        several machines share the database, else None.

        Raises UsageError if another process has the run, or if the run was imported.
        """
        if self.imported():
            raise UsageError(
                f"Run {self.run} was imported: it can be inspected and replayed, but not changed or continued.",
                hint="Its workspace is a folder of another machine. Start its task again here: deskcrew run TASK",
            )
        with self.alone() as lease:
            yield lease

    @contextmanager
    def alone(self) -> Generator[Lease | None]:
        """Lock this run against other processes, imported or not; yields the same as :meth:`claimed`. Raises UsageError if
        another process is working on it."""
        # Not at once: whoever only looks whether somebody is at it holds the lock for a moment (`busy`).
        lock = FileLock(self.database.locks / f"{self.run}.lock", timeout=GLANCE, poll_interval=GLANCE / 10)
        self.database.locks.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(
                f"Run {self.run} is running in another process.", hint="Wait for it, or stop it there with Ctrl-C."
            ) from None
        try:
            with leased(self.database, self.run) as lease:
                if lease is not None:
                    self._fence, self.moved = lease
                yield lease
        finally:
            lock.release()

    def close(self) -> None:
        """Commit, and record the last event outside the journal if this process wrote it. Safe to call twice."""
        self.commit()
        self._note("left")

    def verify(self) -> list[str]:
        """The problems of the run on disk, one line each; empty if the hash chain holds."""
        return list(report(self.database, self.run, Heads(self.path).of(self.run)).problems)

    def check_intact(self) -> None:
        """Raise JournalError if the record on disk is not what was written, so that nothing may build on it."""
        if problems := self.verify():
            raise JournalError(
                f"The record of run {self.run} is not what was written: {problems[0]}.",
                hint=f"Nothing was changed. See: deskcrew verify {self.run}",
            )

    def _write(self) -> None:
        """Commit what is pending exactly once, even if it is unknown whether an earlier commit succeeded."""
        try:
            with self.database.writing() as connection:
                pending = self._unwritten(connection) if self._unsure else self._pending
                if pending:
                    self._move_head(connection, pending[-1])
                else:
                    self.database.naming(connection)
                self.database.blobs.put(connection, self._blobs)
                if pending:
                    keep = self.database.text(_KEEP_EVENTS, *_COLUMNS)
                    connection.exec_driver_sql(keep, [_row(event_) for event_ in pending])
        except IntegrityError as error:
            if self._row is not None:
                raise UsageError(f"There already is a run {self.run!r}.") from error
            raise self._overtaken() from error
        self._unsure = False

    def _unwritten(self, connection: Connection) -> list[Event]:
        """The pending events that are not in the journal. An event's id is a hash of its content, so this is certain."""
        ids = schema.events.c.id
        there = set(connection.execute(select(ids).where(ids.in_([event_.id for event_ in self._pending]))).scalars())
        if there:
            self._row = None
        return [event_ for event_ in self._pending if event_.id not in there]

    def _move_head(self, connection: Connection, last: Event) -> None:
        """Make ``last`` the run's last event. A commit begins with this: either another process that takes over the run
        waits for it, or it is refused; and no blob is removed from here on."""
        if self._row is not None:
            connection.execute(insert(schema.runs).values(**self._row))
        ended = self.state.outcome.status if self.state.outcome else None
        outcome = ended or ("interrupted" if isinstance(last.body, RunInterrupted) else None)
        values: dict[str, object] = {"of": self.run, "last": last.id, "ended": outcome}
        move = _OF_NOBODY
        if self._fence is not None:
            move, values["ours"] = _OURS, self._fence
        if not connection.exec_driver_sql(self.database.text(move), values).rowcount:
            raise self._overtaken()

    def _overtaken(self) -> JournalError:
        hint = "The other process's events are kept; what this process did since is not."
        return JournalError(f"Another process continued run {self.run}.", hint=hint)

    def imported(self) -> bool:
        """Whether the run was imported: then it can be inspected, but not continued."""
        query = select(schema.runs.c.imported).where(schema.runs.c.id == self.run)
        with self.database.reading() as connection:
            return bool(connection.execute(query).scalar())

    def _rows(self, after: int = 0) -> Sequence[Row[Any]]:
        table = schema.events
        query = select(table).where(table.c.run == self.run, table.c.number > after).order_by(table.c.number)
        with self.database.reading() as connection:
            return connection.execute(query).all()

    def _fold(self, added: Event) -> None:
        # In this order: an event that cannot be folded is a bug of ours, and does not get into the journal.
        self.state.apply(added)
        self.events.append(added)
        self.all.append(added)


def path_to(events: Sequence[Event], head: Event) -> list[Event]:
    """The events of the branch that ends in ``head``, oldest first. ``events``: all events of the run, by number.

    Raises JournalError if a parent is missing.
    """
    by_id = {event_.id: event_ for event_ in events}
    path = [head]
    while (parent := path[-1].header.parent) is not None:
        if parent not in by_id:
            at = path[-1]
            raise JournalError(
                f"The record is not what was written: event {at.number} follows a missing event.",
                hint=f"deskcrew verify {at.header.run}",
            )
        path.append(by_id[parent])
    return path[::-1]


def _row(added: Event) -> dict[str, object]:
    return {
        "id": added.id,
        "run": added.header.run,
        "number": added.number,
        "parent": added.header.parent,
        "header": added.header.model_dump_json(),
        "digest": added.digest,
        "body": added.body.model_dump_json(),
    }


def events_of(journal: Journal, *types: type[Frozen]) -> Iterator[Event]:
    """The events whose body is one of ``types``, oldest first."""
    return (event_ for event_ in journal.events if isinstance(event_.body, types))
