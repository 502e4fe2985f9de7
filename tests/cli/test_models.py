"""``deskcrew models``."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cli.conftest import Cli
from deskcrew.models.catalogue import DEFAULT_MODEL
from deskcrew.models.probe import Probe
from deskcrew.models.store import StoreError, WeightStore
from deskcrew.ways_in.cli.models import ProgressBar, probe_rows

SMALL = "smollm2-135m-instruct"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    found = tmp_path / "models"
    found.mkdir()
    monkeypatch.setenv("DESKCREW_MODELS", str(found))
    return found


def put(folder: Path, name: str) -> Path:
    """A file of the right size, which takes no room."""
    entry = WeightStore(folder).entry(name)
    path = folder / entry.file
    with path.open("wb") as file:
        file.truncate(entry.size)
    return path


def test_list(cli: Cli, folder: Path) -> None:
    path = put(folder, SMALL)
    entry = WeightStore(folder).entry()
    with (folder / f"{entry.file}.partial").open("wb") as file:
        file.truncate(entry.size // 2)
    lines = cli("models", "list").out.splitlines()
    small = next(line for line in lines if SMALL in line)
    assert " yes " in small
    assert "98.4 MB" in small
    assert any(DEFAULT_MODEL in line and "% fetched" in line for line in lines)
    rows = {row["name"]: row for row in cli("models", "list", "--json").json["models"]}
    assert rows[SMALL]["path"] == str(path)
    assert rows[DEFAULT_MODEL]["path"] is None
    assert rows[DEFAULT_MODEL]["default"] is True


def test_pull_what_is_here_and_remove_it(cli: Cli, folder: Path) -> None:
    path = put(folder, SMALL)
    assert str(path) in cli("models", "pull", SMALL).out
    assert cli("models", "pull", SMALL, "--json").json == {"name": SMALL, "path": str(path)}
    assert "was removed" in cli("models", "remove", SMALL).out
    assert not path.exists()
    assert "was not on this machine" in cli("models", "remove", SMALL).out


@pytest.mark.parametrize("command", ["pull", "remove"])
def test_an_unknown_name(cli: Cli, folder: Path, command: str) -> None:
    said = cli("models", command, "gpt-99")
    assert said.code == 2
    assert SMALL in said.err


def test_a_failed_pull_says_what_to_do(cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: WeightStore, name: str, *, progress: Any) -> Path:
        progress.started(self.entry(name), "a source")
        progress.failed("a source", "it is\x1b[2J down")
        raise StoreError("could not be fetched", hint="Pull again.")

    monkeypatch.setattr(WeightStore, "pull", fail)
    said = cli("models", "pull", SMALL)
    assert said.code == 1
    assert "a source failed: it is␛[2J down" in said.err
    assert "Pull again." in said.err
    assert said.out == ""


def bar_output(terminal: bool) -> str:
    console = Console(file=io.StringIO(), width=160, force_terminal=terminal, no_color=True)
    entry = WeightStore().entry(SMALL)
    with ProgressBar(console) as bar:
        bar.waiting(entry)
        bar.started(entry, "the Hub")
        for done in range(0, entry.size + 1, entry.size // 40):
            bar.advanced(done, entry.size)
        bar.advanced(entry.size, entry.size)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_progress_where_nobody_watches_is_a_few_lines() -> None:
    said = bar_output(terminal=False).splitlines()
    assert said[0].startswith("Another Deskcrew is fetching")
    assert said[1] == f"Fetching {SMALL} from the Hub"
    assert said[2:] == [f"{tenth}0%" if tenth else "0%" for tenth in range(11)]


def test_progress_on_a_terminal_is_a_bar() -> None:
    said = bar_output(terminal=True)
    assert SMALL in said
    assert "98.4/98.4 MB" in said


def test_a_probe_in_words() -> None:
    rows = dict(
        probe_rows(
            Probe("m", True, schema_obeyed=True, correct=False, context=8192, reply_rate=24.6, seconds=1.3, cost_known=False)
        )
    )
    assert rows["obeys the schema"] == "yes"
    assert rows["small sum right"] == "no"
    assert rows["sees pictures"] == "no, according to its profile"
    assert rows["speed"] == "25 tokens a second, 1.3 s an answer"
    assert rows["context"].startswith("8,192")
    assert rows["reports tokens"] == "not tried"
    assert rows["price known"] == "no"
    assert [label for label, _ in probe_rows(Probe("m", False, problem="no key"))] == ["model", "reachable", "problem"]


def script(tmp_path: Path, *replies: Any) -> str:
    path = tmp_path / "probe.json"
    path.write_text(json.dumps(replies))
    return f"scripted:{path}"


RIGHT = {"question": "17 + 25?", "result": 42, "parity": "even"}


def test_testing_a_model_that_works(cli: Cli, tmp_path: Path) -> None:
    said = cli("models", "test", script(tmp_path, RIGHT, RIGHT, {"colour": "purple"}), "--json")
    assert said.code == 0
    assert said.json["usable"] is True
    assert said.json["correct"] is True
    said = cli("models", "test", script(tmp_path, RIGHT, RIGHT, {"colour": "red"}))
    assert said.code == 0
    assert "It can work in a crew." in said.out


def test_it_is_told_which_way_a_model_goes_and_why(cli: Cli, tmp_path: Path) -> None:
    name = script(tmp_path, RIGHT, RIGHT, {"colour": "purple"})
    said = cli("models", "probe", name, "--json").json
    assert (said["way"], "may use all actions" in said["why"]) == ("freely", True)
    file = Path(cli("models", "show", name, "--json").json["models_file"])
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[[profile]]\nname = "mine"\nmatch = ["scripted:*"]\ncontracts = false\n')
    said = cli("models", "test", name, "--json").json
    assert (said["way"], said["usable"]) == ("skills", True)
    told = cli("models", "test", name).out
    assert "skills only: its profile, 'mine', says that it cannot write contracts" in " ".join(told.split())
    assert "It can choose skills and fill them in." in told


def test_testing_a_model_that_keeps_to_no_form(cli: Cli, tmp_path: Path) -> None:
    said = cli("models", "test", script(tmp_path, "hm", "hm", "hm"))
    assert said.code == 4
    assert "It cannot work in a crew." in said.out


def test_testing_what_cannot_be_had(cli: Cli) -> None:
    said = cli("models", "test", "openai:x")
    assert said.code == 4
    assert "OPENAI_API_KEY" in said.err
    assert cli("models", "test", "nonsense").code == 2


def test_show_says_what_a_model_is_taken_for(cli: Cli) -> None:
    shown = cli("models", "show", "openai:gpt-5-mini", "--json").json
    assert shown["profile"]["operations"] >= 20
    assert shown["profile"]["reading"] >= 8000
    assert not shown["models_file_there"]
    assert "operations" in cli("models", "show", "openai:gpt-5-mini").out
    assert cli("models", "show", "local", "--json").json["profile"]["reading"] == 0


def test_a_file_of_the_users_comes_first(cli: Cli, own_settings: Path) -> None:
    folder = own_settings / "config" / "deskcrew"
    folder.mkdir(parents=True)
    file = folder / "models.toml"
    file.write_text('[[profile]]\nname = "mine"\nmatch = ["http://127.0.0.1:*"]\nseconds = 900\nreading = 5\n')
    shown = cli("models", "show", "http://127.0.0.1:9/v1#m", "--json").json
    assert (shown["profile"]["name"], shown["profile"]["seconds"], shown["models_file_there"]) == ("mine", 900, True)
    file.write_text('[[profile]]\nname = "mine"\nmatch = ["*"]\nsecond = 900\n')
    wrong = cli("models", "show", "local")
    assert wrong.code == 2
    assert "second" in wrong.err
    assert "models.toml" in wrong.err
