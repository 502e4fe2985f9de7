"""SQLite databases: their tables as sections, and the differences between two versions of a database.

The file's bytes are loaded into memory and read there, so that nothing is written, locked or recovered beside the file.
Views and virtual tables are listed but not read: their contents require running code from the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from deskcrew.actions.sections import Section, csv_line

MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite file, whatever its name."""
OVERVIEW = "sqlite_schema"
"""The section that lists all tables; no user table can have this name."""
MOST_TABLES = 100
MOST_COMPARED = 100_000
"""Maximum number of rows of a table that is compared row by row."""
MOST_TOLD = 8
"""Maximum number of rows of each kind that are shown for a table that changed."""
_CELL = 80
"""Maximum length of a value in a description of a change."""
_STEPS = 50_000_000
"""Instructions of SQLite's virtual machine after which a query is aborted."""

Row = tuple[Any, ...]


def is_database(content: bytes) -> bool:
    """Whether these are the bytes of a SQLite database."""
    return content.startswith(MAGIC)


def tables(content: bytes) -> Iterator[Section]:
    """A section with all tables, their columns and row counts, then a section of rows for every table. Raises sqlite3.Error
    for a damaged file, possibly only while lines are taken."""
    with _opened(content) as database:
        named = _tables(database)
        lines = [csv_line(["name", "rows", "columns"])]
        for name in named:
            columns = ", ".join(_columns(database, name))
            lines.append(csv_line([name, str(_count(database, name)), columns]))
        lines += [csv_line([name, "", kind]) for name, kind in _others(database)]
    yield Section("table", OVERVIEW, iter(lines))
    for name in named:
        yield Section("table", name, _rows(content, name))


def differences(before: bytes, now: bytes) -> str:
    """The differences between two versions of a database, with a few rows of each kind. Raises sqlite3.Error if one is
    damaged."""
    with _opened(before) as first, _opened(now) as last:
        old, new = _tables(first), _tables(last)
        told = [f"table {name}: gone, it had {_rows_told(_count(first, name))}" for name in old if name not in new]
        told += [f"table {name}: new, it has {_rows_told(_count(last, name))}" for name in new if name not in old]
        for name in new:
            if name in old:
                told += _table_differences(first, last, name)
        return "\n".join(told) or "the same rows in all tables"


def _table_differences(first: sqlite3.Connection, last: sqlite3.Connection, name: str) -> Iterator[str]:
    columns, had = _columns(last, name), _columns(first, name)
    if columns != had:
        yield f"table {name}: its columns were {', '.join(had)} and are {', '.join(columns)}"
        if _names(first, name) != _names(last, name):
            return
    counts = _count(first, name), _count(last, name)
    if max(counts) > MOST_COMPARED:
        if counts[0] != counts[1]:
            yield f"table {name}: {_rows_told(counts[1])}, {counts[0]} before; too many to be compared"
        return
    old, new = _by_key(first, name), _by_key(last, name)
    added = [new[key] for key in new if key not in old]
    removed = [old[key] for key in old if key not in new]
    changed = [(old[key], new[key]) for key in new if key in old and old[key] != new[key]]
    if not (added or removed or changed):
        return
    yield f"table {name}: {len(added)} added, {len(removed)} removed, {len(changed)} changed of {_rows_told(counts[0])}"
    yield from _some(f"+ {_told(row)}" for row in added)
    yield from _some(f"- {_told(row)}" for row in removed)
    yield from _some(f"~ {_told(was)} -> {_told(row)}" for was, row in changed)


def _some(lines: Iterator[str]) -> Iterator[str]:
    yield from islice(lines, MOST_TOLD)
    if left := sum(1 for _ in lines):
        yield f"  and {left} more"


def _told(row: Row) -> str:
    return csv_line([text if len(text) <= _CELL else f"{text[:_CELL]}..." for text in map(_text, row)])


def _rows_told(number: int) -> str:
    return f"{number} row{'' if number == 1 else 's'}"


@contextmanager
def _opened(content: bytes) -> Generator[sqlite3.Connection]:
    """The database in memory, without the contents of a write-ahead log beside the file."""
    # A database in memory has no log; the two bytes only say that the file may have one.
    plain = content[:18] + b"\x01\x01" + content[20:] if content[18:20] == b"\x02\x02" else content
    database = sqlite3.connect(":memory:", check_same_thread=False)
    try:
        database.deserialize(plain)
        database.text_factory = _decoded
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA query_only = ON")
        database.set_progress_handler(lambda: 1, _STEPS)
        yield database
    finally:
        database.close()


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _tables(database: sqlite3.Connection) -> list[str]:
    """Names of the tables that store rows themselves."""
    ordinary = "type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"
    found = database.execute(f"SELECT name FROM sqlite_schema WHERE {ordinary} ORDER BY rowid LIMIT {MOST_TABLES}")
    return [str(name) for (name,) in found]


def _others(database: sqlite3.Connection) -> list[tuple[str, str]]:
    """Views and virtual tables, each with its kind."""
    kinds = "type = 'view' OR (type = 'table' AND sql LIKE 'CREATE VIRTUAL%')"
    found = database.execute(f"SELECT name, type FROM sqlite_schema WHERE {kinds} ORDER BY rowid LIMIT {MOST_TABLES}")
    return [(str(name), "(a view)" if kind == "view" else "(a virtual table)") for name, kind in found]


def _described(database: sqlite3.Connection, name: str) -> list[tuple[str, str, bool, int]]:
    """The columns: name, type, whether it is NOT NULL, and its position in the primary key, 0 if it is not in the key."""
    found = database.execute(f"PRAGMA table_xinfo({_quoted(name)})")
    return [(str(row[1]), str(row[2]), bool(row[3]), int(row[5])) for row in found if row[6] != 1]


def _names(database: sqlite3.Connection, name: str) -> list[str]:
    return [column for column, *_ in _described(database, name)]


def _columns(database: sqlite3.Connection, name: str) -> list[str]:
    """Every column as it is declared."""
    return [
        " ".join(filter(None, (column, type, "PRIMARY KEY" if key else "", "NOT NULL" if needed else "")))
        for column, type, needed, key in _described(database, name)
    ]


def _count(database: sqlite3.Connection, name: str) -> int:
    return int(database.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()[0])


def _selected(database: sqlite3.Connection, name: str, first: Sequence[str] = ()) -> sqlite3.Cursor:
    columns = ", ".join((*first, *map(_quoted, _names(database, name))))
    return database.execute(f"SELECT {columns} FROM {_quoted(name)}")


def _rows(content: bytes, name: str) -> Iterator[str]:
    """A table as CSV, its column names first."""
    with _opened(content) as database:
        yield csv_line(_names(database, name))
        for row in _selected(database, name):
            yield csv_line([_text(value) for value in row])


def _by_key(database: sqlite3.Connection, name: str) -> dict[Row, Row]:
    """The rows by their primary key, or by rowid."""
    described = _described(database, name)
    key = [at for at, (_, _, _, place) in enumerate(described) if place]
    if key:
        return {tuple(row[at] for at in key): row for row in _selected(database, name)}
    # A column of that name would hide the number.
    hidden = {column.casefold() for column, *_ in described}
    number = next((each for each in ("rowid", "_rowid_", "oid") if each not in hidden), "")
    if not number:
        return {(at,): row for at, row in enumerate(_selected(database, name))}
    return {row[:1]: row[1:] for row in _selected(database, name, (number,))}


def _text(value: object) -> str:
    """A value as people write it; a blob by its size."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    return str(value).replace("\r\n", "\\n").replace("\n", "\\n")
