"""Ctrl-C at any moment of a real run, in processes of their own: exit code 6, a readable journal, nobody left behind."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.environments.linux.conftest import needs_desktop

from deskcrew.environments.rundir import base_folder
from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from support.crew import bodies
from support.folders import written
from support.sampling import sampled
from support.waiting import LATEST, all_end

pytestmark = pytest.mark.fault

COMMAND = [sys.executable, "-c", "from deskcrew.ways_in.cli import main; main()", "run"]
SLEEP = "import time; open('begun', 'w').close(); time.sleep(600)"
OPEN = {"operations": [{"function": "open_application", "app_name": "Text Editor (Mousepad)"}], "branch": "RoleTaskFinish"}
SCRIPT: list[Any] = [
    {"subtasks": [{"goal": "wait", "role": "Programmer"}]},
    {"operations": [{"function": "run_python_code", "code": "print(1)"}], "branch": "Continue"},
    {"operations": [{"function": "run_python_code", "code": SLEEP}], "branch": "RoleTaskFinish"},
]


class Runs:
    """Command lines of this test; none outlives it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.running = folder, list[subprocess.Popen[str]]()

    def begin(
        self, name: str, script: list[Any], *more: str, desktop: str = "none", task: str = "Wait for out.txt."
    ) -> subprocess.Popen[str]:
        data, work = self.folder / name / "data", self.folder / name / "folder"
        replies = self.folder / f"{name}.json"
        work.mkdir(parents=True)
        replies.write_text(json.dumps(script))
        command = [*COMMAND, task, "--data", str(data), "--workspace", str(work), "--desktop", desktop]
        command += ["--model", f"scripted:{replies}", "--json", *more]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.running.append(process)
        return process


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    for process in made.running:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def own_rundirs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run folders of this test alone: what other desktops of this machine do meanwhile is nothing to it."""
    with tempfile.TemporaryDirectory(prefix="d-", dir="/tmp") as folder:  # their paths must be short
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + LATEST
    while not (path.exists() or written(path.parents[1], path.name)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.02)


def stop(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Send SIGINT once. Returns what was below the process then."""
    below = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LATEST)
    assert process.returncode == 6, (process.returncode, out, err)
    assert "Traceback" not in err
    assert json.loads(out)["outcome"] == "stopped"
    return below


def all_gone(below: list[psutil.Process], folder: Path) -> None:
    assert all_end(below)
    assert not [p.pid for p in psutil.process_iter() if tells_of(p, folder)]


def tells_of(process: psutil.Process, folder: Path) -> bool:
    """Whether a process was told of a folder, or is in a sandbox that has it mounted."""
    try:
        mounts = Path("/proc", str(process.pid), "mountinfo").read_text()
        return str(folder) in " ".join(process.cmdline()) or str(folder) in mounts
    except (OSError, psutil.NoSuchProcess):
        return False


@pytest.mark.deep
def test_while_a_program_sleeps(runs: Runs, tmp_path: Path) -> None:
    process = runs.begin("a", SCRIPT)
    wait_for(tmp_path / "a/folder/begun", process)
    below = stop(process)
    assert below, "no program was running"
    all_gone(below, tmp_path / "a")
    journal = Store(tmp_path / "a/data/journal.db").journal("last")
    assert journal.verify() == []
    assert isinstance(journal.events[-1].body, e.RunFinished)
    assert journal.events[-1].body.outcome.status == "stopped"
    assert journal.state.action is not None, "that it started is known, that it ended is not claimed"


@pytest.mark.parametrize("seed", sampled(range(4), 1))
@pytest.mark.deep
def test_at_any_moment(runs: Runs, tmp_path: Path, seed: int) -> None:
    """From when the journal is there: before it nothing was begun, see tests/cli/test_signals.py."""
    process = runs.begin("a", SCRIPT)
    wait_for(tmp_path / "a/data/journal.db", process)
    time.sleep(random.Random(seed).uniform(0, 0.8))
    all_gone(stop(process), tmp_path / "a")
    store = Store(tmp_path / "a/data/journal.db")
    for row in store.runs():
        journal = store.journal(row.id)
        assert journal.verify() == []
        assert row.outcome == "stopped"


@pytest.mark.deep
@pytest.mark.desktop
def test_on_a_virtual_desktop(runs: Runs, tmp_path: Path, own_rundirs: None) -> None:
    needs_desktop()
    before = set(base_folder().iterdir())
    script = [
        {
            "subtasks": [{"goal": "open", "role": "ApplicationManager"}, {"goal": "wait", "role": "Programmer"}],
        },
        OPEN,
        SCRIPT[2],
    ]  # fmt: skip
    process = runs.begin("a", script, desktop="virtual")
    wait_for(tmp_path / "a/folder/begun", process)
    below = stop(process)
    assert any(p.name().startswith("bwrap") for p in below if p.is_running()) or below
    all_gone(below, tmp_path / "a")
    left = set(base_folder().iterdir()) - before
    assert not left
    assert Store(tmp_path / "a/data/journal.db").journal("last").verify() == []


@pytest.mark.deep
@pytest.mark.desktop
def test_two_runs_at_once_do_not_disturb_each_other(runs: Runs, tmp_path: Path) -> None:
    needs_desktop()

    def script(text: str, name: str) -> list[Any]:
        typing = [{"function": "keyboard_input", "keys": text, "control": ""}, {"function": "hotkey", "keys": ["ctrl", "s"]}]
        saving = [{"function": "keyboard_input", "keys": name, "control": "", "clear": True, "click_enter": True}]
        goals = [("open the editor", "ApplicationManager"), (f"type and save as {name}", "Operator")]
        return [
            {"subtasks": [{"goal": goal, "role": role} for goal, role in goals]},
            OPEN,
            {"operations": typing, "branch": "Continue"},
            {"operations": saving, "branch": "RoleTaskFinish"},
        ]  # fmt: skip

    tasks = {"a": ("alpha text, 123", "first.txt"), "b": ("βήτα text, 456", "second.txt")}
    begun = {
        key: runs.begin(
            key, script(text, name), "--require", f"file_contains {name} '{text}'", desktop="virtual",
            task=f'Type "{text}" and save it as {name}.',
        )
        for key, (text, name) in tasks.items()
    }  # fmt: skip
    for key, (text, name) in tasks.items():
        out, err = begun[key].communicate(timeout=LATEST)
        journal = Store(tmp_path / key / "data/journal.db").journal("last")
        told = [f"{b.operation.function} {b.ok} {b.error}" for b in bodies(journal, e.ActionFinished)]
        assert begun[key].returncode == 0, (told, out, err)
        files = {
            path.name: path.read_text().rstrip("\n") for path in (tmp_path / key / "folder").iterdir() if path.is_file()
        }
        assert files == {name: text}
        assert journal.verify() == []
