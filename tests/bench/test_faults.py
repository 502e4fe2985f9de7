"""Killing runs at hundreds of moments: nothing may be lost, doubled, broken or left behind. And that it would be seen."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.environments.linux.conftest import needs_desktop

from cli.conftest import Cli
from deskcrew.errors import UsageError
from deskcrew_bench.faults import measure as faults
from deskcrew_bench.faults.kind import LOG
from deskcrew_bench.faults.runs import KINDS
from support.servers import PostgresServer

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def zygote() -> Iterator[faults.Zygote]:
    with contextlib.closing(faults.Zygote()) as made:
        yield made


@pytest.fixture(scope="module")
def killed(zygote: faults.Zygote, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A chore that was killed when its third action had been done and not yet recorded."""
    folder = tmp_path_factory.mktemp("killed") / "run"
    done = zygote.do(kind="chore", folder=str(folder), do="run", at="action 3 (run_python_code), done")
    assert done["signal"] == 9
    return folder


@pytest.mark.deep
def test_some_points_of_every_kind(tmp_path: Path) -> None:
    kinds = faults.kinds_of((), desktop=False)
    report = faults.measure(tmp_path, points=len(kinds), kinds=kinds, seed=2)
    assert report.good, "\n".join(failure.line for failure in report.failures)
    assert report.points == len(kinds)
    assert set(report.kinds) == {name for name, kind in KINDS.items() if not kind.desktop}
    assert not list(tmp_path.iterdir())


@pytest.mark.deep
@pytest.mark.timeout(3000)
def test_five_hundred_points(tmp_path: Path) -> None:
    report = faults.measure(tmp_path, points=500, kinds=faults.kinds_of((), desktop=False), seed=3)
    assert report.good, "\n".join(failure.line for failure in report.failures)


@pytest.mark.deep
def test_points_with_journal_and_memory_on_a_server(tmp_path: Path, pgvector: PostgresServer) -> None:
    kinds = faults.kinds_of(["remembered", "rewound"], desktop=False)
    report = faults.measure(tmp_path, points=24, kinds=kinds, seed=5, database=pgvector.address)
    assert report.good, "\n".join(failure.line for failure in report.failures)
    with contextlib.closing(psycopg.connect(pgvector.address)) as connection:
        left = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'bench%'").fetchall()
    assert left == []


@pytest.mark.deep
@pytest.mark.desktop
def test_points_on_a_desktop(tmp_path: Path) -> None:
    needs_desktop()
    report = faults.measure(tmp_path, points=16, kinds=faults.kinds_of(["editor"], desktop=True), seed=4)
    assert report.good, "\n".join(failure.line for failure in report.failures)


def lose_an_event(folder: Path) -> None:
    """The newest, cleanly: the chain holds without it."""
    with contextlib.closing(sqlite3.connect(folder / "data/journal.db")) as connection, connection:
        connection.execute("DELETE FROM events WHERE number = (SELECT max(number) FROM events)")
        connection.execute("UPDATE runs SET head = (SELECT id FROM events ORDER BY number DESC LIMIT 1)")


def change_an_event(folder: Path) -> None:
    with contextlib.closing(sqlite3.connect(folder / "data/journal.db")) as connection, connection:
        connection.execute("""UPDATE events SET body = replace(body, 'table.csv', 'other.csv') WHERE number = 1""")


def lose_all(folder: Path) -> None:
    shutil.rmtree(folder / "data")


def do_it_again(folder: Path) -> None:
    with (folder / "work" / LOG).open("a") as log:
        log.write("failed\n")


def do_something_else(folder: Path) -> None:
    with (folder / "work" / LOG).open("a") as log:
        log.write("nonsense\n")


def leave_half_a_file(folder: Path) -> None:
    (folder / "work/.deskcrew-0123").touch()


def spoil_a_file(folder: Path) -> None:
    (folder / "work/total.txt").write_text("42 or so")


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        pytest.param(lose_an_event, "lost", marks=pytest.mark.deep),
        (lose_all, "lost"),
        (change_an_event, "broken"),
        (do_it_again, "doubled"),
        (do_something_else, "ended"),
        (spoil_a_file, "ended"),
        (leave_half_a_file, "leftovers"),
    ],
)
def test_what_goes_wrong_is_seen(zygote: faults.Zygote, killed: Path, fault: Callable[[Path], None], problem: str) -> None:
    kept = killed.with_name("kept")
    shutil.copytree(killed, kept)
    try:
        fault(killed)
        found = zygote.do(kind="chore", folder=str(killed), do="resume")
    finally:
        # At the same place: the journal names it.
        shutil.rmtree(killed)
        kept.rename(killed)
    assert found["code"] == 0
    assert found[problem]


