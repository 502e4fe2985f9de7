"""Where runs are kept: one database, and finding, starting and listing runs in it (docs/design/journal.md)."""

from __future__ import annotations

import secrets
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, select
from sqlalchemy import text as sql
from sqlalchemy.exc import DatabaseError

from deskcrew.errors import UsageError
from deskcrew.events import RunStarted
from deskcrew.journal import schema
from deskcrew.journal.database import close_to_others, connected, journal_error, translated
from deskcrew.journal.journal import Journal
from deskcrew.journal.migrate import bring_up_to_date
from deskcrew.journal.verify import Report, report
from deskcrew.secrets.redactor import Redactor

_IN_MEMORY = ":memory:"


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
                close_to_others(path)
            self._engine = connected(path, durable=durable)
            bring_up_to_date(self._engine, path)
        except (DatabaseError, OSError) as error:
            raise journal_error(error, path) from error

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
        with translated(self.path), self._engine.connect() as connection:
            return report(connection, self._resolve(run))

    def runs(self, *, limit: int = 50) -> list[RunRow]:
        """The newest runs first; a ``limit`` of -1 is none."""
        names = ("id", "created", "task", "crew", "model", "outcome", "imported", "last")
        table = schema.events
        last = func.coalesce(func.json_extract(table.c.header, "$.type"), "").label("last")
        both = schema.runs.outerjoin(table, table.c.id == schema.runs.c.head)
        query = select(schema.runs, last).select_from(both).order_by(schema.runs.c.created.desc()).limit(limit)
        with translated(self.path), self._engine.connect() as connection:
            rows = connection.execute(query).all()
            # Only what came from elsewhere can be without its texts.
            imported = [row.id for row in rows if row.imported]
            bare = set(connection.execute(select(table.c.run).where(table.c.run.in_(imported), table.c.redacted)).scalars())
            return [RunRow(**{name: getattr(row, name) for name in names}, redacted=row.id in bare) for row in rows]

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """One transaction, for whole runs that are brought here. What is raised inside undoes it."""
        with translated(self.path), self._engine.begin() as connection:
            yield connection

    def vacuum(self) -> None:
        """Give what is free in the file back to the disk. Raises JournalError where there is no room for that, or another
        process is in the middle of something."""
        with translated(self.path), self._engine.connect() as connection:
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
        with translated(self.path), self._engine.connect() as connection:
            found = list(connection.execute(query.limit(2)).scalars())
        if not found:
            raise UsageError(f"There is no run {run!r}.", hint="`deskcrew runs` lists them.")
        if len(found) > 1 and run not in ("last", found[0]):
            raise UsageError(f"More than one run starts with {run!r}.", hint="Give more of its id.")
        return found[0]
