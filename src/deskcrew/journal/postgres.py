"""The journal on a PostgreSQL server, which many machines share (docs/scale.md).

A lease in the run's row says which process executes the run (``leases.py``). Broken connections are reopened, and a run
waits while the server restarts.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import Connection, Engine, create_engine, func, make_url, select
from sqlalchemy import text as sql
from sqlalchemy.exc import DBAPIError, OperationalError
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_exponential

from deskcrew.errors import JournalError, JournalUnreachable
from deskcrew.journal import schema
from deskcrew.journal.database import Database, Watched, shown

PATIENCE = 30.0
"""Seconds within which a server that answered before must answer again."""
_SECONDS_TO_CONNECT = 5
_ALONE = 7_308_620
"""The key of a lock on the server that only one transaction can hold at a time."""
_STATE = """
SELECT head, outcome, fence,
  (SELECT string_agg(concat(start, hidden, label), ' ' ORDER BY start) FROM branches WHERE branches.run = runs.id)
FROM runs WHERE id = :run"""
_HINT = "`database` in your settings names the server; its password is in PGPASSWORD or ~/.pgpass."
_CONNECTING = (psycopg.OperationalError, psycopg.InterfaceError)


class DatabaseServer(Database):
    """A database on a PostgreSQL server."""

    shared = True
    numbers = "SELECT value::integer FROM json_array_elements_text(CAST(:numbers AS json)) AS value"

    def __init__(self, address: str, path: Path, *, durable: bool) -> None:
        """Does not connect yet. ``durable``: a commit is on the server's disk when it returns. Raises JournalError if the
        folder for this machine's data cannot be created."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            hint = "Name another folder with --data."
            raise JournalError(f"The folder {path.parent} cannot be used: {error.strerror}.", hint=hint) from error
        super().__init__(_engine(address, durable=durable), path)
        self.name = shown(address)
        self._answered = False

    @contextmanager
    def reading(self) -> Generator[Connection]:
        with self.translated(), self._connected() as connection:
            # One state of all that is read, as in a file.
            yield connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @contextmanager
    def writing(self) -> Generator[Connection]:
        with self.translated(), self._connected() as connection, connection.begin():
            yield connection

    def at_once(self) -> AbstractContextManager[Connection]:
        """Like :meth:`writing`, but without waiting for a server that does not answer."""
        return super().writing()

    def _connected(self) -> Connection:
        if self._answered:
            for attempt in Retrying(
                retry=retry_if_exception_type(OperationalError),
                stop=stop_after_delay(PATIENCE),
                wait=wait_exponential(0.05, max=1),
                reraise=True,
            ):
                with attempt:
                    return self.engine.connect()
        connection = self.engine.connect()
        self._answered = True
        return connection

    def error(self, error: Exception) -> JournalError:
        cause = error.orig if isinstance(error, DBAPIError) else error
        why = " ".join(str(cause).split()).rstrip(".")
        state = cause.sqlstate if isinstance(cause, psycopg.Error) else None
        if state == psycopg.errors.DiskFull.sqlstate:
            return JournalError(f"The disk of {self.name} is full.", hint="Free some space there and go on.")
        broken = isinstance(error, DBAPIError) and error.connection_invalidated
        if broken or (state is None and isinstance(cause, _CONNECTING)):
            return JournalUnreachable(f"The journal's database {self.name} cannot be reached: {why}.", hint=_HINT)
        return JournalError(f"The journal's database {self.name} cannot be used: {why}.", hint=_HINT)

    def alone(self, connection: Connection) -> None:
        connection.execute(select(func.pg_advisory_xact_lock(_ALONE)))

    def collecting(self, connection: Connection) -> None:
        connection.exec_driver_sql("LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE")

    def naming(self, connection: Connection) -> None:
        connection.exec_driver_sql("LOCK TABLE runs IN ROW EXCLUSIVE MODE")

    def watched(self, run: str) -> Watched:
        return _Watched(self, run)

    def shrink(self) -> None:
        """Does nothing: the server itself reuses free space for later writes."""

    def size(self) -> int:
        tables = ", ".join(f"pg_total_relation_size('{table}')" for table in schema.metadata.tables)
        with self.reading() as connection:
            return sum(connection.execute(sql(f"SELECT {tables}")).one())


class _Watched(Watched):
    """Polls the run's row and its branches' names, which is fast. Notifications would make the commits of all runs wait for
    each other."""

    def __init__(self, server: DatabaseServer, run: str) -> None:
        self._server, self._run = server, {"run": run}

    @property
    def version(self) -> object:
        with self._server.reading() as connection:
            rows = self._server.rows(connection, _STATE, self._run)
        return rows[0] if rows else None

    def close(self) -> None:
        pass  # its connection is the server's


def _engine(address: str, *, durable: bool) -> Engine:
    url = make_url(address).set(drivername="postgresql+psycopg")
    options = [str(url.query.get("options", ""))] + ([] if durable else ["-csynchronous_commit=off"])
    arguments = {
        "application_name": "deskcrew",
        "connect_timeout": _SECONDS_TO_CONNECT,
        "options": " ".join(options).strip(),
        # A machine that is gone says nothing.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }
    url = url.difference_update_query(["options"])
    # One that a run keeps; more only while they are needed, as a server has not very many.
    return create_engine(url, connect_args=arguments, pool_size=1, max_overflow=30, pool_pre_ping=True)
