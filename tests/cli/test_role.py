"""``deskcrew role``: the roles are shown; what of a draft from a guide is shown, asked, kept and told."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from cli.conftest import Cli
from deskcrew.learning.memory.entry import Entry
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.settings import Settings
from support.required import have_writers, wanting

DRAFT: dict[str, Any] = {
    "skills": "Writes letters as the guide says.",
    "guidance": ["A letter begins with 'Dear'. \u001b[2J"],
    "actions": ["write_file"],
    "task": 'Write "Dear Ann" into ann.txt.',
    "files": [{"path": "names.txt", "text": "Ann\n"}],
}
WRITES = {
    "operations": [{"function": "write_file", "file_path": "ann.txt", "text": "Dear Ann"}],
    "branch": "RoleTaskFinish",
}
GIVES_UP: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "I cannot"}


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def arguments(folder: Path, works: Any = WRITES) -> list[str]:
    """The command with a model that drafts this, works so, and says what must hold. Each run begins its script anew:
    what does not fit the trial is passed over there."""
    have_writers(folder / "config")
    (folder / "script.json").write_text(json.dumps([DRAFT, works, wanting("file_contains ann.txt 'Dear Ann'")]))
    (folder / "letters.html").write_text("<h1>Letters</h1><p>A letter begins with Dear.</p>")
    model = f"scripted:{folder / 'script.json'}"
    return ["role", "from-guide", "letters.html", "--model", model, "--data", str(folder / "data")]


def test_a_role_is_shown_from_the_file_that_counts_with_the_crews_that_have_it(cli: Cli, tmp_path: Path) -> None:
    built_in = cli("role", "show", "Programmer", "--json").json
    assert built_in["file"].endswith("builtin/programmer.md")
    assert {"cola", "planned"} <= {*built_in["crews"]}
    assert "solo" not in built_in["crews"]
    own = tmp_path / ".deskcrew" / "roles" / "coder.md"
    own.parent.mkdir(parents=True)
    own.write_text(built_in["text"].replace("domain: [run_python_code, run_shell]", "domain: [run_python_code]"))
    shown = cli("role", "show", "Programmer").out
    assert shown.startswith(f"{own}\nIn the crews: ")
    assert "domain: [run_python_code]\n" in shown
    assert {"name": "Programmer", "kind": "decision", "file": str(own)} in cli("role", "list", "--json").json["roles"]
    assert f"decision   {own}" in cli("role", "list").out


def test_a_role_that_is_not_there_is_told_with_the_nearest_name(cli: Cli) -> None:
    said = cli("role", "show", "Programer")
    assert said.code == 2
    assert "There is no role 'Programer'. Did you mean 'Programmer'?" in said.err


def test_an_agent_is_shown_tried_and_kept(cli: Cli, tmp_path: Path) -> None:
    told = cli(*arguments(tmp_path), "--yes")
    assert told.code == 0, told.out[-700:]
    assert "domain: [write_file]" in told.out
    assert "A letter begins with 'Dear'." in told.out
    assert "\x1b[2J" not in told.out
    assert 'It is tried on: Write "Dear Ann" into ann.txt.' in told.out
    assert "Letters did its task, which is proven" in told.out
    assert (tmp_path / "config/roles/Letters.md").is_file()
    again = cli(*arguments(tmp_path), "--yes")
    assert again.code == 2
    assert "There is a role 'Letters' already" in again.err


def test_one_that_was_not_proven_is_put_aside_unless_told_otherwise(cli: Cli, tmp_path: Path) -> None:
    told = cli(*arguments(tmp_path, GIVES_UP), "--yes", "--project", "--json")
    assert told.code == 4
    assert (told.json["proven"], told.json["offered"]) == (False, False)
    assert told.json["file"] == str(tmp_path / ".deskcrew/roles/untried/Letters.md")
    assert told.json["why"]
    kept = cli(*arguments(tmp_path, GIVES_UP), "--yes", "--project", "--keep-untried", "--name", "Writer", "--json")
    assert kept.code == 0, kept
    assert (kept.json["proven"], kept.json["offered"]) == (False, True)
    assert "# Not proven" in (tmp_path / ".deskcrew/roles/Writer.md").read_text()


def test_nothing_is_asked_where_nobody_can_be(cli: Cli, tmp_path: Path) -> None:
    told = cli(*arguments(tmp_path))
    assert told.code == 2
    assert "There is nobody to ask" in told.err
    assert not (tmp_path / "data").exists()


def test_who_says_no_has_no_agent_and_no_trial(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)

    def says_no(*_: object, **__: object) -> bool:
        return False

    monkeypatch.setattr(typer, "prompt", says_no)
    told = cli(*arguments(tmp_path))
    assert told.code == 6
    assert "Letters" in told.out
    assert "Trying it" not in told.out
    assert not (tmp_path / "config/roles").exists()


def test_windows_are_those_of_a_program(cli: Cli, tmp_path: Path) -> None:
    told = cli(*arguments(tmp_path), "--works-in", "windows", "--yes")
    assert told.code == 2
    assert "--program" in told.err


def test_a_guide_that_cannot_be_read_is_told(cli: Cli, tmp_path: Path) -> None:
    given = arguments(tmp_path)
    (tmp_path / "letters.html").unlink()
    told = cli(*given, "--yes")
    assert told.code == 2
    assert "cannot be read" in told.err


def test_an_agent_is_described_anew_and_as_before(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, new = ["--data", str(tmp_path / "data")], "Works in windows: fills in forms."
    (tmp_path / "script.json").write_text(json.dumps([{"why": "It did.", "skills": new}]))
    describe = ["role", "describe", "Operator", "--model", f"scripted:{tmp_path / 'script.json'}", *data]
    nothing = cli(*describe, "--yes")
    assert (nothing.code, "Nothing is remembered of what Operator did" in nothing.err) == (2, True)
    memory = memory_of(Settings(data=tmp_path / "data", config=tmp_path / "config"))
    memory.add(Entry(id="0" * 12, role="Operator", situation="Fill in the form", verdict="proven", created=1.0))
    memory.close()
    assert "There is nobody to ask" in cli(*describe).err

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(typer, "prompt", lambda *_, **__: False)  # type: ignore[misc]
    said_no = cli(*describe)
    assert (said_no.code, f"Proposed from 1 subtask, 0 of them failed: {new}\nWhy: It did.\n" in said_no.out) == (6, True)
    assert new not in cli("role", "show", "Operator").out
    accepted = cli(*describe, "--yes", "--json").json
    assert (accepted["skills"], accepted["why"]) == (new, "It did.")
    assert f'skills: "{new}"\n' in cli("role", "show", "Operator").out
    assert "and stays" in cli(*describe, "--yes").out
    assert cli(*describe, "--undo").out == f"Operator is described as before: {accepted['before']}\n"
    again = cli(*describe, "--undo")
    assert (again.code, "Operator has no new description" in again.err) == (2, True)
