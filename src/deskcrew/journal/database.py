"""The interface of the journal's database, whatever its kind: transactions, errors worded for users, and everything that
differs between databases. Long-term memory uses it as well.

There are two kinds: a file (``sqlite.py``) and a server that many machines share (``postgres.py``). Statements are
SQLAlchemy's, or written so that both accept them. JSON is queried with SQLite's ``json_extract``, which is defined for
PostgreSQL (``schema.py``).
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
"""The folder of this machine's locks on runs."""
_NAMED = re.compile(r"(?<!:):(\w+)")


def shown(address: str) -> str:
    """The address of a server as people are shown it, without its options: one of them may be a password."""
    return address.partition("?")[0]


class Watched(ABC):
    """Tells whether any process has committed something since the last look. Not thread-safe."""

    @property
    @abstractmethod
    def version(self) -> object:
        """A value that changes with each commit of another process. Does not wait for a writer."""

    @abstractmethod
    def close(self) -> None: ...


class Database(ABC):
    """A database with the journal's tables. Its connections are closed when it is garbage-collected."""

    name: str
    """The database's name for people: a file or an address."""
    shared: bool = False
    """Whether other machines write into it, so that it must record which process is executing a run."""
    by_places: str = ""
    """An SQL hint to use the index ``places_of_run``; '' if the database needs none."""
    numbers: str
    """An SQL query for the numbers in the JSON list ``:numbers``."""

    def __init__(self, engine: Engine, path: Path) -> None:
        """``path``: a file of this machine. Data that concerns this machine only is kept beside it: locks, last events,
        browser storage."""
        self.engine, self.path, self.name = engine, path, str(path)
        self.blobs: Blobs = InTable(self.text(_new_blobs(engine.dialect.name)))
        """Where blobs are stored."""
        self._end = weakref.finalize(self, engine.dispose)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A read-only connection. Raises JournalError if the database cannot be used."""
        with self.translated(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """One transaction, rolled back by an exception. Raises JournalError if that fails, but IntegrityError unchanged."""
        with self.translated(), self.engine.begin() as connection:
            yield connection

    def at_once(self) -> AbstractContextManager[Connection]:
        """Like :meth:`writing`, but without waiting for a server that does not answer."""
        return self.writing()

    @property
    def locks(self) -> Path:
        """The folder of this machine's locks on runs."""
        return self.path.parent / LOCKS

    @contextmanager
    def translated(self) -> Generator[None]:
        """Turn the database's errors into a JournalError that says what to do."""
        try:
            yield
        except IntegrityError:
            raise
        except (DatabaseError, self.engine.dialect.loaded_dbapi.DatabaseError) as error:
            raise self.error(error) from error  # the driver's own, where rows are fetched as it gives them

    @abstractmethod
    def error(self, error: Exception) -> JournalError:
        """The error for a user that describes an error of the database."""

    @abstractmethod
    def alone(self, connection: Connection) -> None:
        """Begin a transaction that excludes all other writers, for creating or changing tables, or for writing something
        that depends on what it has read."""

    @abstractmethod
    def watched(self, run: str) -> Watched:
        """A :class:`Watched` that tells whether a run has changed. Must be closed."""

    @abstractmethod
    def shrink(self) -> None:
        """Return free space to the disk. Raises JournalError if there is no room for that, or another process is in a
        transaction."""

    @abstractmethod
    def size(self) -> int:
        """The size on disk in bytes."""

    def collecting(self, connection: Connection) -> None:
        """Keep other processes from naming blobs until this transaction, which removes unnamed blobs, ends. Does nothing if
        the database has only one writer at a time anyway."""
        return

    def naming(self, connection: Connection) -> None:
        """Keep blobs from being removed until this transaction, which stores and names them, ends. Does nothing in the same
        case as :meth:`collecting`; changing a run's row has the same effect."""
        return

    def upsert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """An INSERT with ``on_conflict_...`` methods, which are the same in both dialects."""
        return _insert(self.engine.dialect.name, table)

    def text(self, statement: Insert | Update, *columns: str) -> str:
        """A statement with named values in the driver's syntax. It is compiled only once: at each commit, that would cost as
        much as writing to the disk."""
        return _text(self.engine.dialect.name, statement, columns)

    def rows(self, connection: Connection, query: str, values: Mapping[str, object]) -> Sequence[Any]:
        """The rows of a query with named values, as the driver returns them: for very many rows, SQLAlchemy's row objects
        would take a third of the time."""
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
