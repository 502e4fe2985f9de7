"""Where runs are kept: one database, one writer and one total order per run (DESIGN 3)."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter
from sqlalchemy import Connection, Engine, create_engine, event, insert, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or_ignore
from sqlalchemy.exc import DatabaseError, IntegrityError

from deskcrew.errors import JournalError, UsageError
from deskcrew.events import Body, Event, Header, RunFinished, RunInterrupted, RunStarted, body_digest, event_id
from deskcrew.journal import schema
from deskcrew.journal.fold import RunState
from deskcrew.journal.migrate import bring_up_to_date
from deskcrew.observation import Frozen

_BODY: TypeAdapter[Body] = TypeAdapter(Body)


@dataclass(frozen=True, slots=True)
class RunRow:
    """A line of ``deskcrew runs``. ``created``: Unix seconds; ``outcome`` None: still going, or interrupted."""

    id: str
    created: float
    task: str
    crew: str
    model: str
    outcome: str | None


class Store:
    """All runs of one user, in one database file. Safe for several processes: each writes its own run."""

    def __init__(self, path: Path) -> None:
        """Open, creating or migrating as needed. Raises JournalError when the file cannot be used."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._engine = _engine(path)
            bring_up_to_date(self._engine, path)
        except (DatabaseError, OSError) as error:
            raise _journal_error(error, path) from error

    def create(self, started: RunStarted, *, run: str | None = None) -> Journal:
        """Start a run. Its first event is committed before this returns."""
        run = run or time.strftime("%m%d-%H%M%S-") + secrets.token_hex(2)
        journal = Journal(self._engine, self.path, run)
        with _translated(self.path):
            journal.begin(started)
        return journal

    def journal(self, run: str) -> Journal:
        """An existing run, folded. ``run`` may be the start of an id, or ``last``. Raises UsageError when unknown."""
        journal = Journal(self._engine, self.path, self._resolve(run))
        with _translated(self.path):
            journal.load()
        return journal

    def runs(self, *, limit: int = 50) -> list[RunRow]:
        """The newest runs first."""
        query = select(schema.runs).order_by(schema.runs.c.created.desc()).limit(limit)
        with _translated(self.path), self._engine.connect() as connection:
            return [
                RunRow(id=row.id, created=row.created, task=row.task, crew=row.crew, model=row.model, outcome=row.outcome)
                for row in connection.execute(query)
            ]

    def close(self) -> None:
        self._engine.dispose()

    def _resolve(self, run: str) -> str:
        query = select(schema.runs.c.id).order_by(schema.runs.c.created.desc())
        if run != "last":
            query = query.where(schema.runs.c.id.startswith(run, autoescape=True))
        with _translated(self.path), self._engine.connect() as connection:
            found = list(connection.execute(query.limit(2)).scalars())
        if not found:
            raise UsageError(f"There is no run {run!r}.", hint="`deskcrew runs` lists them.")
        if run != "last" and len(found) > 1 and run not in found:
            raise UsageError(f"More than one run starts with {run!r}.", hint="Give more of its id.")
        return run if run in found else found[0]


