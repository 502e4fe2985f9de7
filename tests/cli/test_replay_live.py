"""`deskcrew replay --live`, called as a user calls it, on files and programs without a desktop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Cli
from deskcrew.journal.store import Store
from support.sampling import sampled

TASK = 'Count the lines of may.txt, then write "Lines:" and the number into count.txt.'
COUNT = {"function": "run_python_code", "code": "print(len(open('may.txt').readlines()))"}
WRITE = {"function": "write_file", "file_path": "count.txt", "text": "Lines: 2"}
NEEDED = ("--require", "file_contains count.txt 'Lines: 2'")


@pytest.fixture
def ran(cli: Cli, tmp_path: Path, data: Path) -> str:
    """A run that counted lines; its name."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "may.txt").write_text("a\nb\n")
    replies = [
        {"operations": [COUNT], "branch": "Continue"},
        {"operations": [WRITE], "branch": "RoleTaskFinish"},
    ]
    (tmp_path / "script.json").write_text(json.dumps(replies))
    where = ("--workspace", str(work), "--data", str(data), "--desktop", "none", *NEEDED)
    done = cli("run", TASK, "--model", f"scripted:{tmp_path / 'script.json'}", "--crew", "solo", *where, "--json")
    assert done.json["outcome"] == "done", done.json
    return str(done.json["run"])


def test_list_shows_names_values_and_places(cli: Cli, data: Path, ran: str) -> None:
    shown = cli("replay", ran, "--live", "--list", "--data", str(data))
    assert shown.code == 0
    lines = {line.split("  ")[0]: line for line in shown.out.splitlines()}
    assert set(lines) == {"text1=Lines:", "file1=may.txt", "file2=count.txt"}
    assert "write_file file_path" in lines["file2=count.txt"]
    found = cli("replay", ran, "--live", "--list", "--data", str(data), "--json").json
    assert [value["kind"] for value in found["values"]] == ["text", "file", "file"]


def test_list_needs_no_other_word(cli: Cli, data: Path, ran: str) -> None:
    listed = ("--list", "--json", "--data", str(data))
    assert cli("replay", ran, *listed).json == cli("replay", ran, "--live", *listed).json


def test_another_file_gives_another_result(cli: Cli, tmp_path: Path, data: Path, ran: str) -> None:
    (tmp_path / "script.json").unlink()  # there is no model any more
    other = tmp_path / "june.txt"
    other.write_text("a\nb\nc\n")
    sets = ("--attach", str(other), "--set", "may.txt=june.txt", "--set", "text1=Rows:", "--set", "file2=rows.txt")
    done = cli("replay", ran, "--live", *sets, "--data", str(data), "--json")
    assert done.code == 0, done.err
    assert done.json["outcome"] == "done"
    assert done.json["calls"] == 0
    assert done.json["replay"] == {
        "of": ran,
        "set": {"may.txt": "june.txt", "Lines:": "Rows:", "count.txt": "rows.txt"},
        "mismatch": None,
        "picture": None,
    }
    started = Store(data / "journal.db").journal(done.json["run"]).state.started
    assert started is not None
    assert started.task == 'Count the lines of june.txt, then write "Rows:" and the number into rows.txt.'
    assert (Path(started.workspace) / "rows.txt").read_text() == "Rows: 3"
    shown = cli("log", done.json["run"], "--data", str(data))
    assert "into rows.txt" in shown.out


def test_a_program_that_fails_now_is_a_mismatch(cli: Cli, tmp_path: Path, data: Path, ran: str) -> None:
    work = tmp_path / "again"
    work.mkdir()
    (work / "may.txt").write_bytes(b"\xff\xfe\x00")
    done = cli("replay", ran, "--live", "--workspace", str(work), "--data", str(data), "--json")
    assert done.code == 4
    assert done.json["reason"] == "mismatch"
    assert done.json["replay"]["mismatch"]["expected"] == "exit code 0"
    assert "UnicodeDecodeError" in done.json["replay"]["mismatch"]["found"]
    assert not (work / "count.txt").exists()


def test_nothing_is_allowed_because_it_was_then(cli: Cli, tmp_path: Path, data: Path, ran: str) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rules]]\nname = "ask"\neffect = "ask"\naction = "write_file"\n')
    done = cli("replay", ran, "--live", "--policy", str(policy), "--data", str(data), "--json")
    assert done.code == 5
    assert done.json["outcome"] == "denied"
    assert len(done.json["denied"]) == 1


def test_a_replay_is_from_the_record_unless_it_is_to_be_live(cli: Cli, data: Path, ran: str) -> None:
    done = cli("replay", ran, "--data", str(data), "--json")
    assert (done.code, done.json["equal"]) == (0, True)


@pytest.mark.parametrize(
    ("options", "told"),
    sampled(
        [
            (("--set", "a=b"), "--set: cannot be used"),
            (("--cassette", "--live"), "--cassette"),
            (("--cassette", "--set", "a=b"), "--set: cannot be used"),
            (("--cassette", "--list", "--network"), "--list, --network: cannot be used"),
            (("--live", "--set", "nonsense=1"), "names no value"),
            (("--live", "--set", "may.txt=june.txt"), "There is no file named june.txt"),
            (("--live", "--model", "local"), "--hand-over"),
            (("--live", "--branch", "7"), "no branch '7'"),
            (("--live", "--desktop", "real"), "nobody to ask"),
        ],
        4,
    ),
)
def test_wrong_usage_is_told_before_anything_is_done(
    cli: Cli, data: Path, ran: str, options: tuple[str, ...], told: str
) -> None:
    done = cli("replay", ran, *options, "--data", str(data))
    assert done.code == 2
    assert told in done.err
    assert len(Store(data / "journal.db").runs()) == 1
