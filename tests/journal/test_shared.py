"""A journal that several machines share: a run is one process's, and a server that goes away costs nothing but time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from deskcrew.errors import JournalError, JournalUnreachable, UsageError
from deskcrew.facts.events import HumanSaid, RunFinished
from deskcrew.facts.verdict import Outcome
from deskcrew.journal import leases
from deskcrew.journal import postgres as postgres_module
from deskcrew.journal.journal import Journal
from deskcrew.journal.removing import remove
from deskcrew.journal.store import Store
from support.bodies import started
from support.places import Place
from support.servers import PostgresServer
from support.waiting import until

pytestmark = pytest.mark.parametrize("place", ["postgresql"], indirect=True)
WRITER = Path(__file__).parents[1] / "support" / "journal_writer.py"


@pytest.fixture
def here(place: Place) -> Store:
    return place.store()


@pytest.fixture
def there(place: Place, tmp_path: Path) -> Store:
    """The same journal on another machine."""
    return place.elsewhere(tmp_path / "there").store()


def say(journal: Journal, *words: str) -> None:
    for word in words:
        journal.append(HumanSaid(kind="guide", text=word))
    journal.commit()


def said(store: Store, run: str = "r") -> list[str]:
    """What was said in a run, whose record has to be whole."""
    journal = store.journal(run)
    assert journal.verify() == []
    return [event.body.text for event in journal.events if isinstance(event.body, HumanSaid)]


# One process a run.


def test_a_run_is_one_machine_s_at_a_time(here: Store, there: Store) -> None:
    here.create(started(), run="r")
    assert not there.busy("r")
    journal = here.journal("r")
    with journal.claimed() as lease:
        assert lease is not None
        assert leases.renew(here.database, "r", lease.fence)
        assert here.busy("r")
        assert there.busy("r")
        with pytest.raises(UsageError, match="running elsewhere"), there.journal("r").claimed():
            pass
        say(journal, "one")
    assert not there.busy("r")
    with (other := there.journal("r")).claimed():
        say(other, "two")
    assert said(here) == ["one", "two"]


def test_processes_that_take_runs_at_once_for_the_first_time_are_one_machine(place: Place, tmp_path: Path) -> None:
    database = place.elsewhere(tmp_path / "new").store().database
    with ThreadPoolExecutor(16) as pool:
        ids = set(pool.map(lambda _: leases._node(database), range(16)))  # pyright: ignore[reportPrivateUsage]
    assert len(ids) == 1
    assert [path.name for path in database.locks.iterdir()] == ["node"]


def test_runs_are_left_that_have_ended_or_are_gone_and_that_no_machine_is_at(here: Store, there: Store) -> None:
    for run in ("ended", "open", "busy"):
        here.create(started(), run=run)
    for run in ("ended", "busy"):
        journal = here.journal(run)
        with journal.claimed():
            journal.append(RunFinished(outcome=Outcome(status="stopped")))
            journal.commit()
    with here.journal("busy").claimed():
        assert there.left(["busy", "open", "ended", "gone"]) == ["ended", "gone"]
    assert there.left(["busy"]) == ["busy"]


def test_who_takes_a_run_knows_whether_another_machine_had_it_last(here: Store, there: Store) -> None:
    here.create(started(), run="r")
    moved: list[bool] = []
    for store in (here, here, there, there, here):
        with (journal := store.journal("r")).claimed():
            moved.append(journal.moved)
    assert moved == [True, False, True, False, True]


def test_who_was_away_for_too_long_is_refused_also_when_nobody_has_the_run_any_more(
    place: Place, here: Store, there: Store
) -> None:
    slow = here.create(started(), run="r")
    with slow.claimed():
        say(slow, "one")
        place.sql("UPDATE runs SET held_until = 0")
        with (quick := there.journal("r")).claimed():
            slow.append(HumanSaid(kind="guide", text="late"))
            with pytest.raises(JournalError, match="Another process continued"):
                slow.commit()
            say(quick, "two")
        with pytest.raises(JournalError, match="Another process continued"):
            slow.commit()
    assert said(here) == ["one", "two"]
    with there.journal("r").claimed():
        pass  # what the slow one let go was not another's


def test_who_has_no_lease_writes_nothing_while_another_has_one(here: Store, there: Store) -> None:
    stranger = here.create(started(), run="r")
    with (owner := there.journal("r")).claimed():
        stranger.append(HumanSaid(kind="guide", text="mine"))
        with pytest.raises(JournalError, match="Another process continued"):
            stranger.commit()
        say(owner, "one")
    assert said(here) == ["one"]


def test_a_lease_is_renewed(place: Place, here: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "SECONDS", 0.3)
    journal = here.create(started(), run="r")

    def ends() -> float:
        with psycopg.connect(place.address) as connection:
            row = connection.execute("SELECT held_until FROM runs").fetchone()
        assert row is not None
        return row[0]

    with journal.claimed():
        first = ends()
        assert until(lambda: ends() > first)


def test_a_process_that_was_killed_is_followed_at_once_here_and_after_its_lease_elsewhere(
    place: Place, here: Store, there: Store
) -> None:
    process = writer(place, "r", 1_000_000)
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate()
    with pytest.raises(UsageError, match="running elsewhere"), there.journal("r").claimed():
        pass
    assert there.busy("r")
    assert not here.busy("r")
    with here.journal("r").claimed():
        assert there.busy("r")


def test_what_a_run_elsewhere_may_have_kept_is_not_removed(place: Place, here: Store, there: Store) -> None:
    here.create(started(), run="old", texts=["only in the old one"])
    going = there.create(started(), run="going")
    with going.claimed():
        digest = going.blob("kept, and not named yet")
        going.commit()
        removed = remove(here, ["old"])
        assert (removed.events, removed.blobs, removed.going) == (1, 0, "going")
        assert going.read_blob(digest)
        place.sql("UPDATE runs SET held_until = 0")
        assert remove(here, []).blobs == 2
        going.append(HumanSaid(kind="guide", text="by then it has no run"))
        with pytest.raises(JournalError, match="Another process continued"):
            going.commit()


# The server goes.


def writer(place: Place, run: str, events: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(place.path), run, str(events), "--address", place.address]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.first_case
@pytest.mark.fault
@pytest.mark.parametrize("lines", [1, 4])
def test_a_server_that_crashes_and_starts_again_loses_and_doubles_nothing(
    place: Place, postgres: PostgresServer, here: Store, lines: int
) -> None:
    process = writer(place, "r", 60)
    assert process.stdout is not None
    for _ in range(lines):
        process.stdout.readline()
    postgres.stop("immediate")
    postgres.start()
    _, wrong = process.communicate()
    assert process.returncode == 0, wrong
    assert said(here) == [f"event {number}" for number in range(2, 61)]


def test_a_commit_of_which_nothing_was_heard_is_not_done_twice(here: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = here.create(started(), run="r")
    with breaking(journal, monkeypatch, committed=True):
        say(journal, "one")
    with breaking(journal, monkeypatch, committed=False):
        say(journal, "two", "three")
    with breaking(journal, monkeypatch, committed=True):
        new = here.create(started(), run="new")
    say(new, "one")
    assert said(here) == ["one", "two", "three"]
    assert said(here, "new") == ["one"]


@contextmanager
def breaking(journal: Journal, monkeypatch: pytest.MonkeyPatch, *, committed: bool) -> Iterator[None]:
    """The next commit's connection breaks: before the server has it, or before it can say so."""
    dialect = journal.database.engine.dialect
    original = dialect.do_commit
    left = [1]

    def commit(connection: Any) -> None:
        if left:
            left.pop()
            if committed:
                original(connection)
            connection.dbapi_connection.close()
        original(connection)

    with monkeypatch.context() as patch:
        patch.setattr(dialect, "do_commit", commit)
        yield
    assert not left


