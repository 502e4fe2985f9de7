"""The database of the journal, whichever it is: transactions, errors in a user's words, and what each does in its own way.
Memory has one, too.

There are two: a file (``sqlite.py``) and a server that many machines share (``postgres.py``). Statements are SQLAlchemy's or
written so that both take them. What JSON holds is asked with SQLite's ``json_extract``, which PostgreSQL is given
(``schema.py``).
"""

from __future__ import annotations

import re
import weakref
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Insert, Table, Update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DatabaseError, IntegrityError

from deskcrew.errors import JournalError
from deskcrew.journal import schema
from deskcrew.journal.blobs import Blobs, InTable

LOCKS = "locks"
"""The folder of the locks that processes of this machine have on their runs."""
_NAMED = re.compile(r"(?<!:):(\w+)")


def shown(address: str) -> str:
    """The address of a server as people are shown it, without its options: one of them may be a password."""
    return address.partition("?")[0]


class Watched(ABC):
    """Tells whether anything was committed since it was last asked, by whatever process. Used by one thread at a time."""

    @property
    @abstractmethod
    def version(self) -> object:
        """Another one after each commit of anybody else. Does not wait for who writes."""

    @abstractmethod
    def close(self) -> None: ...


class Database(ABC):
    """A database with the journal's tables. Ends its connections when nobody has it any more."""

    name: str
    """What a person is told of it: a file or an address."""
    shared: bool = False
    """Whether other machines write into it, so that who is at a run must be known there."""
    by_places: str = ""
    """What makes the database answer from the index ``places_of_run``, where it has to be told."""
    numbers: str
    """A query for the numbers in the JSON list ``:numbers``."""

    def __init__(self, engine: Engine, path: Path) -> None:
        """``path``: a file of this machine, beside which is what other machines have no part in: locks, last events, what
        browsers stored."""
        self.engine, self.path, self.name = engine, path, str(path)
        self.blobs: Blobs = InTable(self.text(_new_blobs(engine.dialect.name)))
        """Where blobs are."""
        self._end = weakref.finalize(self, engine.dispose)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A connection that only reads. Raises JournalError."""
        with self.translated(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """One transaction. What is raised inside undoes it. Raises JournalError, and IntegrityError as it is."""
        with self.translated(), self.engine.begin() as connection:
            yield connection

    def at_once(self) -> AbstractContextManager[Connection]:
        """As :meth:`writing`, without waiting for a server that does not answer."""
        return self.writing()

    @property
    def locks(self) -> Path:
        """The folder of the locks that processes of this machine have on their runs."""
        return self.path.parent / LOCKS

    @contextmanager
    def translated(self) -> Generator[None]:
        """Turns the database's errors into a JournalError that says what to do."""
        try:
            yield
        except IntegrityError:
            raise
        except (DatabaseError, self.engine.dialect.loaded_dbapi.DatabaseError) as error:
            raise self.error(error) from error  # the driver's own, where rows are fetched as it gives them

    @abstractmethod
    def error(self, error: Exception) -> JournalError:
        """What a user is told of an error of the database."""

    @abstractmethod
    def alone(self, connection: Connection) -> None:
        """Begin a transaction that only one process is in at a time: tables are made or changed in it, or it writes what
        rests on what it has read."""

    @abstractmethod
    def watched(self, run: str) -> Watched:
        """What tells whether there is anything new of a run. To be closed."""

    @abstractmethod
    def shrink(self) -> None:
        """Give what is free back to the disk. Raises JournalError where there is no room for that, or another process is in
        the middle of something."""

    @abstractmethod
    def size(self) -> int:
        """Bytes that it takes on its disk."""

    def collecting(self, connection: Connection) -> None:
        """Keep others from naming blobs until the transaction ends, in which those that nobody names are removed. Nothing
        has to be done where one transaction writes at a time."""
        return

    def naming(self, connection: Connection) -> None:
        """Keep blobs from being removed until the transaction ends, in which they are kept and named. As above; changing a
        run's row does the same."""
        return

    def upsert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT that can say what is to be done about rows that are there; both dialects say it alike."""
        return _insert(self.engine.dialect.name, table)

    def text(self, statement: Insert | Update, *columns: str) -> str:
        """A statement with named values as the driver takes it, to be put together once: at each commit, that would cost
        as much as writing to the disk. For those that a module makes when it is loaded."""
        return _text(self.engine.dialect.name, statement, columns)

    def rows(self, connection: Connection, query: str, values: Mapping[str, object]) -> Sequence[Any]:
        """The rows of a query with named values, as the driver gives them: of very many rows, an object of SQLAlchemy's for
        each would be a third of the time."""
        cursor = connection.exec_driver_sql(_driver_text(self.engine.dialect.name, query), values).cursor
        return cursor.fetchall() if cursor is not None else []

    def close(self) -> None:
        self.engine.dispose()


def _insert(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


@cache
def _new_blobs(dialect: str) -> Insert:
    return _insert(dialect, schema.blobs).on_conflict_do_nothing()


@cache
def _text(dialect: str, statement: Insert | Update, columns: tuple[str, ...]) -> str:
    made = postgresql.psycopg.dialect() if dialect == "postgresql" else sqlite.dialect(paramstyle="named")
    return str(statement.compile(dialect=made, column_keys=columns or None))


@cache
def _driver_text(dialect: str, query: str) -> str:
    return query if dialect == "sqlite" else _NAMED.sub(r"%(\1)s", query)
