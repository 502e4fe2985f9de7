"""What was committed is there, whatever happened since; what was changed is seen."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from deskcrew.errors import JournalError, PlanError, UsageError
from deskcrew.facts.events import HumanSaid, Judged, OperationDenied, RoleCalled, RunFinished, RunInterrupted
from deskcrew.facts.verdict import Outcome, Verdict
from deskcrew.journal.journal import Journal, events_of
from deskcrew.journal.sqlite import File, journal_error
from deskcrew.journal.store import Store
from support import disk
from support.bodies import ordinary_run, started
from support.places import Place


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "journal.db"


@pytest.fixture
def finished(place: Place) -> Journal:
    first, *rest = ordinary_run()
    journal = place.store().create(first, run="run-1")
    blobs = {
        "observed": {"observation": journal.blob(b"picture")},
        "role_replied": {"raw": journal.blob("not JSON")},
        "saved": {"manifest": journal.blob("[]")},
        "file_read": {"text": journal.blob("a,b")},
        "picture_read": {"picture": journal.blob(b"picture")},
        "point_found": {"picture": journal.blob(b"picture")},
    }
    for body in rest:
        journal.append(body.model_copy(update=blobs.get(body.type)))
    journal.close()
    return journal


def test_a_run_reopens_as_it_was_left(place: Place, finished: Journal) -> None:
    again = place.store().journal("run-1")
    assert again.events == finished.events
    assert again.state == finished.state
    assert again.read_blob(again.state.observation) == b"picture"


@pytest.mark.parametrize(("durable", "synchronous"), [(True, 2), (False, 0)])
def test_a_commit_is_on_the_disk_when_it_returns_unless_that_is_not_wanted(
    path: Path, monkeypatch: pytest.MonkeyPatch, *, durable: bool, synchronous: int
) -> None:
    monkeypatch.setattr(File, "__init__", disk.waiting)
    with Store(path, durable=durable).database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == synchronous


def test_last_is_none_where_there_are_no_runs(place: Place) -> None:
    with pytest.raises(UsageError, match="There are no runs yet"):
        place.store().journal("last")


def test_a_run_is_found_by_the_start_of_its_id_and_last_is_the_newest(place: Place) -> None:
    store = place.store()
    for name in ("aa", "aa-1", "aa-2", "b"):
        store.create(started(name), run=name)
    assert store.journal("b").run == "b"
    assert store.journal("last").run == "b"
    assert store.journal("aa").run == "aa", "an exact id wins over ids that start with it"
    assert store.journal("aa-2").run == "aa-2"
    assert [row.id for row in store.runs()] == ["b", "aa-2", "aa-1", "aa"]
    assert [row.id for row in store.runs(limit=1)] == ["b"]
    with pytest.raises(UsageError, match="More than one run"):
        store.journal("aa-")
    for unknown in ("c", "%", "_"):
        with pytest.raises(UsageError, match="no run"):
            store.journal(unknown)


def test_there_is_one_run_of_a_name(place: Place) -> None:
    place.store().create(started(), run="same")
    with pytest.raises(UsageError, match="already"):
        place.store().create(started(), run="same")
    assert len(place.store().journal("same").events) == 1


def test_runs_that_begin_within_one_second_have_names_of_their_own(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    digits = iter(("aaaa", "aaaa", "bbbb"))
    monkeypatch.setattr("deskcrew.journal.store.time.strftime", lambda _: "1122-000000-")
    monkeypatch.setattr("deskcrew.journal.store.secrets.token_hex", lambda _: next(digits))
    store = place.store()
    names = [store.create(started()).run for _ in range(2)]
    assert names == ["1122-000000-aaaa", "1122-000000-bbbb"]


def test_the_list_of_runs_tells_how_each_ended(place: Place, finished: Journal) -> None:
    place.store().create(started(), run="open")
    assert {row.id: row.outcome for row in place.store().runs()} == {"open": None, "run-1": "done"}


def test_nothing_is_on_disk_before_a_commit_and_everything_is_after(place: Place) -> None:
    journal = place.store().create(started())
    digest = journal.blob("text")
    journal.append(HumanSaid(kind="guide"))
    assert journal.read_blob(digest) == b"text"
    assert len(place.store().journal("last").events) == 1
    journal.commit()
    again = place.store().journal("last")
    assert len(again.events) == 2
    assert again.read_blob(digest) == b"text"


def test_a_blob_without_an_event_is_kept_by_the_next_commit(place: Place) -> None:
    journal = place.store().create(started())
    digest = journal.blob(b"\x00\xff")
    journal.commit()
    assert place.store().journal("last").read_blob(digest) == b"\x00\xff"


def test_what_is_committed_while_somebody_reads_is_seen_with_the_next_look(place: Place) -> None:
    store = place.store()
    journal = store.create(started(), run="run-1")
    journal.commit()
    with place.store().database.reading() as connection:
        assert connection.execute(text("SELECT max(number) FROM events WHERE run = 'run-1'")).scalar() == 1
        journal.append(HumanSaid(text="and then", kind="guide"))
        journal.commit()
        head = connection.execute(text("SELECT head FROM runs WHERE id = 'run-1'")).scalar()
        assert head == journal.events[0].id, "the list of runs says what the events say that were read before it"
    assert place.store().verified("run-1").problems == ()


def test_the_same_blob_twice_is_one_row(place: Place) -> None:
    journal = place.store().create(started())
    for _ in range(2):
        assert journal.blob("same") == journal.blob(b"same")
        journal.commit()
    with place.store().database.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM blobs")).scalar() == 1


def test_a_lost_or_changed_blob_is_an_error_that_says_so(place: Place, finished: Journal) -> None:
    digest = finished.state.observation
    place.sql(f"UPDATE blobs SET data = x'00' WHERE digest = '{digest}'")
    with pytest.raises(JournalError, match="wrong data"):
        place.store().journal("last").read_blob(digest)
    place.sql("DELETE FROM blobs")
    with pytest.raises(JournalError, match="lost"):
        place.store().journal("last").read_blob(digest)


def test_other_runs_are_not_kept_waiting_between_commits(place: Place) -> None:
    """A model may think for minutes between two commits."""
    one, other = (place.store().create(started(), run=name) for name in ("one", "other"))
    for journal in (one, other):
        journal.append(RoleCalled(role="Planner"))
        journal.blob(journal.run)
    other.commit()
    one.commit()
    assert [len(place.store().journal(name).events) for name in ("one", "other")] == [2, 2]


def test_a_second_writer_of_the_same_run_is_refused_and_the_chain_stays_whole(place: Place) -> None:
    first = place.store().create(started(), run="r")
    second = place.store().journal("r")
    first.append(HumanSaid(kind="guide", text="first"))
    second.append(HumanSaid(kind="guide", text="second"))
    first.commit()
    with pytest.raises(JournalError, match="Another process continued"):
        second.commit()
    kept = place.store().journal("r")
    assert kept.events == first.events
    assert kept.verify() == []


def test_an_event_that_cannot_be_folded_does_not_get_into_the_journal(place: Place) -> None:
    journal = place.store().create(started())
    with pytest.raises(PlanError):
        journal.append(Judged(scope="subtask", subtask="no such", verdict=Verdict(kind="accept"), by="rules"))
    journal.append(RunInterrupted(error="PlanError"))
    journal.close()
    again = place.store().journal("last")
    assert [event.header.type for event in again.events] == ["run_started", "run_interrupted"]
    assert again.verify() == []


def test_watchers_see_every_event_once_and_in_order(place: Place) -> None:
    journal = place.store().create(started())
    seen: list[int] = []
    journal.watchers.append(lambda event: seen.append(event.number))
    for body in ordinary_run()[1:]:
        journal.append(body)
    assert seen == list(range(2, len(journal.events) + 1))


def test_events_carry_their_lane_and_cause(place: Place) -> None:
    journal = place.store().create(started())
    called = journal.append(RoleCalled(role="Planner"), lane="1")
    said = journal.append(HumanSaid(kind="guide"), lane="1", cause=called)
    assert (said.header.parent, said.header.cause, said.header.lane) == (called.id, called.id, "1")
    assert list(events_of(journal, HumanSaid)) == [said]


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b""], ids=["garbage", "empty"])
def test_a_file_that_is_no_journal_is_an_error_for_a_person(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "j.db"
    path.write_bytes(content)
    if content:
        with pytest.raises(JournalError, match="cannot be used"):
            Store(path)
    else:
        assert Store(path).runs() == []


def test_a_folder_that_cannot_be_made_is_an_error_for_a_person(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot be used") as raised:
        Store(tmp_path / "file" / "journal.db")
    assert raised.value.hint


# Tampering: each statement on the ordinary run, and a word of what verify says of it.
LAST = len(ordinary_run())
NUMBERED = tuple(enumerate(ordinary_run(), 1))
DENIED = next(number for number, body in NUMBERED if isinstance(body, OperationDenied))
ACCEPTED = next(number for number, body in NUMBERED if isinstance(body, Judged) and body.verdict.kind == "accept")
TAMPERINGS = {
    "a word of a body": (
        f"UPDATE events SET body = replace(body, 'nobody', 'someone') WHERE number = {DENIED}",
        "content",
    ),
    "a number of a body": ("UPDATE events SET body = replace(body, '100', '101') WHERE number = 10", "content"),
    "a body of its own digest": (
        "UPDATE events SET body = (SELECT body FROM events WHERE number = 7) WHERE number = 9",
        "content",
    ),
    "a digest": (f"UPDATE events SET digest = '{'0' * 64}' WHERE number = 5", "digest"),
    "a time": (
        """UPDATE events SET header = replace(header, '"time":', '"time":1') WHERE number = 6""",
        "id does not match",
    ),
    "a lane": (
        """UPDATE events SET header = replace(header, '"lane":""', '"lane":"x"') WHERE number = 6""",
        "id does not match",
    ),
    "a field more": (
        """UPDATE events SET header = replace(header, '{"', '{"x":1,"') WHERE number = 6""",
        "id does not match",
    ),
    "an id": (f"UPDATE events SET id = '{'f' * 64}' WHERE number = 8", "id does not match"),
    "the last id": (f"UPDATE events SET id = '{'f' * 64}' WHERE number = {LAST}", "last event"),
    "a parent column": (f"UPDATE events SET parent = '{'f' * 64}' WHERE number = 8", "place in the run"),
    "a number column": (f"UPDATE events SET number = 99 WHERE number = {LAST}", "place in the run"),
    "one left out": ("DELETE FROM events WHERE number = 12", "parent is not"),
    "the first left out": ("DELETE FROM events WHERE number = 1", "parent is not"),
    "the end cut off": (f"DELETE FROM events WHERE number > {LAST - 3}", "last event"),
    "all left out": ("DELETE FROM events", "last event"),
    "the head": ("UPDATE runs SET head = (SELECT id FROM events WHERE number = 4)", "last event"),
    "no JSON": ("UPDATE events SET body = '{' WHERE number = 3", "not readable"),
    "JSON of no event": ("UPDATE events SET body = '[]' WHERE number = 3", "not readable"),
    "a number that JSON has not": ("UPDATE events SET body = '{\"type\": NaN}' WHERE number = 3", "not readable"),
    "a blob": ("UPDATE blobs SET data = x'00' WHERE data = x'70696374757265'", "blob"),
    "a blob left out": ("DELETE FROM blobs WHERE data = x'70696374757265'", "missing"),
}


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("statement", "said"), TAMPERINGS.values(), ids=TAMPERINGS.keys())
def test_every_tampering_is_seen(place: Place, finished: Journal, statement: str, said: str) -> None:
    """One of each kind on PostgreSQL below: what is looked at is the same rows."""
    assert problems_of(place) == []
    place.sql(statement)
    found = problems_of(place)
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize("place", ["postgresql"], indirect=True)
def test_tampering_with_a_server_is_seen(place: Place, finished: Journal) -> None:
    assert problems_of(place) == []
    chosen = ("a number of a body", "a lane", "no JSON", "a blob", "one left out", "the head")
    place.sql(*(TAMPERINGS[name][0] for name in chosen))
    found = problems_of(place)
    for name in chosen:
        assert any(TAMPERINGS[name][1] in problem for problem in found), (name, found)


def problems_of(place: Place) -> list[str]:
    store = place.store()
    return Journal(store.database, "run-1").verify()


@pytest.mark.parametrize(("first", "last", "named"), [(5, 5, "event 5"), (5, 7, "events 5 to 7")])
def test_a_gap_is_told_once_and_not_of_every_event_after_it(
    place: Place, finished: Journal, first: int, last: int, named: str
) -> None:
    place.sql(f"DELETE FROM events WHERE number BETWEEN {first} AND {last}")
    missing, parent = problems_of(place)
    assert missing == f"event {last + 1}: what should be before it is missing ({named})"
    assert parent == f"event {last + 1}: its parent is not the event before it"


def test_an_edit_does_not_pass_as_a_redaction(place: Place, finished: Journal) -> None:
    place.sql(f"UPDATE events SET body = replace(body, 'nobody', 'someone'), redacted = 1 WHERE number = {DENIED}")
    assert any("never exported and imported" in problem for problem in problems_of(place))


# Who may read it.


def rights(*paths: Path) -> list[str]:
    return [oct(path.stat().st_mode & 0o777) for path in paths]


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def files_of(path: Path) -> list[Path]:
    return [path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))]


@pytest.mark.usefixtures("open_umask")
def test_nobody_else_can_read_a_new_journal(tmp_path: Path) -> None:
    path = tmp_path / "data" / "journal.db"
    store = Store(path)
    store.create(started())
    assert rights(path.parent) == ["0o700"]
    assert rights(*files_of(path)) == ["0o600"] * 3


@pytest.mark.usefixtures("open_umask")
def test_one_that_was_open_is_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "data" / "journal.db"
    store = Store(path)
    store.create(started())
    (path.parent / "workspaces").mkdir()
    path.parent.chmod(0o755)
    for file in files_of(path):
        file.chmod(0o644)
    Store(path)
    assert rights(path.parent) == ["0o700"]
    assert rights(*files_of(path)) == ["0o600"] * 3


@pytest.mark.usefixtures("open_umask")
def test_a_folder_with_other_things_in_it_keeps_its_rights(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir(mode=0o755)
    (folder / "README").write_text("")
    folder.chmod(0o755)
    Store(folder / "journal.db")
    assert rights(folder, folder / "journal.db") == ["0o755", "0o600"]


def test_an_order_that_was_changed_is_seen(place: Place, finished: Journal) -> None:
    place.sql(
        "UPDATE events SET number = 1000 WHERE number = 7",
        "UPDATE events SET number = 7 WHERE number = 8",
        "UPDATE events SET number = 8 WHERE number = 1000",
    )
    found = problems_of(place)
    assert "event 7: its parent is not the event before it" in found
    assert "event 7: its place in the run is not the one in its header" in found


def test_events_of_another_run_do_not_pass(place: Place, finished: Journal) -> None:
    place.sql("UPDATE runs SET id = 'run-2'", "UPDATE events SET run = 'run-2'")
    store = place.store()
    assert any("place in the run" in problem for problem in store.journal("run-2").verify())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = '{' WHERE number = 3",
        """UPDATE events SET body = replace(body, '{"type"', '{"invented":1,"type"') WHERE number = 3""",
        f"""UPDATE events SET body = replace(body, '"subtask":"1"', '"subtask":"x"') WHERE number = {ACCEPTED}""",
        "UPDATE events SET header = '{}' WHERE number = 3",
    ],
    ids=["no JSON", "a field of the future", "an unknown subtask", "no header"],
)
def test_events_that_cannot_be_read_are_an_error_for_a_person(place: Place, finished: Journal, statement: str) -> None:
    place.sql(statement)
    with pytest.raises(JournalError, match=r"Event \d+ of run run-1 cannot be read"):
        place.store().journal("run-1")


def test_what_could_not_be_committed_is_kept_and_comes_with_the_next_commit(path: Path) -> None:
    store = Store(path)
    journal = store.create(started())
    journal.append(HumanSaid(kind="guide", text="one"))
    digest = journal.blob("kept" * 10_000)
    pages(store, 1)
    with pytest.raises(JournalError, match="disk is full"):
        journal.commit()
    assert len(Store(path).journal("last").events) == 1
    pages(store, 1 << 30)
    journal.append(RunFinished(outcome=Outcome(status="done")))
    journal.commit()
    again = Store(path).journal("last")
    assert again.events == journal.events
    assert again.read_blob(digest) == b"kept" * 10_000
    assert again.verify() == []


def test_a_disk_without_a_byte_left_is_told_also_of_what_only_reads(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    assert "disk I/O error" in str(journal_error(error, path))
    path.parent.mkdir()
    usage = shutil.disk_usage(path.parent)._replace(free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    told = journal_error(error, path)
    assert ("disk is full" in str(told), "Free some space" in told.hint) == (True, True)


def pages(store: Store, most: int) -> None:
    """Let the database have ``most`` pages, or as many as it has: SQLite fails then as on a full disk."""
    with store.database.engine.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count={most}")
