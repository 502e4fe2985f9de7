"""Where a journal or a memory is that is tested on both kinds of database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from deskcrew.journal.store import Store


@dataclass(frozen=True)
class Place:
    """Where a journal is. ``path``: its file, or what the locks of this machine stand beside; ``address``: of a server."""

    path: Path
    address: str = ""

    def store(self, blobs: str = "") -> Store:
        return Store(self.path, address=self.address, blobs=blobs)

    def elsewhere(self, folder: Path) -> Place:
        """The same as another machine has it."""
        return Place(folder / self.path.name, self.address)

    def sql(self, *statements: str) -> None:
        """Change what is kept, as nobody should. Bytes are written as SQLite takes them."""
        if not self.address:
            with closing(sqlite3.connect(self.path)) as connection:
                connection.execute("PRAGMA foreign_keys=OFF")
                _change(connection.execute, statements)
                connection.commit()
            return
        import psycopg

        with psycopg.connect(self.address) as connection:
            connection.execute("SET session_replication_role = replica")
            made = [statement.replace("x'", "'\\x").replace("redacted = 1", "redacted = true") for statement in statements]
            _change(lambda statement: connection.execute(statement.encode()), made)


def _change(execute: Callable[[str], sqlite3.Cursor], statements: tuple[str, ...] | list[str]) -> None:
    for statement in statements:
        assert execute(statement).rowcount > 0, f"changed nothing: {statement}"