class Journal:
    """The events of one run. Appending is cheap and in memory of the open transaction; :meth:`commit` makes it durable.

    Two commits a turn: one before an action starts, one after it was judged.
    """

    def __init__(self, engine: Engine, path: Path, run: str) -> None:
        self.run = run
        self.path = path
        self.state = RunState()
        self.events: list[Event] = []
        self.watchers: list[Callable[[Event], None]] = []
        """Called with every event as it is appended: the live display."""
        self._engine = engine
        self._open: Connection | None = None

    def begin(self, started: RunStarted) -> None:
        """Write the run's row and first event."""
        row = {"id": self.run, "created": time.time(), "task": started.task, "crew": started.crew, "model": started.model}
        try:
            self._connection().execute(insert(schema.runs).values(**row))
        except IntegrityError as error:
            raise UsageError(f"There is a run {self.run!r} already.") from error
        self.append(started)
        self.commit()

    def load(self) -> None:
        """Read and fold what is there."""
        query = select(schema.events).where(schema.events.c.run == self.run).order_by(schema.events.c.number)
        with self._engine.connect() as connection:
            for row in connection.execute(query):
                header = Header.model_validate_json(row.header)
                self._fold(Event(id=row.id, header=header, digest=row.digest, body=_BODY.validate_json(row.body)))

    def append(self, body: Body, *, lane: str = "", cause: Event | None = None) -> Event:
        """Add an event after the last one and fold it. Raises JournalError when the database cannot take it."""
        parent = self.events[-1].id if self.events else None
        header = Header(
            run=self.run,
            number=len(self.events) + 1,
            parent=parent,
            lane=lane,
            cause=cause.id if cause else None,
            time=round(time.time(), 6),
            type=body.type,
        )
        digest = body_digest(body)
        added = Event(id=event_id(header, digest), header=header, digest=digest, body=body)
        with _translated(self.path):
            self._connection().execute(insert(schema.events).values(**_row(added)))
        self._fold(added)
        for watcher in self.watchers:
            watcher(added)
        return added

    def blob(self, data: bytes | str) -> str:
        """Keep ``data`` and return its SHA-256 (hex). Keeping the same data twice costs nothing."""
        raw = data.encode() if isinstance(data, str) else data
        digest = hashlib.sha256(raw).hexdigest()
        with _translated(self.path):
            statement = insert_or_ignore(schema.blobs).values(digest=digest, data=raw).on_conflict_do_nothing()
            self._connection().execute(statement)
        return digest

    def read_blob(self, digest: str) -> bytes:
        """The bytes kept under ``digest``. Raises JournalError when there are none."""
        with _translated(self.path):
            found = self._connection().execute(select(schema.blobs.c.data).where(schema.blobs.c.digest == digest)).scalar()
        if found is None:
            raise JournalError(f"The journal lost a blob ({digest[:12]}).", hint="`deskcrew log RUN` shows what is left.")
        return bytes(found)

    def commit(self) -> None:
        """Make everything appended so far durable: on disk when this returns."""
        if self._open is None or not self.events:
            return
        last = self.events[-1]
        values: dict[str, str | None] = {"head": last.id}
        if isinstance(last.body, RunFinished):
            values["outcome"] = last.body.outcome.status
        elif isinstance(last.body, RunInterrupted):
            values["outcome"] = "interrupted"
        with _translated(self.path):
            self._open.execute(update(schema.runs).where(schema.runs.c.id == self.run).values(**values))
            self._open.commit()

    def close(self) -> None:
        """Commit and release. Safe to call twice."""
        if self._open is not None:
            self.commit()
            self._open.close()
            self._open = None

    def verify(self) -> list[str]:
        """What is wrong with the chain, one line each; empty when it holds."""
        problems: list[str] = []
        parent: str | None = None
        for event_ in self.events:
            if body_digest(event_.body) != event_.digest:
                problems.append(f"event {event_.number}: its content does not match its digest")
            if event_id(event_.header, event_.digest) != event_.id:
                problems.append(f"event {event_.number}: its id does not match its header")
            if event_.header.parent != parent:
                problems.append(f"event {event_.number}: its parent is not the event before it")
            parent = event_.id
        return problems

    def _fold(self, added: Event) -> None:
        self.events.append(added)
        self.state.apply(added)

    def _connection(self) -> Connection:
        if self._open is None:
            self._open = self._engine.connect()
        return self._open


def _row(added: Event) -> dict[str, object]:
    return {
        "id": added.id,
        "run": added.header.run,
        "number": added.number,
        "parent": added.header.parent,
        "header": added.header.model_dump_json(),
        "digest": added.digest,
        "body": _json(added.body),
    }


def _json(body: Frozen) -> str:
    return body.model_dump_json()


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}")

    def durable(connection: sqlite3.Connection, _: object) -> None:
        cursor = connection.cursor()
        # FULL: a commit is on the disk when it returns, also in WAL mode.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine, "connect", durable)
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
