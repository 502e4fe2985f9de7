"""The tables of memory. Changed only together with a migration in ``memory/migrations``.

A memory file contains only these tables; on a server they are beside the journal's, hence their prefix.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import DDL, Column, Connection, Index, Integer, LargeBinary, MetaData, Table, Text, event
from sqlalchemy import text as sql

from deskcrew.journal.migrate import Tables

HEAD = "0001"
"""The newest revision in ``memory/migrations/versions``; a test checks that it is."""
VERSION = 2
"""A file's ``PRAGMA user_version``. Files with 1 have no version table, and other table names."""
metadata = MetaData()

entries = Table(
    "memory_entries",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    *(
        Column(name, Text, nullable=False)
        for name in ("kind", "role", "verdict", "scope", "place", "run", "withdrawn", "digest", "body")
    ),
    Index("entries_of_run", "run"),
    Index("entries_of_role", "role", "withdrawn"),
    sqlite_autoincrement=True,
)
"""The entries, as JSON in ``body``. Numbers are never reused, so that data derived from a forgotten entry refers to nothing.
``role``: if several people share a memory, prefixed with the person's name and a line feed, here and in derived tables, so
that each person's entries are searched separately (``Memory.theirs``)."""

terms = Table(
    "memory_terms",
    metadata,
    Column("term", Text, primary_key=True),
    Column("entries", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""The number of entries that contain each word."""

waiting = Table("memory_waiting", metadata, Column("number", Integer, primary_key=True, autoincrement=False))
"""Entries without a vector."""

vectors = Table(
    "memory_vectors",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("vector", LargeBinary, nullable=False),
)
codes = Table(
    "memory_codes",
    metadata,
    Column("role", Text, primary_key=True),
    Column("block", Integer, primary_key=True, autoincrement=False),
    Column("numbers", LargeBinary, nullable=False),
    Column("codes", LargeBinary, nullable=False),
)
"""Vectors and their sign bits, for databases without types for these (``vectors.py``)."""

indexed = Table(
    "memory_indexed",
    metadata,
    Column("embedder", Text, nullable=False),
    Column("changes", Integer, nullable=False),
)
"""One row. ``embedder``: the name of the vectors' embedder; ``changes``: how often their codes have changed."""

due = Table("memory_due", metadata, Column("run", Text, primary_key=True))
"""Runs whose end has not been settled. ``run``: prefixed like an entry's ``role``."""

forgotten = Table("memory_forgotten", metadata, Column("id", Text, primary_key=True))
"""The ids of forgotten entries, which must not be added again, and nothing else of them."""

FULL_TEXT = {
    "sqlite": (
        'CREATE VIRTUAL TABLE IF NOT EXISTS memory_words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2")',
    ),
    "postgresql": (
        "CREATE TABLE memory_words (number INTEGER PRIMARY KEY, words TSVECTOR NOT NULL)",
        "CREATE INDEX words_of_entries ON memory_words USING gin (words) WITH (fastupdate = off)",
    ),
}
"""The words of entries, as each database searches them (``full_text.py``)."""
for dialect, statements in FULL_TEXT.items():
    for statement in statements:
        event.listen(metadata, "after_create", DDL(statement).execute_if(dialect=dialect))


@event.listens_for(indexed, "after_create")
def _nothing_indexed(_: Table, connection: Connection, **how: Any) -> None:
    connection.execute(indexed.insert().values(embedder="", changes=0))


def _adopt(connection: Connection) -> None:
    """Rename the tables of a file of version 1; their contents are unchanged. Older programs then refuse the file."""
    if connection.dialect.name != "sqlite":
        return
    if connection.execute(sql("PRAGMA user_version")).scalar() == 1:
        for table in ("entries", "words", "terms", "waiting", "vectors", "codes", "indexed", "due", "forgotten"):
            connection.execute(sql(f"ALTER TABLE {table} RENAME TO memory_{table}"))
    connection.execute(sql(f"PRAGMA user_version = {VERSION}"))


TABLES = Tables("memory", metadata, HEAD, Path(__file__).parent / "migrations", "memory_version", _adopt)
