"""A memory made new, and one from before there were migrations, have the same tables."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text

from deskcrew.journal.store import opened
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.schema import TABLES, VERSION
from deskcrew.learning.memory.store import Memory

BEFORE = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, role TEXT NOT NULL,
    verdict TEXT NOT NULL, scope TEXT NOT NULL, place TEXT NOT NULL, run TEXT NOT NULL, withdrawn TEXT NOT NULL,
    digest TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX entries_of_run ON entries (run);
CREATE INDEX entries_of_role ON entries (role, withdrawn);
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = "unicode61 remove_diacritics 2");
CREATE TABLE terms (term TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE waiting (number INTEGER PRIMARY KEY);
CREATE TABLE vectors (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE codes (role TEXT, block INTEGER, numbers BLOB NOT NULL, codes BLOB NOT NULL, PRIMARY KEY (role, block));
CREATE TABLE indexed (embedder TEXT NOT NULL, changes INTEGER NOT NULL);
INSERT INTO indexed VALUES ('', 0);
CREATE TABLE due (run TEXT PRIMARY KEY);
CREATE TABLE forgotten (id TEXT PRIMARY KEY);
PRAGMA user_version = 1;
"""
"""A file as Deskcrew made it before memory could lie on a server."""


def tables(engine: Engine) -> dict[str, object]:
    """What the tables are, and what stands in the one that has a row from the beginning. A key is never empty, whether or
    not its column says so."""
    found = inspect(engine)
    with engine.connect() as connection:
        indexed = connection.execute(text("SELECT embedder, changes FROM memory_indexed")).all()
        version = connection.execute(text(f"SELECT version_num FROM {TABLES.version}")).scalar()
    keys = {name: found.get_pk_constraint(name)["constrained_columns"] for name in found.get_table_names()}
    return {
        name: (
            {
                each["name"]: (str(each["type"]), each["nullable"] and each["name"] not in key)
                for each in found.get_columns(name)
            },
            key,
            sorted((str(index["name"]), index["column_names"]) for index in found.get_indexes(name)),
        )
        for name, key in keys.items()
        if name != TABLES.version
    } | {"indexed": [tuple(row) for row in indexed], "version": version}


def test_head_is_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(TABLES.migrations))
    assert ScriptDirectory.from_config(config).get_heads() == [TABLES.head]


def test_a_file_from_before_keeps_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    old = Entry(id="aaaa", role="Operator", situation="Open the calculator", verdict="proven", created=1.0, run="r1")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(BEFORE)
        values = (old.id, old.kind, old.role, old.verdict, old.scope, "", old.run, "", old.digest, old.model_dump_json())
        names = "id, kind, role, verdict, scope, place, run, withdrawn, digest, body"
        connection.execute(f"INSERT INTO entries ({names}) VALUES ({', '.join('?' * len(values))})", values)
        connection.execute("INSERT INTO words (rowid, text) VALUES (1, 'open the calculator')")
        connection.executemany("INSERT INTO terms VALUES (?, 1)", [("open",), ("the",), ("calculator",)])
        connection.execute("INSERT INTO waiting VALUES (1)")
        connection.execute("INSERT INTO due VALUES ('r2')")
        connection.commit()
    memory = Memory(path)
    assert memory.all() == memory.by_words("calculator", "Operator", 1) == [old]
    assert memory.unsettled() == ["r2"]
    memory.forget([old.id])
    assert memory.by_words("calculator", "Operator", 1) == []
    memory.close()
    fresh = Memory(tmp_path / "fresh.db")
    fresh.add(old)
    fresh.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
    before, now = (tables(opened(each, "", durable=True).engine) for each in (path, tmp_path / "fresh.db"))
    assert before == now, "a table that is changed needs a migration"
