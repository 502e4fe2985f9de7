"""Stands for OSWorld's machine as far as files and commands go, and asks its own evaluators: a program of its own.

``python machine.py begin CLONE TASK.json FILES`` does a task's steps before the work, ``... evaluate ... OUTCOME`` those
after it and then the evaluation; both print one line, JSON. It runs in a sandbox where the work is at ``/home/user``.

Getters, metrics and what is made of them are those of CLONE, unchanged. What they ask of the machine is answered here: its
files, and commands by ``/execute``. What they fetch is read from FILES. Modules that are not installed are stood in for, and
a task that uses one is not judged. There are no windows: steps that press keys in them do nothing.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import inspect
import json
import logging
import os
import platform
import shlex
import subprocess
import sys
import types
import urllib.parse
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

HOME = "/home/user"
CACHE = "/tmp/cache"
COMMAND_SECONDS = 120.0
WINDOWS = ("pyautogui", "xdotool", "wmctrl")
"""Words of commands that work in windows."""
PASSWORD = "password"


class NotHere(Exception):
    """Something that cannot be had here, and without which there is no verdict."""


def local(url: str, files: Path) -> Path:
    """Where the file of an address is in FILES: under its path in their data set, or under FOLDER/NAME of it."""
    path = urllib.parse.unquote(urllib.parse.urlparse(url).path)
    tail = path.partition("/resolve/main/")[2] or path.lstrip("/")
    return files / tail


class Answer:
    """An answer of ``requests``."""

    def __init__(self, content: bytes) -> None:
        self.content, self.status_code, self.headers = content, 200, {"content-length": str(len(content))}
        self.ok, self.text = True, content.decode("utf-8", "replace")

    def json(self) -> Any:
        return json.loads(self.content)

    def iter_content(self, chunk_size: int = 1) -> list[bytes]:
        return [self.content]

    def raise_for_status(self) -> None: ...


class Machine:
    """What an evaluator knows as ``env``. ``failed``: the work ended with the word that the task cannot be done."""

    vm_ip, server_port, chromium_port, vlc_port, vm_platform = "machine", 5000, 9222, 8080, "Linux"
    enable_proxy, is_environment_used = False, True

    def __init__(self, files: Path, *, failed: bool) -> None:
        self.files, self.cache_dir = files, CACHE
        self.action_history = ["FAIL" if failed else "DONE"]
        self.controller = self.setup_controller = self
        self.vm_machine = platform.machine()
        self.missed: list[str] = []
        """What was asked for and cannot be had: evaluators take an error for a wrong result, and it is none."""
        Path(CACHE).mkdir(parents=True, exist_ok=True)

    def miss(self, what: str) -> NotHere:
        self.missed.append(what)
        return NotHere(what)

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("get_", "execute_", "start_", "end_")):
            raise self.miss(f"the machine's {name.removeprefix('get_')} cannot be had")
        raise AttributeError(name)

    def setup(self, steps: Sequence[dict[str, Any]], use_proxy: bool = False) -> bool:
        """Do steps of a task, in order."""
        for step in steps:
            given: dict[str, Any] = step["parameters"]
            match step["type"]:
                case "download":
                    for file in given["files"]:
                        target = Path(HOME, file["path"])
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(self.get(file["url"]).content)
                case "execute" | "command":
                    self._execute(given)
                case _:
                    pass  # opened by the run itself, or of windows only
        return True

    def _execute(self, given: dict[str, Any]) -> None:
        command: Any = given["command"]
        for name, value in (("CLIENT_PASSWORD", PASSWORD), ("SCREEN_WIDTH_HALF", "640"), ("SCREEN_HEIGHT_HALF", "400")):
            marked = f"{{{name}}}"
            command = (
                command.replace(marked, value)
                if isinstance(command, str)
                else [word.replace(marked, value) for word in command]
            )
        if any(word in str(command) for word in WINDOWS):
            return
        told = run(command, shell=bool(given.get("shell", False)))
        for name in ("stdout", "stderr"):
            if place := given.get(name):
                Path(CACHE, place).write_text(told["output" if name == "stdout" else "error"], encoding="utf-8")

    def get(self, url: str, **_: object) -> Answer:
        """In the place of ``requests.get``."""
        if not (found := local(url, self.files)).is_file():
            raise self.miss(f"{found.relative_to(self.files)} is not among the files")
        return Answer(found.read_bytes())

    def post(self, url: str, json: Any = None, data: Any = None, **_: object) -> Answer:
        """In the place of ``requests.post``."""
        if not url.endswith("/execute"):
            raise self.miss(f"the machine's {url.rpartition('/')[2]} cannot be had")
        asked = json if json is not None else loads(data)
        return Answer(dumps(run(asked["command"], shell=bool(asked.get("shell", False)))).encode())

    def get_file(self, path: str) -> bytes | None:
        """The file of a path, None where there is none."""
        try:
            return Path(HOME, path).read_bytes()
        except OSError:
            return None

    def execute_python_command(self, command: str) -> dict[str, Any]:
        if any(word in command for word in WINDOWS):
            raise self.miss("the machine has no windows")
        return run(["python3", "-c", command])

    def get_vm_platform(self) -> str:
        return "Linux"

    def get_vm_machine(self) -> str:
        return self.vm_machine

    def get_vm_directory_tree(self, path: str) -> dict[str, Any] | None:
        return tree(Path(path)) if Path(path).is_dir() else None


loads, dumps = json.loads, json.dumps


def tree(folder: Path) -> dict[str, Any]:
    """A folder as their server tells it."""
    inside = [tree(path) if path.is_dir() else {"type": "file", "name": path.name} for path in sorted(folder.iterdir())]
    return {"type": "directory", "name": folder.name, "children": inside}


def run(command: Any, *, shell: bool = False) -> dict[str, Any]:
    """Run a command as their server does: without a shell a text is split, and ``~/`` is the home."""
    if not shell:
        words = shlex.split(command) if isinstance(command, str) else [str(word) for word in command]
        command = [os.path.expanduser(word) if word.startswith("~/") else word for word in words]
    elif not isinstance(command, str):
        command = shlex.join(command)
    try:
        done = subprocess.run(
            command, shell=shell, capture_output=True, text=True, errors="replace", timeout=COMMAND_SECONDS, cwd=HOME,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"status": "error", "output": "", "error": str(error), "returncode": 1}
    return {"status": "success", "output": done.stdout, "error": done.stderr, "returncode": done.returncode}


class _Kind(type):
    """Of what stands in for a name of a module that is not installed: it can be named, subclassed and caught."""

    machine: Machine | None = None

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Kind(name, (_Missing,), {"__module__": f"{cls.__module__}"})

    def __call__(cls, *_: object, **__: object) -> Any:
        if _Kind.machine is not None:  # while modules are loaded nothing is judged yet
            raise _Kind.machine.miss(f"{cls.__module__} is not installed")
        return cls


class _Missing(Exception, metaclass=_Kind):
    """The base of all that is missing."""


class _Standing(types.ModuleType):
    """A module that is not installed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Kind(name, (_Missing,), {"__module__": self.__name__.partition(".")[0]})


