"""``deskcrew every``: what is put on the list, shown and taken off; keeping it is tests/schedules."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.errors import UsageError
from deskcrew.settings import Settings
from deskcrew.ways_in.schedules.schedule import Schedules
from deskcrew.ways_in.schedules.unit import NAME, install, unit


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESKCREW_DATA", "data")  # relative, as somebody may write it
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))


def test_a_task_is_put_on_the_list_shown_and_taken_off(cli: Cli, tmp_path: Path) -> None:
    assert "The list is empty" in cli("every", "--list").out
    put = cli("every", "mon 9:00", "Add it up.", "--desktop", "none", "--yes", "--limit", "seconds=60", "--json")
    assert put.code == 0, put.err
    id = put.json["id"]
    (row,) = cli("every", "--list", "--json").json["schedules"]
    assert row == put.json
    assert (row["when"], row["task"], row["run"]) == ("mon 9:00", "Add it up.", None)
    shown = cli("every", "--list").out
    assert id in shown
    assert "No scheduler is running" in shown
    kept = Schedules(Settings(data=tmp_path / "data")).get(id)
    request = kept.start.request
    assert (request.mode, request.desktop, request.limits.seconds, kept.folder) == ("automatic", "none", 60, tmp_path)
    assert request.yes, "nobody is there to say so later"
    assert cli("every", "--off", id, "--json").json["on"] is False
    assert "switched off" in cli("every", "--list").out
    assert cli("every", "--on", id, "--json").json == row
    assert cli("every", "--off", "nope").code == cli("every", "--off", "").code == 2
    assert cli("every", "--remove", id).code == 0
    assert cli("every", "--remove", id).code == 2


def test_a_skill_is_put_on_the_list_with_its_values_checked_at_once(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "may.csv").write_text("Name,Amount\nAda,3\n")
    values = ("source=may.csv", "column=Amount", "order=descending")
    put = cli("every", "9:00", "--skill", "sort-table", *values, "--json")
    assert put.code == 0, put.err
    assert "Sort the rows of may.csv by Amount" in put.json["task"]
    tries = Schedules(Settings(data=tmp_path / "data")).get(put.json["id"]).tries
    assert tries is not None
    assert (tries.skill, tries.params, tries.workspace) == ("sort-table", values, tmp_path)


def test_a_scheduler_without_anything_to_start_says_so(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyio.run", lambda keep: None)
    said = cli("every")
    assert (said.code, "The list is empty. Try: deskcrew every" in said.out) == (0, True), said
    assert cli("every", "9:00", "Add it up.", "--yes").code == 0
    assert "The list is empty" not in cli("every").out


def test_what_must_hold_is_kept_as_it_was(cli: Cli, tmp_path: Path) -> None:
    program = tmp_path / "check.sh"
    program.write_text("#!/bin/sh\ngrep -q 3 a.txt\n")
    stated = ("--require", "file_contains a.txt 3", "--check", str(program))
    put = cli("every", "mon 9:00", "Add it up.", "--desktop", "none", *stated, "--yes", "--json")
    assert put.code == 0, put.err
    program.unlink()
    required = Schedules(Settings(data=tmp_path / "data")).get(put.json["id"]).start.request.required
    assert required is not None
    assert [each.how for each in required.requirements] == ["a.txt contains '3'", "checked by your program check.sh"]
    assert required.requirements[1].program is not None


def test_files_that_are_there_already_are_not_new(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("1")
    id = cli("every", "--when-file", "*.csv", "Read it.", "--desktop", "none", "--yes", "--json").json["id"]
    schedules = Schedules(Settings(data=tmp_path / "data"))
    assert list(schedules.standing(schedules.get(id)).files) == [str(tmp_path / "old.csv")]


def test_a_file_that_a_task_names_is_no_hindrance_where_each_run_sees_it(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1")
    for seen in (("--attach", "a.txt"), ("--workspace", ".")):
        assert cli("every", "9:00", "Read a.txt.", "--desktop", "none", "--yes", *seen).code == 0
    assert cli("every", "--when-file", "*.pdf", "Read it as a.txt says.", "--desktop", "none", "--yes").code == 0


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["9:00"], "a time or --when-file"),
        (["9:00", "Read it.", "--when-file", "*.csv"], "a time or --when-file"),
        (["9:00", "Read it.", "--list"], "exclude each other"),
        (["soon", "Read it."], "is not a time"),
        (["25:00", "Read it."], "its hour is wrong"),
        (["", "Read it."], "'' is not a time"),
        (["Read it.", "--when-file", "nowhere/*.csv"], "mkdir -p"),
        (["9:00", "Read a.txt."], "--attach"),
        (["9:00", "Read a.txt, into b.txt."], "--workspace ."),
        (["9:00", "Sort ./inbox by kind."], "--workspace"),
        (["9:00", " "], "task is empty"),
        (["9:00", "Read it.", "--crew", "nobody"], "nobody"),
        (["9:00", "Read it.", "--desktop", "none", "--workspace", ".", "--attach", "a.txt"], "second run"),
        (["9:00", "Read it.", "--desktop", "real"], "real"),
        (["9:00", "Read it.", "--desktop", "none", "--model", "scripted:/nowhere.json"], "there is no file /nowhere.json"),
        (["9:00", "Read it.", "--desktop", "none", "--model", "local:/nowhere.gguf"], "there is no file /nowhere.gguf"),
        (["9:00", "--skill", "sort-tabel"], "Did you mean 'sort-table'"),
        (["9:00", "--skill", "sort-table", "column=Sum", "source=t.csv"], "has no column 'Sum'"),
        (["9:00", "--skill", "sort-table", "column=Amount", "source=no.csv"], "There is no file named no.csv"),
        (
            ["9:00", "--skill", "sort-table", "column=Amount", "source=t.csv", "result=b.csv"],
            "The second run would find b.csv",
        ),
        (["9:00", "--skill", "sort-table", "--model", "local"], "takes no --model"),
        (["--skill", "sort-table", "source=t.csv"], "the time at which it begins"),
        (["soon", "--skill", "sort-table"], "is not a time"),
    ],
)
def test_what_cannot_be_is_said_at_once(cli: Cli, tmp_path: Path, given: list[str], told: str) -> None:
    (tmp_path / "a.txt").write_text("1")
    (tmp_path / "t.csv").write_text("Name,Amount\nAda,3\n")
    (tmp_path / "inbox").mkdir()
    result = cli("every", *given)
    assert result.code == 2
    assert told in result.err
    assert not (tmp_path / "data" / "schedules").exists()


def test_the_unit_is_one_that_systemd_reads(tmp_path: Path) -> None:
    program = str(Path(shutil.which("true") or "/bin/true"))
    (tmp_path / "booted").mkdir()
    path = install([program, "every", "--data", '/a b/50% of "$HOME"'], tmp_path / "user", booted=tmp_path / "booted")
    assert path == tmp_path / "user" / NAME
    assert 'ExecStart="' + program + '" "every" "--data" "/a b/50%% of \\"$$HOME\\""' in path.read_text()
    assert path.read_text() == unit([program, "every", "--data", '/a b/50% of "$HOME"'])
    if shutil.which("systemd-analyze"):
        found = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
        assert NAME not in found.stderr, found.stderr
    with pytest.raises(UsageError, match="not run by systemd"):
        install([program], tmp_path / "user", booted=tmp_path / "nothing")


def test_the_service_is_not_of_one_of_several_people(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_PERSON", "ann")
    told = cli("every", "--install")
    assert told.code == 2
    assert "cannot start another person's schedules" in told.err


def test_where_nobody_is_there_to_say_what_is_meant_nothing_is_added_and_it_is_told_what_would_work(cli: Cli) -> None:
    small = ("--desktop", "none", "--model", "local")
    unasked = cli("every", "mon 9:00", "Add it up.", *small)
    assert (unasked.code, "nobody is there to say whether it understands the task" in unasked.err) == (2, True), unasked
    assert "--skill" in unasked.err
    waits = ("every", "--when-file", "*.csv", "Add it up.")
    assert "Put an example there and add it again" in cli(*waits, *small).err
    assert cli("every", "--list", "--json").json["schedules"] == []
    assert cli("every", "mon 9:00", "Add it up.", *small, "--yes").code == 0
    assert cli("every", "mon 9:00", "Add it up.", "--desktop", "none", "--model", "openai:gpt-5-mini").code == 0
