"""Tasks of OSWorld's form: begun in a folder that stands for its machine's home, judged by evaluators beside them."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Cli
from deskcrew.environments.isolation import Bubblewrap
from deskcrew.errors import UsageError
from deskcrew.facts.run_settings import Opened
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench.osworld.suite import Begun, Place
from deskcrew_bench.osworld.tasks import ACCOUNT, BROWSER, GESTURES, SYSTEM, VS_CODE, WEB, WINDOWS_ITSELF, tasks_of
from deskcrew_bench.suites import folders
from support.crew import settings_in

pytestmark = pytest.mark.anyio
sandboxed = pytest.mark.skipif(isinstance(Bubblewrap.find(), str), reason="there can be no sandbox here")

ENVIRONMENT = """
import gym_of_theirs as gym
from desktop_env.evaluators import getters, metrics

class DesktopEnv(gym.Env):
    def _set_evaluator_info(self, task):
        self.evaluator = task["evaluator"]

    def evaluate(self):
        told = self.evaluator
        self.setup_controller.setup(told.get("postconfig", []))
        failed = self.action_history[-1] == "FAIL"
        if told["func"] == "infeasible" or failed:
            return int(told["func"] == "infeasible" and failed)
        got = [getattr(getters, "get_" + told[name]["type"])(self, told[name]) for name in ("result", "expected")]
        return getattr(metrics, told["func"])(*got)
"""
GETTERS = """
import requests

def get_vm_file(env, config):
    content = env.controller.get_file(config["path"])
    return content and content.decode()

def get_cache_file(env, config):
    return open(env.cache_dir + "/" + config["path"]).read()

def get_cloud_file(env, config):
    return requests.get(config["path"], stream=True).content.decode()

def get_vm_command_line(env, config):
    asked = {"command": config["command"], "shell": config.get("shell", False)}
    return requests.post(f"http://{env.vm_ip}:{env.server_port}/execute", json=asked).json()["output"]

def get_accessibility_tree(env, config):
    return env.controller.get_accessibility_tree()

def get_rule(env, config):
    return config["rules"]
"""
METRICS = """
from module_of_theirs.parts import Reader

def same(result, expected):
    return float(result == expected)

def half(result, expected):
    return 0.5

def read(result, expected):
    try:
        return float(Reader(result).text == expected)
    except Exception:
        return 0.0
"""
FETCHED = "https://example.com/datasets/of/theirs/resolve/main/os/a%20note.txt"
NOTE = "os/a note.txt"
FILE = {"type": "vm_file", "path": "/home/user/Desktop/note.txt", "dest": "note.txt"}
KEPT = {"type": "rule", "rules": "bread\nmilk\n"}
FETCH = {"type": "download", "parameters": {"files": [{"url": FETCHED, "path": "/home/user/Desktop/note.txt"}]}}
RIGHT = 'open("Desktop/note.txt", "a").write("milk\\n")'


def _run(*command: str, **more: Any) -> dict[str, Any]:
    return {"type": "execute", "parameters": {"command": command[0] if more.get("shell") else list(command), **more}}


def _keys(code: str) -> dict[str, Any]:
    return _run("python", "-c", f"import pyautogui; pyautogui.{code}")


def _judged(result: Any = FILE, expected: Any = KEPT, func: str = "same", **more: Any) -> dict[str, Any]:
    return {"func": func, "result": result, "expected": expected, **more}


def _command(text: str, expected: str) -> dict[str, Any]:
    told = {"type": "vm_command_line", "command": text, "shell": True}
    return _judged(told, {"type": "rule", "rules": expected})


TASKS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "fetched": ([FETCH], _judged()),
    "compared": ([FETCH], _judged({**FILE, "path": "/home/user/copy.txt"}, {"type": "cloud_file", "path": FETCHED})),
    "renamed": (
        [_run("echo {CLIENT_PASSWORD} | sudo -S mkdir ~/Desktop/old", shell=True), _keys("click(960, 540)")],
        _command("[ -d ~/Desktop/new ] && echo yes", "yes\n"),
    ),
    "listed": (
        [],
        _judged(
            {"type": "cache_file", "path": "ls.out"},
            {"type": "rule", "rules": "note.txt\n"},
            postconfig=[_keys("hotkey('ctrl', 's')"), _run("ls", "~/Documents", stdout="ls.out")],
        ),
    ),
    "impossible": ([], {"func": "infeasible"}),
}
RESULTS = {
    "fetched": RIGHT,
    "compared": 'import shutil; shutil.copy("Desktop/note.txt", "copy.txt")',
    "renamed": 'import os; os.rename("Desktop/old", "Desktop/new")',
    "listed": 'open("Documents/note.txt", "w")',
}


def _write(clone: Path, name: str, begins: Any, evaluator: Any, **more: Any) -> None:
    path = clone / "evaluation_examples/examples/os" / f"{name}.json"
    told = {"id": name, "instruction": "Do it in /home/user/Desktop.", "config": begins, "evaluator": evaluator}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"related_apps": ["os"], **told, **more}))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of tasks that are alike, with evaluators."""
    made = tmp_path / "clone"
    for path, text in (
        ("desktop_env/__init__.py", ""),
        ("desktop_env/desktop_env.py", ENVIRONMENT),
        ("desktop_env/evaluators/__init__.py", ""),
        ("desktop_env/evaluators/getters.py", GETTERS),
        ("desktop_env/evaluators/metrics.py", METRICS),
    ):
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text(text)
    for name, (begins, evaluator) in TASKS.items():
        _write(made, name, begins, evaluator)
    return made


