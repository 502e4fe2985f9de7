"""Files that come, on a real file system."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.ways_in.schedules.arrivals import SETTLED, Arrivals, fitting, pattern_of


def test_a_file_is_there_once_it_stays_as_it_is_and_nobody_writes_it(tmp_path: Path) -> None:
    arrivals, file = Arrivals(f"{tmp_path}/*.csv"), tmp_path / "a.csv"
    (tmp_path / "b.txt").write_text("another kind")
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    with file.open("w") as writer:
        writer.write("half")
        writer.flush()
        assert arrivals.look({}, now=0) == []
        assert arrivals.look({}, now=SETTLED * 5) == [], "it is open for writing"
        writer.write(" of it")
    assert arrivals.look({}, now=SETTLED * 6) == [], "it changed since"
    assert [path for path, _ in arrivals.look({}, now=SETTLED * 7)] == [str(file)]


def test_what_was_dealt_with_counts_again_only_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("1")
    known = fitting(f"{tmp_path}/*.csv")
    for again in (Arrivals(f"{tmp_path}/*.csv"), Arrivals(f"{tmp_path}/*.csv")):  # the second as after a restart
        assert again.look(known, now=0) == again.look(known, now=SETTLED) == []
    file.write_text("12")
    again.look(known, now=SETTLED * 2)
    ((path, seen),) = again.look(known, now=SETTLED * 3)
    assert (path, seen.size) == (str(file), 2)


def test_the_oldest_comes_first_from_folders_below_too(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name, when in (("a.csv", 300), ("below/b.csv", 100), ("c.csv", 200)):
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (when, when))
    arrivals = Arrivals(f"{tmp_path}/**/*.csv")
    arrivals.look({}, now=0)
    assert [Path(path).name for path, _ in arrivals.look({}, now=SETTLED)] == ["b.csv", "c.csv", "a.csv"]


@pytest.mark.parametrize(("place", "pattern"), [("work", "work/*.csv"), ("work", "**/*.csv"), ("work/in", "work/*.csv")])
def test_runs_never_come_for_files_that_they_make(
    tmp_path: Path, place: str, pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / "inbox").mkdir()
    with pytest.raises(UsageError, match="their own files"):
        pattern_of(pattern, RunRequest("Read it.", workspace=tmp_path / place, crew="planned"))
    assert (
        pattern_of(pattern, RunRequest("Read it.", workspace=tmp_path / place, copy=True, crew="planned"))
        == f"{tmp_path}/{pattern}"
    )
    assert (
        pattern_of("inbox/*.csv", RunRequest("Read it.", workspace=tmp_path / place, crew="planned"))
        == f"{tmp_path}/inbox/*.csv"
    )
