"""``--json`` prints one object whatever happens: the command line in processes of its own, ended and broken in many ways."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deskcrew.journal.store import Store
from support.waiting import LATEST

pytestmark = pytest.mark.usefixtures("words_only")

START = "import sys; from deskcrew.ways_in.cli import main; main(sys.argv[1:])"
FAULT = f"""
from deskcrew.environments.workspace import Workspace
def observe(self, *given, **more):
    raise RuntimeError("a fault in it")
Workspace.observe = observe
{START}
"""
SLEEPS = {"operations": [{"function": "run_python_code", "code": "import time; time.sleep(600)"}], "branch": "Continue"}
STOPS: dict[str, Any] = {"operations": [], "branch": "Interrupt", "problem": "enough"}


@pytest.fixture
def running() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes of this test; none outlives it."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def arguments(folder: Path, *replies: dict[str, Any], model: str = "") -> list[str]:
    """A run of a crew of one whose model says ``replies``."""
    (folder / "work").mkdir(exist_ok=True)
    script = folder / "replies.json"
    script.write_text(json.dumps(replies))
    where = ["--workspace", str(folder / "work"), "--data", str(folder / "data"), "--desktop", "none", "--crew", "solo"]
    return ["run", "Do it.", *where, "--model", model or f"scripted:{script}", "--json"]


def said(*arguments: str, program: str = START, before: tuple[str, ...] = ()) -> tuple[int, dict[str, Any], str]:
    command = [*before, sys.executable, "-c", program, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=LATEST, stdin=subprocess.DEVNULL, check=False)
    return ended.returncode, one(ended.stdout), ended.stderr


def one(out: str) -> dict[str, Any]:
    """The one object that was printed, which says how it ended."""
    (line,) = out.splitlines()
    told = json.loads(line)
    assert {"run", "outcome", "reason", "why", "exit_code"} <= {*told}, told
    return told


@pytest.mark.first_case
@pytest.mark.parametrize("wrong", [["--nope"], ["--lanes", "many"], ["--model", "nobody:x"], ["--workspace", "/nowhere"]])
def test_a_wrong_flag(tmp_path: Path, wrong: list[str]) -> None:
    code, told, err = said(*arguments(tmp_path, STOPS), *wrong)
    assert (code, told["exit_code"], told["outcome"], told["reason"], told["run"]) == (2, 2, "failed", "usage", None)
    assert told["error"]
    assert err


def test_what_is_no_flag_of_ours_is_no_wish_for_json() -> None:
    ended = subprocess.run([sys.executable, "-c", START, "run", "--nope", "--", "--json"], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, b"")


def test_a_bug_in_it(tmp_path: Path) -> None:
    code, told, err = said(*arguments(tmp_path, STOPS), program=FAULT)
    assert (code, told["exit_code"], told["outcome"], told["reason"]) == (1, 1, "interrupted", "bug")
    assert told["error"] == "RuntimeError: a fault in it"
    assert told["run"] == Store(tmp_path / "data/journal.db").journal("last").run
    assert "This is a bug in Deskcrew" in err
    assert "Traceback" in err


def test_a_bug_before_there_is_a_run() -> None:
    program = (
        f"import deskcrew.settings as s\ndef of(*_, **__): raise RuntimeError('a fault')\ns.Settings.load = of\n{START}"
    )
    code, told, _ = said("runs", "--json", program=program)
    assert (code, told["reason"], told["run"], told["error"]) == (1, "bug", None, "RuntimeError: a fault")


@pytest.mark.first_case
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal(tmp_path: Path, running: list[subprocess.Popen[str]], number: signal.Signals) -> None:
    command = [sys.executable, "-c", START, *arguments(tmp_path, SLEEPS)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    running.append(process)
    journal = tmp_path / "data/journal.db"
    until = time.monotonic() + LATEST
    while not (journal.exists() and Store(journal).runs(limit=1) and acting(journal)):
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(number)
    out, _ = process.communicate(timeout=LATEST)
    told = one(out)
    assert (process.returncode, told["exit_code"], told["outcome"]) == (6, 6, "stopped")
    assert told["run"] == Store(journal).journal("last").run


def acting(journal: Path) -> bool:
    return any(event.body.type == "action_started" for event in Store(journal).journal("last").events)


def test_a_denied_run(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/kept.txt").write_text("x")
    deletes = {"operations": [{"function": "delete_file", "path": "kept.txt"}], "branch": "Continue"}
    code, told, _ = said(*arguments(tmp_path, deletes, STOPS))
    assert code == told["exit_code"] != 0
    assert told["run"]


def test_a_model_that_does_not_exist(tmp_path: Path) -> None:
    code, told, _ = said(*arguments(tmp_path, model="scripted:/nowhere.json"))
    assert code == told["exit_code"]
    assert told["error"]
    assert told["run"] is None


@pytest.mark.first_case
@pytest.mark.parametrize("mode", [0, 0o600])
def test_a_workspace_that_cannot_be_read(tmp_path: Path, mode: int) -> None:
    given = arguments(tmp_path, STOPS)
    (tmp_path / "work").chmod(mode)
    # root reads everything unless that is taken from it
    mortal = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
    if mortal and not shutil.which("setpriv"):
        pytest.skip("setpriv is needed")
    try:
        code, told, err = said(*given, before=mortal)
    finally:
        (tmp_path / "work").chmod(0o700)
    assert (code, told["exit_code"], told["reason"]) == (2, 2, "usage")
    assert "cannot be used: Permission denied" in told["error"]
    assert "This is a bug" not in err