def _place(clone: Path) -> Place:
    folder = clone.parent
    (folder / "files/os").mkdir(parents=True, exist_ok=True)
    (folder / "files" / NOTE).write_text("bread\n")
    (folder / "right").mkdir(exist_ok=True)
    for name, code in RESULTS.items():
        (folder / "right" / f"{name}.py").write_text(code)
    return Place(clone, folder / "files", Path(sys.executable), folder / "right")


def _begun(clone: Path, name: str) -> Begun:
    (task,) = tasks_of(clone, [name])
    return Begun(task, _place(clone))


@sandboxed
def test_a_result_made_by_hand_is_right_and_nothing_done_is_not(clone: Path, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)

    def said(name: str, model: str) -> tuple[bool, str]:
        begun = _begun(clone, name)
        trial = folders.control(begun, settings, model=model, crew="-", make_right=Begun.make_right)
        return trial.right, trial.said

    assert {name: said(name, "right") for name in TASKS} == dict.fromkeys(TASKS, (True, ""))
    assert {name: said(name, "no-op") for name in TASKS} == dict.fromkeys(TASKS, (False, "score 0"))


@sandboxed
@pytest.mark.parametrize(
    ("evaluator", "said"),
    [
        (_judged(func="read"), "not judged: module_of_theirs is not installed"),
        (_judged({"type": "accessibility_tree"}), "not judged: the machine's accessibility_tree cannot be had"),
        (_judged(expected={"type": "cloud_file", "path": f"{FETCHED}x"}), f"not judged: {NOTE}x is not among the files"),
        (_judged({"type": "no_such"}), "the evaluation broke down: AttributeError"),
        (_judged(func="half"), "score 0.5"),
    ],
)
def test_what_cannot_be_judged_is_told_and_never_right(clone: Path, tmp_path: Path, evaluator: Any, said: str) -> None:
    _write(clone, "odd", [FETCH], evaluator)
    begun, folder = _begun(clone, "odd"), tmp_path / "work"
    folder.mkdir()
    begun.begin(folder)
    right, told = begun.checked(folder, folders.NOTHING)
    assert not right
    assert told.startswith(said)


