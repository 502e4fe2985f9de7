"""`export`, `import` and `replay`, called as a user calls them."""

from __future__ import annotations

import re
import shutil
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from cli.conftest import Cli
from cli.test_log_and_runs import line_with
from deskcrew.engine.roles import ask
from deskcrew.errors import UsageError
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.secrets.binding import Binding, Secret
from deskcrew_bench import cassettes
from deskcrew_bench.cassettes import CASES, make


@pytest.fixture
def made(tmp_path: Path) -> Journal:
    """A run that answered a question; its journal is in ``here/data``."""
    return anyio.run(make, CASES[1], tmp_path / "here")


@pytest.fixture
def here(made: Journal) -> str:
    return str(made.path.parent)


def test_a_run_is_carried_elsewhere_and_is_the_same_there(
    cli: Cli, tmp_path: Path, made: Journal, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exported = cli("export", "last", "--data", here)
    file = tmp_path / f"{made.run}.deskcrew.zip"
    assert exported.code == 0, exported.err
    assert file.is_file()
    assert f"{len(made.all)} events" in exported.out
    assert "--redact-text" in exported.out, "says that it holds texts"
    shutil.rmtree(tmp_path / "here")

    there = ("--data", str(tmp_path / "there"))
    assert f"deskcrew log {made.run}" in cli("import", str(file), *there).out
    again = cli("import", str(file), "--json", *there)
    assert (again.code, again.json["new"], again.json["run"]) == (0, False, made.run)
    assert cli("verify", "last", *there).code == 0
    replayed = cli("replay", "last", "--cassette", *there)
    assert replayed.code == 0
    assert f"{len(made.all)} events, 3 prompts equal" in replayed.out
    told = cli("replay", "last", "--cassette", "--branch", "1", "--json", *there).json
    assert told.pop("seconds") >= 0
    assert told == {"run": made.run, "equal": True, "events": len(made.all), "prompts": 3, "difference": None}


@pytest.mark.deep
def test_without_texts_structure_verdicts_and_costs_are_left(cli: Cli, tmp_path: Path, made: Journal, here: str) -> None:
    file = str(tmp_path / "run.zip")
    value = cli("export", "last", file, "--redact-text", "--json", "--data", here).json
    assert (value["redacted"], value["blobs"]) == (len(made.all), 0)
    there = ("--data", str(tmp_path / "there"))
    assert "without texts" in cli("import", file, *there).out
    shown = cli("log", "last", *there)
    assert shown.code == 0, shown.err
    for left in ("Programmer", "Run Python", "risk: ", "accepted", "3 model calls", "unverified: "):
        assert left in shown.out, left
    for gone in ("6 times 7", "print("):
        assert gone not in shown.out, gone
    told = [line for line in shown.out.splitlines() if not line.startswith("run ")]  # which tells the time
    assert not re.search(r"\b42\b", "\n".join(told)), "the answer"
    assert cli("log", "last", "--json", *there).json["problems"] == []
    verified = cli("verify", "last", *there)
    assert verified.code == 0
    assert f"The contents of {len(made.all)} of them are not proven" in verified.out
    assert "nothing was changed" not in verified.out
    assert f"Texts were removed from all {len(made.all)} events" in verified.out
    told = cli("verify", "last", "--json", *there).json
    assert "changed" not in told["proves"].split("without")[0]
    assert told["head"] == made.all[-1].id
    assert "not proven" in shown.out.splitlines()[0]
    assert "not proven" in line_with(shown.out, "record"), "beside the outcome"
    assert "not proven" in cli("audit", "last", *there).out.splitlines()[0]
    assert "unverified (redacted: not proven)" in cli("runs", *there).out
    assert cli("runs", "--json", *there).json["runs"][0]["redacted"] is True
    refused = cli("replay", "last", "--cassette", *there)
    assert (refused.code, "texts were removed" in refused.err) == (2, True)
    for number in range(1, len(made.all) + 1):
        shown = cli("show", "last", str(number), *there)
        assert (shown.code, "not proven" in shown.out) == (0, True)
        for what in (("--prompt",), ("--reply",), ("--observation",), ("--screenshot", str(tmp_path / "x.png"))):
            found = cli("show", "last", str(number), *what, *there)
            assert found.code == 2
            assert "There is no" in found.err or "was left out" in found.err or "No reply" in found.err, found.err
    for command in (("audit", "last"), ("branch", "last"), ("runs",)):
        assert cli(*command, *there).code == 0


def test_a_run_from_elsewhere_is_not_gone_on_with(cli: Cli, tmp_path: Path, made: Journal, here: str) -> None:
    """Its workspace is whatever folder somebody wrote there: nothing is made, changed or brought back in it."""
    file, work = str(tmp_path / "run.zip"), tmp_path / "here/work"
    assert cli("export", "last", file, "--data", here).code == 0
    shutil.rmtree(work)
    there = ("--data", str(tmp_path / "there"))
    cli("import", file, *there)
    refused = cli("rewind", "last", "7", "--yes", "--stay", *there)
    assert refused.code == 2
    assert "was imported" in refused.err
    with pytest.raises(UsageError, match="was imported"), Store(tmp_path / "there/journal.db").journal("last").claimed():
        pass
    assert not work.exists()


def test_what_differs_is_shown_with_exit_code_four(
    cli: Cli, made: Journal, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ask, "actions_text", lambda *_, **__: "Operations:\n- none")
    found = cli("replay", "last", "--cassette", "--data", here)
    assert found.code == 4
    assert "differs at event #" in found.out
    assert "the prompt of Programmer, part 1 (stable)" in found.out
    assert "-Operations: as the schema of your reply describes them." in found.out
    value = cli("replay", "last", "--cassette", "--json", "--data", here)
    assert (value.code, value.json["equal"]) == (4, False)
    assert value.json["difference"]["what"].startswith("the prompt of Programmer")


def test_usage(cli: Cli, tmp_path: Path, made: Journal, here: str) -> None:
    assert cli("replay", "last", "--data", here).code == 0
    assert cli("export", "last", "--branch", "1", "--all", "--data", here).code == 2
    assert "no branch '9'" in cli("export", "last", "--branch", "9", "--data", here).err
    (tmp_path / "x.zip").write_text("hello")
    for wrong, code in (("none.zip", 2), ("", 2), ("x.zip", 4)):
        said = cli("import", str(tmp_path / wrong), "--data", here)
        assert (said.code, "cannot be imported" in said.err) == (code, True), wrong
    assert "'may.csv' is not NAME=VALUE" in cli("replay", "last", "--live", "--set", "may.csv", "--data", here).err
    assert cli("export", "last", str(tmp_path / "a.zip"), "--branch", "1", "--data", here).code == 0
    refused = cli("export", "last", str(tmp_path / "x.zip"), "--data", here)
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert (tmp_path / "x.zip").read_text() == "hello"
    assert cli("export", "last", str(tmp_path / "x.zip"), "--force", "--data", here).code == 0
    for folder in (".", "", "/"):
        said = cli("export", "last", folder, "--data", here)
        assert (said.code, "is a folder" in said.err) == (2, True), folder


def test_a_file_that_was_cut_off_is_a_damaged_record(cli: Cli, tmp_path: Path, here: str) -> None:
    file = tmp_path / "a.zip"
    cli("export", "last", str(file), "--data", here)
    with zipfile.ZipFile(file) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content["events.jsonl"] = b"".join(content["events.jsonl"].splitlines(keepends=True)[:-2])
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    said = cli("import", str(file), "--data", str(tmp_path / "there"))
    assert said.code == 4
    assert "its manifest says" in said.err
    assert cli("runs", "--json", "--data", str(tmp_path / "there")).json["runs"] == []


def test_one_branch_with_its_texts_is_proven_and_the_others_are_not(cli: Cli, tmp_path: Path) -> None:
    made = anyio.run(make, next(case for case in CASES if case.name.startswith("rewound")), tmp_path / "here")
    file, there = str(tmp_path / "a.zip"), ("--data", str(tmp_path / "there"))
    value = cli("export", "last", file, "--branch", "2", "--json", "--data", str(made.path.parent)).json
    assert 0 < value["redacted"] < value["events"]
    cli("import", file, *there)
    told = cli("verify", "last", "--json", *there).json
    assert f"Of {value['events'] - value['redacted']} of them it covers the content" in told["proves"]
    assert f"{value['redacted']} events" in told["does_not_prove"]
    assert f"{value['redacted']} of its {value['events']} events" in cli("log", "last", *there).out.splitlines()[0]
    of_the_run, *of_the_event = cli("show", "last", "1", *there).out.splitlines()
    assert f"{value['redacted']} of its {value['events']} events" in of_the_run
    assert "not proven" not in "".join(of_the_event)


def test_a_secret_of_the_run_is_looked_for(
    cli: Cli, tmp_path: Path, made: Journal, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None ever gets into a journal; should one, it does not get out of it."""
    from deskcrew.engine import request
    from deskcrew.ways_in.cli import secret

    class Kept:
        def list(self) -> dict[str, Binding]:
            return {"pin": Binding(apps=("x",))}

        def get(self, name: str) -> Secret:
            return Secret(name, "print(6 * 7)", Binding(apps=("x",)))

    monkeypatch.setattr(request, "secrets_of", lambda _: {"pin", "one of another machine"})
    monkeypatch.setattr(secret, "store_of", lambda _: Kept())
    refused = cli("export", "last", str(tmp_path / "a.zip"), "--data", here)
    assert refused.code == 2
    assert "secrets" in refused.err
    assert not (tmp_path / "a.zip").exists()
    assert cli("export", "last", str(tmp_path / "a.zip"), "--redact-text", "--data", here).code == 0
    assert len(Store(made.path).runs()) == 1


def test_the_figure_counts_runs_that_are_the_same(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cassettes, "CASES", (CASES[0], replace(CASES[3], ends="denied")))
    found = cli("bench", "cassettes", "--json")
    assert found.code == 1
    assert (found.json["equal"], found.json["of"]) == (1, 2)
    assert [each["outcome"] for each in found.json["runs"]] == ["done", "done"]
    assert "cassettes: 1 of 2 equal" in found.err
    monkeypatch.setattr(cassettes, "CASES", CASES[:1])
    whole = cli("bench", "cassettes")
    assert whole.code == 0
    assert "1 of 1 equal" in whole.out


def test_there_are_twenty_kinds() -> None:
    assert len({case.name for case in CASES}) == len(CASES) == 20


def test_of_a_record_that_was_changed_the_export_says_so(cli: Cli, tmp_path: Path, made: Journal, here: str) -> None:
    with closing(sqlite3.connect(made.path)) as connection, connection:
        connection.execute("update events set body = replace(body, ':true', ':false') where run = ?", (made.run,))
    exported = cli("export", "last", str(tmp_path / "run.zip"), "--data", here)
    assert exported.code == 4
    assert "The record is not what was written: event" in exported.err
    assert cli("export", "last", str(tmp_path / "told.zip"), "--json", "--data", here).json["problems"]
    replies = cli("export", "last", str(tmp_path / "replies.json"), "--replies", "--data", here)
    assert (replies.code, "The record is not what was written" in replies.err) == (4, True)
    assert cli("import", str(tmp_path / "run.zip"), "--data", str(tmp_path / "there")).code != 0
