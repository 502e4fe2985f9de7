"""The applications and tasks of a clone of WebArena-Infinity, and a server of one of them."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew_bench.suites.others import checker_says

Difficulty = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = ("easy", "medium", "hard")
TASKS = "real-tasks.json"
START_SECONDS = 20.0
"""Seconds in which an application's server is there."""
VERIFIER = Path(__file__).with_name("verifier.py")
CLONE = "They are in https://github.com/web-arena-x/webarena-infinity; name the folder that holds APP/real-tasks.json."


class _Listed(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    difficulty: Difficulty
    instruction: str
    verify: str


_LIST = TypeAdapter(list[_Listed])


class Task(Frozen):
    """One task. ``folder``: of its application; ``verifier``: the program that says whether it is done."""

    app: str
    id: str
    difficulty: Difficulty
    instruction: str
    folder: Path
    verifier: Path

    @property
    def name(self) -> str:
        """Its name among those of all applications."""
        return f"{self.app}/{self.id}"

    @property
    def kind(self) -> str:
        """The row of the table, in the order of difficulty."""
        return f"{self.app} {DIFFICULTIES.index(self.difficulty) + 1} {self.difficulty}"


def tasks_of(
    folder: Path, apps: Collection[str] = (), difficulties: Collection[str] = (), only: Collection[str] = ()
) -> tuple[Task, ...]:
    """The tasks in a clone: of some applications, difficulties or ids, of all where none are named. Raises UsageError where
    there are none, and for a name that is not there."""
    there = {path.parent.name: path for path in sorted(folder.glob(f"*/{TASKS}"))}
    if not there:
        raise UsageError(f"There are no applications of WebArena-Infinity in {folder}.", hint=CLONE)
    for name in apps:
        if name not in there:
            raise UsageError(f"There is no application {name!r} in {folder}.", hint=f"There are: {', '.join(there)}.")
    tasks = [task for name in apps or there for task in _read(there[name])]
    for name in only:
        if not any(task.id == name for task in tasks):
            raise UsageError(f"There is no task {name!r}.", hint="Their ids are those in the applications' lists.")
    return tuple(
        task for task in tasks if (not difficulties or task.difficulty in difficulties) and (not only or task.id in only)
    )


def _read(path: Path) -> Iterator[Task]:
    try:
        listed = _LIST.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{path} is no list of tasks of WebArena-Infinity.", hint=CLONE) from error
    folder = path.parent
    for one in listed:
        yield Task(
            app=folder.name, id=one.id, difficulty=one.difficulty, instruction=one.instruction,
            folder=folder, verifier=folder / one.verify,
        )  # fmt: skip


@contextmanager
def served(folder: Path) -> Generator[str]:
    """The address of an application that has just been started, with nothing done in it yet; it ends with the block.
    Blocking. Raises EnvironmentFailure where it does not start."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [sys.executable, "server.py", "--port", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, stdin=quiet, stdout=quiet, stderr=quiet) as server:
        try:
            address = f"http://127.0.0.1:{port}"
            until = time.monotonic() + START_SECONDS
            while not _answers(address):
                if server.poll() is not None or time.monotonic() > until:
                    raise EnvironmentFailure(
                        f"The server of {folder.name} did not start.",
                        hint=f"Try: cd {folder}; python server.py --port {port}",
                    )
                time.sleep(0.05)
            yield address
        finally:
            server.kill()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/", timeout=2):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def verified(task: Task, address: str) -> tuple[bool, str]:
    """Whether a task's verifier is satisfied, and what it says. One that breaks down or takes too long is not. Blocking."""
    command = [sys.executable, str(VERIFIER), str(task.verifier), address]
    return checker_says("verifier", command, task.folder)
