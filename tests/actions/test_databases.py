"""SQLite databases as everybody is told of them: tables with columns, numbers of rows and rows; and what changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from deskcrew.actions import readers
from deskcrew.actions.action import Result
from deskcrew.actions.databases import MOST_TOLD, differences, is_database, tables
from deskcrew.actions.outlines import outline
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError

Do = Callable[..., Result]
SHOP = """
CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, photo BLOB);
INSERT INTO items VALUES (1, 'rope', 19.5, NULL), (2, 'lamp, red', 23, x'00ff');
CREATE TABLE notes (said TEXT);
INSERT INTO notes VALUES ('one' || char(10) || 'two');
CREATE VIEW dear AS SELECT * FROM items WHERE price > 20;
"""


def made(path: Path, script: str) -> bytes:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    return path.read_bytes()


@pytest.fixture
def shop(workspace: Workspace) -> Path:
    path = workspace.root / "shop.db"
    made(path, SHOP)
    return path


def test_a_database_is_read_table_by_table(do: Do, shop: Path) -> None:
    assert readers.read(shop) == (
        "[table sqlite_schema]\n"
        "name,rows,columns\n"
        'items,2,"id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, photo BLOB"\n'
        "notes,1,said TEXT\n"
        "dear,,(a view)\n"
        "[table items]\n"
        "id,name,price,photo\n"
        "1,rope,19.5,NULL\n"
        '2,"lamp, red",23.0,(2 bytes)\n'
        "[table notes]\n"
        "said\n"
        "one\\ntwo\n"
    )
    assert '2,"lamp, red"' in do("read_file", file_path="shop.db", part="items!3").text
    assert "1,rope" not in do("read_file", file_path="shop.db", part="items!3").text
    assert "1,rope" in do("read_file", file_path="shop.db", find="ROPE").text


def test_reading_leaves_nothing_beside_a_database_and_takes_no_lock(shop: Path) -> None:
    with closing(sqlite3.connect(shop)) as other:
        other.execute("BEGIN EXCLUSIVE")
        before = shop.read_bytes()
        assert "rope" in readers.read(shop)
        assert shop.read_bytes() == before
        assert [path.name for path in shop.parent.glob("shop*") if "journal" not in path.name] == ["shop.db"]


def test_a_database_that_keeps_a_log_is_read_too(tmp_path: Path) -> None:
    content = made(tmp_path / "log.data", f"PRAGMA journal_mode = WAL; {SHOP} PRAGMA wal_checkpoint(TRUNCATE);")
    assert content[18:20] == b"\x02\x02"
    assert is_database(content)
    assert "1,rope,19.5" in readers.read_content(Path("log.data"), content), "by what it is, not by its name"


def test_an_outline_has_every_table_however_long_the_first_is(tmp_path: Path) -> None:
    many = "CREATE TABLE long (a INTEGER, b TEXT); CREATE TABLE last (c TEXT); INSERT INTO last VALUES ('here');"
    fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) "
    path = tmp_path / "long.sqlite"
    made(path, f"{many} {fill} INSERT INTO long SELECT i, 'number ' || i FROM n;")
    told = outline(path.name, readers.read(path), 600)
    assert 'long,40000,"a INTEGER, b TEXT" | last,1,c TEXT' in told
    assert "table 'long': a,b | 1,number 1 | 2,number 2" in told
    assert "number 9" not in told
    assert len(outline(path.name, readers.read(path), 90)) == 90


@pytest.mark.parametrize("content", [b"SQLite format 3\0" + b"rubbish" * 200, b"SQLite format 3\0"])
def test_a_damaged_database_is_the_models_problem(content: bytes) -> None:
    with pytest.raises(ActionError, match="cannot be read as db"):
        readers.read_content(Path("bad.db"), content)


def test_a_damaged_page_is_told_when_it_is_reached(tmp_path: Path) -> None:
    content = made(tmp_path / "a.db", SHOP)
    size = int.from_bytes(content[16:18], "big")
    broken = content[:size] + b"\xff" * (len(content) - size)
    with pytest.raises(ActionError, match="cannot be read"):
        readers.read_content(Path("a.db"), broken)


def test_what_is_written_in_a_database_is_not_run(tmp_path: Path) -> None:
    """A view that never ends is named; a name that ends its quotes is a name."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    odd = 'CREATE TABLE "a""; DROP TABLE b" (x); INSERT INTO "a""; DROP TABLE b" VALUES (1);'
    content = made(tmp_path / "v.db", f"CREATE TABLE b (y); CREATE VIEW endless AS {endless}; {odd}")
    text = readers.read_content(Path("v.db"), content)
    assert "endless,,(a view)" in text
    assert '[table a"; DROP TABLE b]\nx\n1\n' in text
    assert [section.name for section in tables(content)] == ["sqlite_schema", "b", 'a"; DROP TABLE b']


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE items SET price = 12 WHERE id = 1", "~ 1,rope,19.5,NULL -> 1,rope,12.0,NULL"),
        ("INSERT INTO items (name) VALUES ('tent')", "table items: 1 added, 0 removed, 0 changed of 2 rows\n+ 3,tent,"),
        ("DELETE FROM items WHERE id = 2", 'table items: 0 added, 1 removed, 0 changed of 2 rows\n- 2,"lamp, red",'),
        ("UPDATE items SET photo = x'00fe' WHERE id = 2", "0 added, 0 removed, 1 changed"),
        ("UPDATE notes SET said = 'three'", "~ one\\ntwo -> three"),
        ("DROP TABLE notes", "table notes: gone, it had 1 row"),
        ("CREATE TABLE more (a); INSERT INTO more VALUES (1), (2)", "table more: new, it has 2 rows"),
        ("ALTER TABLE notes ADD COLUMN who TEXT", "table notes: its columns were said TEXT and are said TEXT, who TEXT"),
        ("VACUUM", "the same rows in all tables"),
    ],
)  # fmt: skip
def test_differences_are_rows(tmp_path: Path, change: str, told: str) -> None:
    path = tmp_path / "shop.db"
    before = made(path, SHOP)
    assert told in differences(before, made(path, change))


def test_of_many_differences_some_are_told(tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    before = made(path, SHOP)
    more = "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
    told = differences(before, made(path, f"{more} INSERT INTO items (id, name) SELECT i, 'x' FROM n"))
    assert "31 added" in told
    assert told.count("\n+ ") == MOST_TOLD
    assert "and 23 more" in told


@pytest.mark.parametrize("columns", ["a PRIMARY KEY, b) WITHOUT ROWID", "rowid, _rowid_, oid)", "a, b AS (a || 'x'))"])
def test_tables_of_every_make_are_compared(tmp_path: Path, columns: str) -> None:
    path = tmp_path / "t.db"
    first = "a" if "a" in columns.split(",")[0] else "rowid"
    before = made(path, f"CREATE TABLE t ({columns}; INSERT INTO t ({first}) VALUES ('p'), ('q')")
    told = differences(before, made(path, f"UPDATE t SET {first} = 'r' WHERE {first} = 'q'"))
    assert "table t: " in told
    assert "r" in told.splitlines()[-1] + told.splitlines()[-2]