def test_what_nothing_was_done_to_is_whole(zygote: faults.Zygote, killed: Path) -> None:
    found = zygote.do(kind="chore", folder=str(killed), do="resume")
    assert not any(found[problem] for problem in faults.PROBLEMS if problem in found)
    assert found["left"] == []


def _sql(statement: str) -> Callable[[Path], None]:
    def execute(folder: Path) -> None:
        with contextlib.closing(sqlite3.connect(folder / "data/memory.db")) as connection, connection:
            connection.execute(statement)

    return execute


FORGOTTEN = _sql("DELETE FROM memory_entries WHERE number = 1")
UNSAID = _sql("DELETE FROM memory_words WHERE rowid = 1")


@pytest.mark.deep
@pytest.mark.parametrize(("fault", "problem"), [(FORGOTTEN, "lost"), (UNSAID, "broken"), (None, "")])
def test_what_is_wrong_with_memory_is_seen(
    zygote: faults.Zygote, tmp_path: Path, fault: Callable[[Path], None] | None, problem: str
) -> None:
    assert zygote.do(kind="remembered", folder=str(tmp_path), do="run")["code"] == 0
    if fault is not None:
        fault(tmp_path)
    found = zygote.do(kind="remembered", folder=str(tmp_path), do="resume")
    assert [name for name in faults.PROBLEMS if found.get(name)][:1] == [problem] * bool(problem)


@pytest.mark.deep
def test_wherever_memory_is_written_it_is_whole_afterwards(zygote: faults.Zygote, tmp_path: Path) -> None:
    moments: list[str] = zygote.do(kind="remembered", folder=str(tmp_path / "whole"), do="run")["moments"]
    last = [at for at, name in enumerate(moments) if name.startswith("in memory, before COMMIT")][-1]
    written = [at for at, name in enumerate(moments) if name.startswith("in memory") and at > last - 30]
    points = [faults.Point(kind="remembered", at=at) for at in (*written[::4], last)]
    report = faults.measure(tmp_path, only=points)
    assert report.good, "\n".join(failure.line for failure in report.failures)


def test_points_are_spread_and_the_same_for_a_seed() -> None:
    moments = {
        "chore": [f"before event {n} (a)" for n in range(90)] + ["action 1 (x), its start on disk"],
        "cola": ["in the journal, before COMMIT"] * 50,
        "editor": ["before event 1 (a)"] * 50,
    }
    chosen = faults.chosen(moments, 30, 1)
    assert chosen == faults.chosen(moments, 30, 1)
    assert chosen != faults.chosen(moments, 30, 2)
    assert len({point.name for point in chosen}) == 30
    counted = {name: sum(point.kind == name for point in chosen) for name in moments}
    assert counted["chore"] >= 12
    assert counted["cola"] >= 12
    assert counted["editor"] < 4, "with a desktop each takes long"
    assert any(point.moment.startswith("action 1") for point in chosen), "the rare kind of moment too"
    assert len(faults.chosen(moments, 0, 1)) == 191


@pytest.mark.deep
def test_one_point_from_the_command_line(cli: Cli, tmp_path: Path) -> None:
    done = cli("bench", "faults", "--only", "question:40", "--json", "--data", str(tmp_path / "data"))
    assert done.code == 0, done.out + done.err
    assert done.json["points"] == 1
    assert [done.json[problem] for problem in faults.PROBLEMS] == [0] * 6
    assert not list((tmp_path / "data").iterdir())


@pytest.mark.parametrize("wrong", [("--only", "chore"), ("--only", "x:1"), ("--kind", "x")])
def test_wrong_points_and_kinds_are_told(cli: Cli, tmp_path: Path, wrong: tuple[str, str]) -> None:
    assert cli("bench", "faults", *wrong, "--data", str(tmp_path)).code == 2


@pytest.mark.deep
def test_a_point_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="comes by"):
        faults.measure(tmp_path, only=[faults.point_of("question:9999")])


def test_failures_say_how_to_see_them_again() -> None:
    point = faults.Point(kind="chore", at=7, moment="before event 3 (observed)")
    failure = faults.Failure(point=point, problem="lost", told="event 2 has to be on disk and is not there")
    assert "deskcrew bench faults --only chore:7" in failure.line
    report: Any = faults.Report(points=1, kinds={"chore": 1}, lost=1, seconds=1.0, failures=(failure,))
    assert not report.good
    assert "lost 1" in report.line
