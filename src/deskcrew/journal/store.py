"""Where runs are kept: one database, one writer and one total order per run (DESIGN 3)."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Engine, Row, create_engine, event, insert, select, update
from sqlalchemy.dialects.sqlite import insert as insert_or_ignore
from sqlalchemy.exc import DatabaseError, IntegrityError

from deskcrew.errors import CrewMistake, JournalError, UsageError
from deskcrew.events import Body, Event, Header, RunFinished, RunInterrupted, RunStarted, body_digest, event_id
from deskcrew.journal import schema
from deskcrew.journal.fold import RunState
from deskcrew.journal.migrate import bring_up_to_date
from deskcrew.journal.verify import problems
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

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        """Open, creating or migrating as needed. Raises JournalError when the file cannot be used.

        ``durable``: a commit is on the disk when it returns. Only measurements of what that costs go without.
        """
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._engine = _engine(path, durable=durable)
            bring_up_to_date(self._engine, path)
        except (DatabaseError, OSError) as error:
            raise _journal_error(error, path) from error

    def create(self, started: RunStarted, *, run: str | None = None) -> Journal:
        """Start a run. Its first event is committed before this returns."""
        run = run or time.strftime("%m%d-%H%M%S-") + secrets.token_hex(2)
        journal = Journal(self._engine, self.path, run)
        journal.begin(started)
        return journal

    def journal(self, run: str) -> Journal:
        """An existing run, folded. ``run`` may be the start of an id, or ``last``. Raises UsageError when unknown."""
        journal = Journal(self._engine, self.path, self._resolve(run))
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
        self.watchers: list[Callable[[Event], None]] = []
        """Called with every event as it is appended: the live display."""
        self._engine = engine
        self._row: dict[str, object] | None = None
        self._pending: list[Event] = []
        self._blobs: dict[str, bytes] = {}

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
        """Read and fold what is there. Raises JournalError for what cannot be an event of this version."""
        for row in self._rows():
            try:
                header = Header.model_validate_json(row.header)
                self._fold(Event(id=row.id, header=header, digest=row.digest, body=_BODY.validate_json(row.body)))
            except (ValidationError, CrewMistake) as error:
                raise JournalError(
                    f"Event {row.number} of run {self.run} cannot be read: it was changed, or written by a newer Deskcrew."
                ) from error

    def append(self, body: Body, *, lane: str = "", cause: Event | None = None) -> Event:
        """Add an event after the last one and fold it. It is on disk after the next :meth:`commit`."""
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
        self._fold(added)
        self._pending.append(added)
        for watcher in self.watchers:
            watcher(added)
        return added

    def blob(self, data: bytes | str) -> str:
        """Keep ``data`` and return its SHA-256 (hex). Keeping the same data twice costs nothing."""
        raw = data.encode() if isinstance(data, str) else data
        digest = hashlib.sha256(raw).hexdigest()
        self._blobs[digest] = raw
        return digest

    def read_blob(self, digest: str) -> bytes:
        """The bytes kept under ``digest``. Raises JournalError when there are none, or others."""
        found = self._blobs.get(digest)
        if found is None:
            query = select(schema.blobs.c.data).where(schema.blobs.c.digest == digest)
            with _translated(self.path), self._engine.connect() as connection:
                found = connection.execute(query).scalar()
        if found is None or hashlib.sha256(found).hexdigest() != digest:
            what = "lost" if found is None else "holds other data than it was given for"
            raise JournalError(f"The journal {what} a blob ({digest[:12]}).", hint="`deskcrew log RUN` shows what is left.")
        return bytes(found)

    def commit(self) -> None:
        """Make everything appended so far durable: on disk when this returns. Raises JournalError when it cannot be."""
        if not self._pending and not self._blobs:
            return
        try:
            with _translated(self.path), self._engine.begin() as connection:
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

    def close(self) -> None:
        """Commit. Safe to call twice."""
        self.commit()

    def verify(self) -> list[str]:
        """What is wrong with what is on disk, one line each; empty when the chain holds."""
        with _translated(self.path), self._engine.connect() as connection:
            return problems(connection, self.run)

    def _write(self, connection: Connection) -> None:
        if self._row is not None:
            connection.execute(insert(schema.runs).values(**self._row))
        if self._blobs:
            rows = [{"digest": digest, "data": data} for digest, data in self._blobs.items()]
            connection.execute(insert_or_ignore(schema.blobs).on_conflict_do_nothing(), rows)
        if not self._pending:
            return
        connection.execute(insert(schema.events), [_row(event_) for event_ in self._pending])
        last = self._pending[-1]
        values: dict[str, str | None] = {"head": last.id}
        if isinstance(last.body, RunFinished):
            values["outcome"] = last.body.outcome.status
        elif isinstance(last.body, RunInterrupted):
            values["outcome"] = "interrupted"
        connection.execute(update(schema.runs).where(schema.runs.c.id == self.run).values(**values))

    def _rows(self) -> Sequence[Row[Any]]:
        query = select(schema.events).where(schema.events.c.run == self.run).order_by(schema.events.c.number)
        with _translated(self.path), self._engine.connect() as connection:
            return connection.execute(query).all()

    def _fold(self, added: Event) -> None:
        # In this order: an event that cannot be folded is a bug of ours, and does not get into the journal.
        self.state.apply(added)
        self.events.append(added)


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
