"""Where runs are kept: one database, one writer and one total order per run (docs/design/journal.md)."""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import time
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Engine, Row, create_engine, event, func, insert, select, update
from sqlalchemy import text as sql
from sqlalchemy.dialects.sqlite import insert as insert_or_ignore
from sqlalchemy.exc import DatabaseError, IntegrityError

from deskcrew.errors import CrewMistake, JournalError, UsageError
from deskcrew.events import Body, Event, Header, Rewound, RunInterrupted, RunStarted, body_digest, event_id
from deskcrew.journal import schema
from deskcrew.journal.fold import RunState
from deskcrew.journal.migrate import bring_up_to_date
from deskcrew.journal.verify import Report, report
from deskcrew.observation import Frozen
from deskcrew.secrets.redactor import Redactor

HELD = 32 << 20
"""Bytes of blobs that may wait in memory for the next commit."""
_BODY: TypeAdapter[Body] = TypeAdapter(Body)
_IN_MEMORY = ":memory:"
_LOCKS = "locks"
_OURS = frozenset({"pictures", "secrets.json", "secrets.lock", "workspaces", _LOCKS})
"""What else a data folder holds."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A line of ``deskcrew runs``. ``created``: Unix seconds; ``outcome`` None: still going, or interrupted.

    ``imported``: it came from elsewhere; ``redacted``: texts of it were taken out before, so nothing proves what is shown.
    ``last``: type of its last event.
    """

    id: str
    created: float
    task: str
    crew: str
    model: str
    outcome: str | None
    imported: bool = False
    redacted: bool = False
    last: str = ""


class Store:
    """All runs of one user, in one database file. Safe for several processes: each writes its own run."""

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        """Open, creating or migrating as needed. Raises JournalError when the file cannot be used.

        ``durable``: a commit is on the disk when it returns. Only measurements of what that costs go without.
        """
        self.path = path
        try:
            if str(path) != _IN_MEMORY:
                _close_to_others(path)
            self._engine = _engine(path, durable=durable)
            bring_up_to_date(self._engine, path)
        except (DatabaseError, OSError) as error:
            raise _journal_error(error, path) from error

    def create(
        self, started: RunStarted, *, run: str | None = None, texts: Iterable[str] = (), redactor: Redactor | None = None
    ) -> Journal:
        """Start a run. Its first event, and the blobs ``texts`` that it names, are committed before this returns.
        ``redactor``: what everything goes through before it is kept."""
        run = run or time.strftime("%m%d-%H%M%S-") + secrets.token_hex(2)
        journal = Journal(self._engine, self.path, run)
        journal.redactor = redactor or journal.redactor
        started = journal.redactor.model(started)
        for text in texts:
            journal.blob(text)
        journal.begin(started)
        return journal

    def journal(self, run: str) -> Journal:
        """An existing run, folded. ``run`` may be the start of an id, or ``last``. Raises UsageError when unknown."""
        journal = self.unread(run)
        journal.load()
        return journal

    def unread(self, run: str) -> Journal:
        """As :meth:`journal`, without its events: also where they cannot be read any more."""
        return Journal(self._engine, self.path, self._resolve(run))

    def verified(self, run: str) -> Report:
        """Whether a run's rows are what was written; also where they cannot be folded. Raises UsageError when unknown."""
        with _translated(self.path), self._engine.connect() as connection:
            return report(connection, self._resolve(run))

    def runs(self, *, limit: int = 50) -> list[RunRow]:
        """The newest runs first; a ``limit`` of -1 is none."""
        names = ("id", "created", "task", "crew", "model", "outcome", "imported", "last")
        table = schema.events
        last = func.coalesce(func.json_extract(table.c.header, "$.type"), "").label("last")
        both = schema.runs.outerjoin(table, table.c.id == schema.runs.c.head)
        query = select(schema.runs, last).select_from(both).order_by(schema.runs.c.created.desc()).limit(limit)
        with _translated(self.path), self._engine.connect() as connection:
            rows = connection.execute(query).all()
            # Only what came from elsewhere can be without its texts.
            imported = [row.id for row in rows if row.imported]
            bare = set(connection.execute(select(table.c.run).where(table.c.run.in_(imported), table.c.redacted)).scalars())
            return [RunRow(**{name: getattr(row, name) for name in names}, redacted=row.id in bare) for row in rows]

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """One transaction, for whole runs that are brought here. What is raised inside undoes it."""
        with _translated(self.path), self._engine.begin() as connection:
            yield connection

    def vacuum(self) -> None:
        """Give what is free in the file back to the disk. Raises JournalError where there is no room for that, or another
        process is in the middle of something."""
        with _translated(self.path), self._engine.connect() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            alone.execute(sql("VACUUM"))
            alone.execute(sql("PRAGMA wal_checkpoint(TRUNCATE)"))

    def close(self) -> None:
        self._engine.dispose()

    def _resolve(self, run: str) -> str:
        if not run.strip():
            raise UsageError("The name of the run is empty.", hint="`deskcrew runs` lists them.")
        ids = schema.runs.c.id
        query = select(ids)
        if run == "last":
            query = query.order_by(schema.runs.c.created.desc())
        else:
            # By id, so that an exact one comes before longer ones that start with it.
            query = query.where(ids.startswith(run, autoescape=True)).order_by(ids)
        with _translated(self.path), self._engine.connect() as connection:
            found = list(connection.execute(query.limit(2)).scalars())
        if not found:
            raise UsageError(f"There is no run {run!r}.", hint="`deskcrew runs` lists them.")
        if len(found) > 1 and run not in ("last", found[0]):
            raise UsageError(f"More than one run starts with {run!r}.", hint="Give more of its id.")
        return found[0]