@sandboxed
def test_to_say_that_it_cannot_be_done_is_right_only_where_nobody_can(clone: Path, tmp_path: Path) -> None:
    begun, folder = _begun(clone, "fetched"), tmp_path / "work"
    folder.mkdir()
    begun.begin(folder)
    begun.make_right(folder)
    told = {"answer": "", "outcome": "failed", "reason": "infeasible"}
    assert begun.checked(folder, folders.NOTHING) == (True, "")
    assert begun.checked(folder, told) == (False, "score 0")
    impossible = _begun(clone, "impossible")
    assert impossible.checked(folder, told) == (True, "")
    assert not impossible.checked(folder, {**told, "reason": "stuck"})[0]


@sandboxed
def test_commands_of_a_task_write_in_its_home_only_and_an_evaluation_not_even_there(clone: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    steps = [_run(f"touch {outside} /osworld/clone/x /osworld/files/x; touch ~/in", shell=True)]
    _write(clone, "bold", steps, _command("touch ~/more; ls ~/more", "/home/user/more\n"))
    begun, folder = _begun(clone, "bold"), tmp_path / "work"
    folder.mkdir()
    begun.begin(folder)
    assert begun.checked(folder, folders.NOTHING) == (True, "")
    assert (folder / "in").exists()
    assert not any(path.exists() for path in (outside, clone / "x", tmp_path / "files/x", folder / "more"))


@sandboxed
async def test_a_run_is_judged_by_what_it_left(clone: Path, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    limits = settings.limits.model_copy(update={"replans": 0, "repairs": 0, "replies": 3})
    settings = settings.model_copy(update={"limits": limits})

    async def trial(code: str) -> Any:
        replies: dict[str, Any] = {
            "Worker": {"operations": [{"function": "run_python_code", "code": code}], "branch": "RoleTaskFinish"},
            "FinalAnswer": {"answer": "", "sources": [], "branch": "Continue"},
        }
        model = ScriptedModel(itertools.repeat(lambda call: replies[call.role]))
        return await folders.attempt(_begun(clone, "fetched"), settings, model="scripted:", crew="solo", loaded=model)

    right = await trial(RIGHT)
    assert (right.right, right.kind, right.said) == (True, "os", ""), right
    assert right.operations
    assert not (await trial("pass")).right


@sandboxed
def test_the_command_counts_what_can_be_had_refuses_the_rest_and_goes_on(clone: Path, tmp_path: Path, cli: Cli) -> None:
    _write(clone, "online", [], _judged(), proxy=True)
    place, series = _place(clone), tmp_path / "trials.jsonl"
    common = ("bench", "osworld", "--tasks", str(clone), "--files", str(place.files), "--by-hand", str(place.by_hand))
    data = ("--data", str(tmp_path / "data"))
    listed = cli(*common, *data, "--list").out
    assert listed.startswith("os: 6 tasks, 5 can be had offline with their files and programs, 5 of them here")
    assert "    online: it needs the network\n" in listed
    assert "online cannot be had here: it needs the network" in cli(*common, *data, "--only", "online").err
    for tried in (("--only", "fetched", "--only", "impossible"), ("--domain", "os")):
        done = cli(*common, *data, "--model", "right", "--jsonl", str(series), *tried, "--json")
    told = json.loads(done.out)
    assert {trial["task"]: trial["right"] for trial in told["trials"]} == dict.fromkeys(TASKS, True)
    assert len(series.read_text().splitlines()) == len(TASKS)


OPEN = {"type": "open", "parameters": {"path": "/home/user/Desktop/a.xlsx"}}
LAUNCH = {"type": "launch", "parameters": {"command": "VERBOSE=1 vlc --no-audio", "shell": True}}


@pytest.mark.parametrize(
    ("begins", "evaluator", "more", "reason"),
    [
        ([FETCH, OPEN], _judged(postconfig=[_keys("hotkey('ctrl', 's')"), _keys("hotkey('f11')")]), {}, ""),
        ([_keys("click({SCREEN_WIDTH_HALF}, {SCREEN_HEIGHT_HALF})")], _judged(), {}, ""),
        ([_keys("write('cd here')")], _judged(), {}, GESTURES),
        ([], _judged(postconfig=[_keys('hotkey(["shift", "ctrl", "e"])')]), {}, GESTURES),
        ([{"type": "googledrive", "parameters": {}}], _judged(), {}, ACCOUNT),
        ([{"type": "chrome_open_tabs", "parameters": {}}], _judged(), {}, WEB),
        ([], _judged(), {"proxy": True}, WEB),
        ([], _judged(), {"instruction": "Get https://example.com/a.png"}, WEB),
        ([], _judged(), {"related_apps": ["Chrome"]}, BROWSER),
        ([], _judged(), {"related_apps": ["vs-code"]}, VS_CODE),
        ([], _judged({"type": "accessibility_tree"}), {}, SYSTEM),
        ([_run("sudo apt-get install jq", shell=True)], _judged(), {}, SYSTEM),
        ([], _command("gsettings get a b", ""), {}, SYSTEM),
        ([], _judged({**FILE, "path": "/tmp/a.txt"}), {}, SYSTEM),
        ([{"type": "googledrive", "parameters": {}}], {"func": "infeasible"}, {}, ""),
    ],
)
def test_what_a_task_needs_is_told_from_its_file(
    clone: Path, begins: Any, evaluator: Any, more: dict[str, Any], reason: str
) -> None:
    _write(clone, "odd", begins, evaluator, **more)
    (task,) = tasks_of(clone, ["odd"])
    assert task.why_not() == reason


def test_files_and_programs_that_are_not_here_are_told(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(clone, "picture", [LAUNCH], _judged(), related_apps=["vlc"])
    monkeypatch.setattr("deskcrew_bench.osworld.suite.missing_packages", lambda packages: {*packages} & {"vlc"})
    place = _place(clone)
    reasons = place.reasons(tasks_of(clone))
    assert reasons.pop("picture") == "programs are not installed: sudo apt install vlc"
    assert reasons == dict.fromkeys(TASKS, "")
    (clone.parent / "files" / NOTE).unlink()
    assert place.reasons(tasks_of(clone, ["compared"])) == {"compared": f"files are not among --files: {FETCHED}"}


def test_what_is_open_and_what_a_run_is_asked(clone: Path) -> None:
    _write(clone, "opened", [OPEN, LAUNCH], _judged(), related_apps=["libreoffice calc", "VLC"])
    (task,) = tasks_of(clone, ["opened"])
    assert task.opened == (Opened("LibreOffice Calc", "Desktop/a.xlsx"), Opened("VLC media player"))
    assert task.home == (".config/libreoffice", ".config/vlc")
    assert task.asked.startswith("Do it in Desktop.\n")
    assert task.packages() == ("libreoffice-calc", "vlc")


def test_tasks_of_windows_are_read_and_told_apart(tmp_path: Path) -> None:
    examples = tmp_path / "src/win-arena-container/client/evaluation_examples_windows/examples/clock"
    examples.mkdir(parents=True)
    told = {"id": "same", "instruction": "Do it.", "config": [], "evaluator": {"func": "infeasible"}}
    (examples / "a-WOS.json").write_text(json.dumps(told))
    (task,) = tasks_of(tmp_path, domain="clock")
    assert (task.name, task.kind, task.why_not()) == ("a-WOS", "clock", WINDOWS_ITSELF)


def test_what_is_not_there_is_told(clone: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no tasks of OSWorld"):
        tasks_of(tmp_path / "work")
    with pytest.raises(UsageError, match="no task 'none'"):
        tasks_of(clone, ["none"])
    with pytest.raises(UsageError, match="no domain 'gimp'"):
        tasks_of(clone, domain="gimp")
    _write(clone, "odd", [], _judged())
    begun = _begun(clone, "odd")
    with pytest.raises(UsageError, match="no right result of odd"):
        begun.make_right(tmp_path)
    (clone / "evaluation_examples/examples/os/odd.json").write_text("{}")
    with pytest.raises(UsageError, match="is no task"):
        tasks_of(clone)