def test_what_a_server_did_not_take_is_kept_until_it_is_there_again(
    postgres: PostgresServer, here: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "PATIENCE", 0.2)
    journal = here.create(started(), run="r")
    with journal.claimed():
        journal.append(HumanSaid(kind="guide", text="one"))
        digest = journal.blob("kept")
        postgres.stop("immediate")
        try:
            with pytest.raises(JournalUnreachable, match="cannot be reached"):
                journal.commit()
            with pytest.raises(JournalUnreachable):
                here.runs()
        finally:
            postgres.start()
        say(journal, "two")
    assert said(here) == ["one", "two"]
    assert here.journal("r").read_blob(digest) == b"kept"


def test_a_server_that_is_not_there_is_an_error_for_a_person(place: Place, tmp_path: Path) -> None:
    with pytest.raises(JournalUnreachable, match="cannot be reached") as raised:
        Store(place.path, address=f"postgresql://deskcrew@/postgres?host={tmp_path}")
    assert "PGPASSWORD" in raised.value.hint


def test_a_wrong_password_is_an_error_for_a_person(
    place: Place, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = postgres.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    with closing(psycopg.connect(postgres.address, autocommit=True)) as connection:
        connection.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        rules.write_text(f"local all guarded scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        try:
            monkeypatch.setenv("PGPASSWORD", "wrong")
            refused = place.address.replace("deskcrew@", "guarded@")

            def told() -> str:
                with pytest.raises(JournalError) as raised:
                    Store(place.path, address=refused)
                return str(raised.value)

            assert until(lambda: "password" in told())
            assert "wrong" not in told()
        finally:
            rules.write_text(before)
            connection.execute("DROP ROLE guarded")
            connection.execute("SELECT pg_reload_conf()")


def test_a_journal_of_a_newer_version_is_refused_untouched(place: Place, here: Store) -> None:
    place.sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(JournalError, match="newer Deskcrew") as raised:
        place.store()
    assert "another database" in raised.value.hint
    assert here.runs() == []