class Journal:
    """The events of one run. Appending only remembers; :meth:`commit` writes all of it in one short transaction.

    Two commits a turn: one before an action starts, one after it was judged. Between them the database is not locked, so
    that runs of other processes never wait for this one's model. What could not be committed is kept and written by the
    next commit, so a full disk breaks no chain.
    """

    def __init__(self, engine: Engine, path: Path, run: str) -> None:
        self.run = run
        self.path = path
        self.state = RunState()
        self.events: list[Event] = []
        """The current branch: from the run's first event to its head."""
        self.all: list[Event] = []
        """Every event of the run in the order of their numbers, also those of branches that were left."""
        self.redacted: set[str] = set()
        """Ids of events whose texts were taken out before they came here."""
        self.watchers: list[Callable[[Event], None]] = []
        """Called with every event as it is appended: the live display."""
        self.redactor = Redactor()
        """Whatever is kept goes through it: no value of a secret is written, whoever brings it."""
        self.database = engine
        self._row: dict[str, object] | None = None
        self._pending: list[Event] = []
        self._blobs: dict[str, bytes] = {}
        self._held = 0

    def begin(self, started: RunStarted) -> None:
        """Write the run's row and first event. Raises UsageError when there is a run of this name."""
        self._row = {
            "id": self.run,
            "created": time.time(),
            "task": started.task,
            "crew": started.crew,
            "model": started.model,
        }
        self.append(started)
        self.commit()

    def load(self) -> None:
        """Read what is there and fold the branch that was worked on last. Raises JournalError for what cannot be an event
        of this version."""
        number = 0
        try:
            for row in self._rows():
                number = row.number
                header = Header.model_validate_json(row.header)
                self.all.append(Event(id=row.id, header=header, digest=row.digest, body=_BODY.validate_json(row.body)))
                if row.redacted:
                    self.redacted.add(row.id)
            if self.all:
                self._stand(self.all[-1])
        except (ValidationError, CrewMistake) as error:
            raise JournalError(
                f"Event {number} of run {self.run} cannot be read: it was changed, or written by a newer Deskcrew."
            ) from error

    def event(self, number: int) -> Event:
        """The event of that number, on whatever branch. Raises UsageError when there is none."""
        if not 1 <= number <= len(self.all):
            raise UsageError(f"Run {self.run} has the events 1 to {len(self.all)}.", hint=f"`deskcrew log {self.run}`.")
        return self.all[number - 1]

    def lineage(self, number: int) -> list[Event]:
        """The branch that ends in the event of that number, oldest first. Raises UsageError when there is none."""
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

    def branch_at(self, parent: Event, body: Rewound) -> Event:
        """Leave this branch and begin one after ``parent``: ``body`` is its first event. Nothing of the old one is lost."""
        self._stand(parent)
        return self.append(body)

    def _stand(self, head: Event) -> None:
        """Make ``head`` the last event of the current branch, and its fold the state."""
        self.events, self.state = path_to(self.all, head), RunState()
        for event_ in self.events:
            self.state.apply(event_)

    def append(self, body: Body, *, lane: str = "", cause: Event | None = None) -> Event:
        """Add an event after the last one and fold it. It is on disk after the next :meth:`commit`."""
        body = self.redactor.model(body)
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

    def blob(self, data: bytes | str) -> str:
        """Keep ``data`` and return its SHA-256 (hex). Keeping the same data twice costs nothing."""
        raw = self.redactor.data(data.encode() if isinstance(data, str) else data)
        digest = hashlib.sha256(raw).hexdigest()
        self._blobs[digest] = raw
        self._held += len(raw)
        if self._held > HELD:
            self._write_blobs()
        return digest

    def _write_blobs(self) -> None:
        """Those that wait for the next commit, by themselves: blobs that no event names harm nobody."""
        with _translated(self.path), self.database.begin() as connection:
            self._put(connection)
        self._blobs.clear()
        self._held = 0

    def _put(self, connection: Connection) -> None:
        rows = [{"digest": digest, "data": data} for digest, data in self._blobs.items()]
        connection.execute(insert_or_ignore(schema.blobs).on_conflict_do_nothing(), rows)

    def read_blob(self, digest: str) -> bytes:
        """The bytes kept under ``digest``. Raises JournalError when there are none, or others."""
        found = self._blobs.get(digest)
        if found is None:
            query = select(schema.blobs.c.data).where(schema.blobs.c.digest == digest)
            with _translated(self.path), self.database.connect() as connection:
                found = connection.execute(query).scalar()
        if found is None or hashlib.sha256(found).hexdigest() != digest:
            what = "lost" if found is None else "holds other data than it was given for"
            raise JournalError(
                f"The journal {what} a blob ({digest[:12]}).", hint="`deskcrew verify RUN` says what is wrong."
            )
        return bytes(found)

    def commit(self) -> None:
        """Make everything appended so far durable: on disk when this returns. Raises JournalError when it cannot be."""
        if not self._pending and not self._blobs:
            return
        try:
            with _translated(self.path), self.database.begin() as connection:
                self._write(connection)
        except IntegrityError as error:
            if self._row is not None:
                raise UsageError(f"There is a run {self.run!r} already.") from error
            raise JournalError(
                f"Another process went on with run {self.run}.", hint="Its events are kept; what this one did since is not."
            ) from error
        self._row = None
        self._pending.clear()
        self._blobs.clear()
        self._held = 0

    @contextmanager
    def claimed(self) -> Generator[None]:
        """Be the only process that goes on with this run. The claim ends with the process, however it ends.

        Raises UsageError when another has it, and for a run that was imported.
        """
        if self._imported():
            raise UsageError(
                f"Run {self.run} was imported: it can be looked at and replayed, but not changed or gone on with.",
                hint="Its workspace is a folder of another machine. Start its task anew here: deskcrew run TASK",
            )
        with self.alone():
            yield

    @contextmanager
    def alone(self) -> Generator[None]:
        """Keep other processes from this run. Raises UsageError when another is at it."""
        lock = FileLock(self.path.parent / _LOCKS / f"{self.run}.lock", blocking=False)
        Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(
                f"Run {self.run} is going on in another process.", hint="Wait for it, or stop it there with Ctrl-C."
            ) from None
        try:
            yield
        finally:
            lock.release()

    def close(self) -> None:
        """Commit. Safe to call twice."""
        self.commit()

    def verify(self) -> list[str]:
        """What is wrong with what is on disk, one line each; empty when the chain holds."""
        with _translated(self.path), self.database.connect() as connection:
            return list(report(connection, self.run).problems)

    def _write(self, connection: Connection) -> None:
        if self._row is not None:
            connection.execute(insert(schema.runs).values(**self._row))
        if self._blobs:
            self._put(connection)
        if not self._pending:
            return
        connection.execute(insert(schema.events), [_row(event_) for event_ in self._pending])
        last = self._pending[-1]
        ended = self.state.outcome.status if self.state.outcome else None
        outcome = ended or ("interrupted" if isinstance(last.body, RunInterrupted) else None)
        values: dict[str, str | None] = {"head": last.id, "outcome": outcome}
        connection.execute(update(schema.runs).where(schema.runs.c.id == self.run).values(**values))

    def _imported(self) -> bool:
        query = select(schema.runs.c.imported).where(schema.runs.c.id == self.run)
        with _translated(self.path), self.database.connect() as connection:
            return bool(connection.execute(query).scalar())

    def _rows(self) -> Sequence[Row[Any]]:
        query = select(schema.events).where(schema.events.c.run == self.run).order_by(schema.events.c.number)
        with _translated(self.path), self.database.connect() as connection:
            return connection.execute(query).all()

    def _fold(self, added: Event) -> None:
        # In this order: an event that cannot be folded is a bug of ours, and does not get into the journal.
        self.state.apply(added)
        self.events.append(added)
        self.all.append(added)


