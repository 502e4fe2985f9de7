"""Whether anything was committed to the journal is asked of the database: its files say so too early."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from deskcrew.facts.events import HumanSaid
from deskcrew.journal.branches import branches, name_branch
from deskcrew.journal.removing import remove
from deskcrew.journal.sqlite import CommitCount
from support.bodies import started
from support.places import Place


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE events (body TEXT)")
        connection.commit()
    return path


def test_a_commit_makes_another_version_and_what_is_written_before_it_does_not(path: Path) -> None:
    log = path.with_name("journal.db-wal")
    with closing(CommitCount(path)) as watched, closing(sqlite3.connect(path)) as writer:
        before = watched.version
        assert watched.version == before
        writer.execute("PRAGMA cache_size=1")
        writer.executemany("INSERT INTO events VALUES (?)", [("x" * 4000,)] * 50)
        assert log.stat().st_size > 100_000, "it is in the file already, and cannot be read yet"
        assert watched.version == before
        writer.commit()
        assert watched.version != before


def test_reading_makes_no_other_version(path: Path) -> None:
    with closing(CommitCount(path)) as watched, closing(sqlite3.connect(path)) as reader:
        before = watched.version
        reader.execute("SELECT * FROM events").fetchall()
        assert watched.version == before


def test_what_is_written_of_a_run_makes_another_version(place: Place) -> None:
    store = place.store()
    journal = store.create(started(), run="r")
    with closing(place.store().watched("r")) as watched:
        seen = [watched.version]
        assert watched.version == seen[0]
        journal.append(HumanSaid(kind="guide"))
        journal.commit()
        seen.append(watched.version)
        name_branch(journal, branches(journal)[0], label="a name")
        seen.append(watched.version)
        assert watched.version == seen[-1]
        remove(store, ["r"])
        seen.append(watched.version)
    assert len(set(seen)) == 4
