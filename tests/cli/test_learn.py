"""``deskcrew learn``: what is asked for, what is shown, and what remains when it is stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from deskcrew.errors import UsageError
from deskcrew.journal.store import Store
from deskcrew.learning.skills.course import course_file, taken_in
from deskcrew.ways_in.cli.learn import seconds_of
from support.required import have_writers, wanting
from support.waiting import LATEST, until

TASK = 'Write "Hello" into hello.txt.'
LESSON = {"name": "say-hello", "task": TASK, "others": [{"value": "Hello", "other": "Good morning"}]}
PROPOSED = {"lessons": [LESSON]}
WANTED = wanting("file_contains hello.txt Hello")
WRITTEN = {
    "operations": [{"function": "write_file", "file_path": "hello.txt", "text": "Hello"}],
    "branch": "RoleTaskFinish",
}


def arguments(folder: Path, *replies: Any, budget: str = "10m") -> list[str]:
    """The command with a model that replies so."""
    script = folder / "script.json"
    script.write_text(json.dumps(replies))
    (folder / "mine").mkdir()
    (folder / "mine/notes.txt").write_text("one\ntwo\n")
    given = [
        "--model",
        f"scripted:{script}",
        "--crew",
        "solo",
        "--from",
        str(folder / "mine"),
        "--data",
        str(folder / "data"),
    ]
    return ["learn", "greetings", "--budget", budget, *given]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))
    have_writers(tmp_path / "config")


def test_a_lesson_is_shown_kept_and_reported(cli: Cli, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    told = cli(*arguments(tmp_path, PROPOSED, WRITTEN, WANTED, PROPOSED), "--html", str(report))
    assert told.code == 0, told
    assert f"left): {TASK}" in told.out
    assert "learnt: skill say-hello, score 8 of 10" in told.out
    assert "1 lesson in" in told.out
    assert "Learning curve: █ 1" in told.out
    assert "say-hello" in report.read_text()
    assert (tmp_path / "config/skills/say-hello/SKILL.md").exists()
    assert os.listdir(tmp_path / "mine") == ["notes.txt"]


def test_a_model_that_fails_ends_it(cli: Cli, tmp_path: Path) -> None:
    told = cli(*arguments(tmp_path), "--json")
    assert told.code == 4
    assert told.json["ended"] == "failed"
    assert told.json["lessons"] == []


def test_a_lesson_without_a_model_is_not_counted(cli: Cli, tmp_path: Path) -> None:
    told = cli(*arguments(tmp_path, PROPOSED))
    assert told.code == 4
    assert "0 lessons in" in told.out
    assert taken_in(course_file(tmp_path / "data", "greetings")) == [], "so that it is proposed again"


@pytest.mark.deep
@pytest.mark.parametrize("by", ["ctrl-c", "stop"])
def test_stopping_it_keeps_what_was_learnt(tmp_path: Path, by: str) -> None:
    """In a process of its own, since that is what a signal is for. What does the first lesson fails in the second, which
    has no such file; then it waits for a program."""
    moves = {"operations": [{"function": "move_file", "source": "notes.txt", "destination": "list.txt"}]}
    waits = {"operations": [{"function": "run_shell", "command": "touch begun; sleep 25"}], "branch": "Continue"}
    first = {"name": "rename-notes", "task": "Rename notes.txt to list.txt.", "files": ["notes.txt"]}
    second = {"name": "delete-more", "task": "Delete more.txt.", "files": ["more.txt"]}
    moved = wanting("same_as list.txt notes.txt", "file_absent notes.txt")
    deleted = wanting("file_absent more.txt")
    given = arguments(tmp_path, {"lessons": [first, second]}, moves | {"branch": "RoleTaskFinish"}, moved, waits, deleted)
    (tmp_path / "mine/more.txt").write_text("more\n")
    command = [sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()", *given]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            if by == "ctrl-c":
                assert until(lambda: [*tmp_path.glob("data/workspaces/*/begun")])
                process.send_signal(signal.SIGINT)
            else:
                kept = tmp_path / "data/journal.db"
                assert until(lambda: kept.exists() and [row.task for row in Store(kept).runs()][:1] == [second["task"]])
                stop = [*command[:3], "stop", "last", "--data", str(tmp_path / "data")]
                stopped = subprocess.run(stop, capture_output=True, text=True, check=False)
                assert (stopped.returncode, "was stopped" in stopped.stdout) == (0, True), stopped.stderr
            said = process.stdout.read()
            assert process.wait(LATEST) == 6, said
        finally:
            process.kill()
    assert "1 lesson in" in said
    assert "It was stopped." in said
    assert (tmp_path / "config/skills/rename-notes").is_dir()
    (taken,) = taken_in(course_file(tmp_path / "data", "greetings"))
    assert taken.lesson.name == "rename-notes"


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("1.5 h", 5400), ("2min", 120)])
def test_a_budget_is_a_time(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    ("option", "place", "said"),
    [
        ("--html", "mine/notes.txt", "already exists"),
        ("--html", "mine", "is a folder"),
        ("--html", "nowhere/report.html", "There is no folder"),
        ("--html", "/proc/report.html", "Nothing can be written"),
        ("--from", "nowhere", "does not exist"),
        ("--from", "script.json", "is not a folder"),
        ("--from", "empty", "contains no file that lessons could be made from"),
        ("--program", "no-such-program", "no-such-program"),
        ("--budget", "169h", "too long"),
    ],
)
def test_what_cannot_be_is_refused_before_a_lesson(cli: Cli, tmp_path: Path, option: str, place: str, said: str) -> None:
    given = arguments(tmp_path)
    (tmp_path / "empty").mkdir()
    refused = cli(*given, option, str(tmp_path / place) if option in ("--html", "--from") else place)
    assert refused.code == 2, refused
    assert said in refused.err
    assert (tmp_path / "mine/notes.txt").read_text() == "one\ntwo\n"
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["", "30", "0m", "half an hour", "-5m"])
def test_what_is_no_time_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        seconds_of(text)
