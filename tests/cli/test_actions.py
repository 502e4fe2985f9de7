"""``deskcrew actions``, and what ``deskcrew run`` asks about a file that is new."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from cli.conftest import Cli
from deskcrew.actions.allowed import Allowed
from deskcrew.cli.actions import ask_about_new
from support.crew import settings_in

EXAMPLE = Path(__file__).parents[2] / "examples" / "actions" / "replace_text.py"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An action file of the project that commands are called in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DESKCREW_CONFIG", str(tmp_path / "config"))
    folder = tmp_path / ".deskcrew" / "actions"
    folder.mkdir(parents=True)
    return Path(shutil.copy(EXAMPLE, folder))


def test_a_file_is_listed_allowed_and_asked_about_again(cli: Cli, file: Path) -> None:
    (row,) = cli("actions", "list", "--json").json["files"]
    assert (row["allowed"], row["actions"]) == (False, [])
    assert row["problem"] == f"Not allowed yet: deskcrew actions allow {file}"
    ran = cli("run", "Do it.", "--desktop", "none", "--model", "scripted:none.json")
    assert ran.code == 2
    assert "nobody has allowed it yet" in ran.err
    assert "deskcrew actions allow" in ran.err
    assert cli("actions", "allow", str(file)).out.endswith("replace_text.py: replace_text.\n")
    (row,) = cli("actions", "list", "--json").json["files"]
    assert [(each["name"], each["risk"], each["roles"]) for each in row["actions"]] == [
        ("replace_text", "write", ["FileManager"])
    ]
    shown = cli("actions", "list").out
    assert "Replace one text in a text file by another one" in shown
    file.write_text(file.read_text() + "\n")
    assert not cli("actions", "list", "--json").json["files"][0]["allowed"]


def test_what_does_not_work_is_not_allowed(cli: Cli, file: Path) -> None:
    file.write_text("ACTIONS = nothing\n")
    said = cli("actions", "allow", str(file))
    assert said.code == 2
    assert "line 1: it cannot be loaded: NameError: name 'nothing' is not defined" in said.err
    assert cli("actions", "list", "--json").json["files"][0]["allowed"] is False


@pytest.mark.parametrize("yes", [True, False])
def test_whoever_is_there_is_asked(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], yes: bool
) -> None:
    settings = settings_in(tmp_path)
    asked: list[str] = []

    def confirm(question: str, **_: Any) -> bool:
        asked.append(question)
        return yes

    monkeypatch.setattr(typer, "confirm", confirm)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    ask_about_new(settings, json=False)
    assert "def replace_text(" in capsys.readouterr().out, "the code is shown before it is asked about"
    assert bool(Allowed(settings.config).digests()) == yes
    ask_about_new(settings, json=False)
    assert len(asked) == (1 if yes else 2)