_IMPORTING = ("importlib", "importlib._bootstrap", "importlib._bootstrap_external", "_frozen_importlib")


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds last, what nobody else finds, for modules of ``package``: libraries know what to do without others."""

    def __init__(self, package: str) -> None:
        self.package = package

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        top = name.partition(".")[0]
        if top == self.package or (top != name and not isinstance(sys.modules.get(top), _Standing)):
            return None
        frame = inspect.currentframe()
        while frame is not None and frame.f_globals["__name__"] in (__name__, *_IMPORTING):
            frame = frame.f_back
        if frame is None or frame.f_globals["__name__"].partition(".")[0] != self.package:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Standing(spec.name)

    def exec_module(self, module: types.ModuleType) -> None: ...


def evaluate(clone: Path, evaluator: dict[str, Any], machine: Machine) -> tuple[float, str]:
    """What their evaluation says of the machine as it is: a score, and a word where there is none."""
    sys.path.insert(0, str(clone))
    sys.meta_path.append(StandIns("desktop_env"))
    requests: Any = importlib.import_module("requests")
    requests.get, requests.post = machine.get, machine.post
    theirs: Any = importlib.import_module("desktop_env.desktop_env").DesktopEnv
    _Kind.machine = machine
    theirs._set_evaluator_info(machine, {"evaluator": evaluator})
    try:
        score = float(theirs.evaluate(machine))
    except NotHere:
        score = 0.0
    return score, f"not judged: {machine.missed[0]}" if machine.missed else ""


def equip() -> None:
    """Have the programs that their machine has: ``python``, and ``sudo``, since here is one user only."""
    tools = Path("/tmp/bin")
    tools.mkdir(exist_ok=True)
    (tools / "python").symlink_to(sys.executable)
    (tools / "sudo").write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n')
    (tools / "sudo").chmod(0o755)


def main() -> None:
    """Print ``[true, ""]`` where it began, and ``[right, what it says]`` where it was evaluated."""
    what, clone, task, files, *outcome = sys.argv[1:]
    logging.disable()
    equip()
    told: dict[str, Any] = json.loads(Path(task).read_bytes())
    machine = Machine(Path(files), failed=outcome == ["infeasible"])
    with redirect_stdout(sys.stderr):
        if what == "begin":
            try:
                machine.setup(told.get("config", ()))
                said, right = "", True
            except NotHere as error:
                said, right = str(error), False
        else:
            score, said = evaluate(Path(clone), told["evaluator"], machine)
            right = score >= 1 and not said
            said = said or ("" if right else f"score {score:g}")
    print(json.dumps([right, said]))


if __name__ == "__main__":
    main()
