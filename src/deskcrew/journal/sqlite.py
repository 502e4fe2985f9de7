"""The journal as an SQLite file, which only its owner may read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, create_engine, event
from sqlalchemy import text as sql

from deskcrew.errors import JournalError
from deskcrew.journal.database import LOCKS, Database, Watched

IN_MEMORY = ":memory:"
LEAST_FREE = 1 << 16
"""Bytes that must be free on the disk even to read a journal, since SQLite creates its shared memory file there."""
_OURS = frozenset({"pictures", "secrets.json", "secrets.lock", "web.key", "workspaces", LOCKS})
"""The other files and folders that Deskcrew keeps in a data folder."""


class File(Database):
    """A database in an SQLite file."""

    by_places = "INDEXED BY places_of_run"
    numbers = "SELECT value FROM json_each(:numbers)"

    def __init__(self, path: Path, *, durable: bool) -> None:
        """``durable``: a commit is on the disk when it returns. Raises JournalError if the file cannot be created."""
        try:
            if str(path) != IN_MEMORY:
                close_to_others(path)
        except OSError as error:
            raise journal_error(error, path) from error
        super().__init__(create_engine(f"sqlite:///{path}"), path)

        # FULL: a commit is on the disk when it returns, also in WAL mode.
        synchronous = "FULL" if durable else "OFF"

        def prepare(connection: sqlite3.Connection, _: object) -> None:
            cursor = connection.cursor()
            # The timeout first: the others may have to wait.
            for pragma in ("busy_timeout=10000", "journal_mode=WAL", f"synchronous={synchronous}", "foreign_keys=ON"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

        event.listen(self.engine, "connect", prepare)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        with super().reading() as connection:
            # One state of all that is read. The driver begins a transaction only for what writes: between two queries,
            # another process may commit, and the list of runs would say something else than the events.
            driver = connection.connection.driver_connection
            if driver is not None and not driver.in_transaction:  # one in memory has a single connection
                connection.exec_driver_sql("BEGIN")
            yield connection

    def error(self, error: Exception) -> JournalError:
        return journal_error(error, self.path)

    def alone(self, connection: Connection) -> None:
        # SQLite would lock only at the first INSERT: two processes would both find no tables and both make them.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def watched(self, run: str) -> Watched:
        return CommitCount(self.path)

    def shrink(self) -> None:
        with self.translated(), self.engine.connect() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            alone.execute(sql("VACUUM"))
            alone.execute(sql("PRAGMA wal_checkpoint(TRUNCATE)"))

    def size(self) -> int:
        there = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(file.stat().st_size for file in there if file.exists())


class CommitCount(Watched):
    """Watches SQLite's own count of commits.

    The modification times of its files are no substitute: they change before a commit can be read, by as long as the disk
    takes to synchronise.
    """

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)

    @property
    def version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        self._connection.close()


def close_to_others(path: Path) -> None:
    """Make the journal's file and folder readable only for their owner, since they contain what was on the screen and what
    was typed. Creates both if missing. An existing folder is made private only if it contains nothing else."""
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
        if sys.platform != "win32" and found.st_uid == os.geteuid() and found.st_mode & 0o077:
            path.chmod(found.st_mode & most)


def journal_error(error: Exception, path: Path) -> JournalError:
    """The error for a user that describes an error of the database."""
    text = str(getattr(error, "orig", None) or error)
    hint = "Free some space and go on."
    if "full" in text or "No space" in text:
        return JournalError(f"The disk is full: the journal {path} cannot be written.", hint=hint)
    if "disk I/O error" in text and _full(path.parent):
        return JournalError(f"The disk is full: the journal {path} cannot be opened.", hint=hint)
    return JournalError(f"The journal {path} cannot be used: {text}.", hint="Set another folder with --data.")


def _full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < LEAST_FREE
    except OSError:
        return False