def path_to(events: Sequence[Event], head: Event) -> list[Event]:
    """The branch that ends in ``head``, oldest first. ``events``: all of the run, by number.

    Raises JournalError when a parent is missing.
    """
    by_id = {event_.id: event_ for event_ in events}
    path = [head]
    while (parent := path[-1].header.parent) is not None:
        if parent not in by_id:
            at = path[-1]
            raise JournalError(
                f"The record is not what was written: event {at.number} follows an event that is not there.",
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


def _close_to_others(path: Path) -> None:
    """Make folder and file where they are missing. Nobody else on this machine may read them: they hold what was on the
    screen and what was typed. What is there already and open to others is closed, a folder only if it holds nothing else.
    """
    folder = path.parent
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        # SQLite gives the files beside it the rights of this one.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    files = [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]
    for file in files:
        _tighten(file, 0o600)
    if {entry.name for entry in folder.iterdir()} <= _OURS | {file.name for file in files}:
        _tighten(folder, 0o700)


def _tighten(path: Path, most: int) -> None:
    # Gone since, or on a disk that cannot be written: then it stays as it is.
    with suppress(OSError):
        found = path.stat()
        if found.st_uid == os.geteuid() and found.st_mode & 0o077:
            path.chmod(found.st_mode & most)


def _engine(path: Path, *, durable: bool) -> Engine:
    engine = create_engine(f"sqlite:///{path}")

    # FULL: a commit is on the disk when it returns, also in WAL mode.
    synchronous = "FULL" if durable else "OFF"

    def prepare(connection: sqlite3.Connection, _: object) -> None:
        cursor = connection.cursor()
        # The timeout first: the others may have to wait.
        for pragma in ("busy_timeout=10000", "journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine, "connect", prepare)
    return engine


class _translated:
    """Turns the database's errors into a JournalError that says what to do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, DatabaseError) and not isinstance(error, IntegrityError):
            raise _journal_error(error, self._path) from error


def _journal_error(error: Exception, path: Path) -> JournalError:
    text = str(getattr(error, "orig", None) or error)
    if "full" in text or "No space" in text:
        return JournalError(f"The disk is full: the journal {path} cannot be written.", hint="Free some space and go on.")
    return JournalError(f"The journal {path} cannot be used: {text}.", hint="Set another folder with --data.")


def events_of(journal: Journal, *types: type[Frozen]) -> Iterator[Event]:
    """The events whose body is one of ``types``, oldest first."""
    return (event_ for event_ in journal.events if isinstance(event_.body, types))
