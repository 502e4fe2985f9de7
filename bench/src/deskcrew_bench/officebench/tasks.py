"""The tasks of a clone of OfficeBench, the folder that each begins with, and what its own checker says of one."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.observation import Frozen
from deskcrew_bench.suites.others import checker_says

CLONE = "Name a clone of https://github.com/zlwang-cs/OfficeBench, the folder that holds tasks/ and utils/evaluate.py."
CHECKER = Path(__file__).with_name("checker.py")
VALUES, FILES = "compares values", "asks for a file"
"""Kinds of tasks: what their checks look at."""
FILE_CHECKS = frozenset({"evaluate_file_exist", "evaluate_file_not_exist"})
ANSWER = "data/answer.txt"
"""Where the checker reads what a run answered."""
PLACES = (
    "Your files are in data. Mail is in emails: a folder a person, in it a file SUBJECT.eml for each mail that came or was "
    "sent; a mail is sent by writing it, as text/plain with a charset, in the folder of who sends and of who is to have it, "
    "under addresses NAME@example.com. The calendar of a person, with all events, is calendar/NAME.ics."
)
"""What the benchmark's own tools for mail and calendars know."""


class Check(BaseModel):
    """One check of a task: a function of OfficeBench, and what it is given."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    function: str
    args: dict[str, Any]


class _Listed(BaseModel):
    model_config = ConfigDict(extra="ignore")

    username: str
    date: str
    weekday: str
    time: str
    task: str
    evaluation: tuple[Check, ...]


class Task(Frozen):
    """One task. ``name``: FOLDER/NUMBER; ``folder``: with testbed, reference and subtasks."""

    name: str
    instruction: str
    folder: Path
    checks: tuple[Check, ...]

    @property
    def kind(self) -> str:
        return FILES if {check.function for check in self.checks} <= FILE_CHECKS else VALUES

    @property
    def number(self) -> str:
        return self.name.partition("/")[2]

    def begin(self, folder: Path) -> None:
        """Fill ``folder`` with what the task begins with."""
        if (given := self.folder / "testbed").is_dir():
            shutil.copytree(given, folder, dirs_exist_ok=True)
        for name in ("data", "emails", "calendar"):
            (folder / name).mkdir(exist_ok=True)

    def request(self, folder: Path) -> RunRequest:
        """What a run in ``folder`` is asked."""
        return RunRequest(task=self.instruction, workspace=folder)

    def checked(self, folder: Path, told: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether OfficeBench's checker takes ``folder`` for right, and what it says. ``told``: of a run, whose answer
        counts where it wrote no file of it. One that breaks down or takes too long does not. Blocking."""
        with tempfile.TemporaryDirectory(prefix="deskcrew-officebench-") as name:
            place = Path(name)  # laid out as the checks' paths to references and to the beginning want it
            result = place / "outputs" / self.number / "run" / "testbed"
            shutil.copytree(folder, result, symlinks=True)
            self.begin(_made(place / "cache" / self.number / "testbed"))
            if (reference := self.folder / "reference").is_dir():
                shutil.copytree(reference, place / "reference")
            if not (answer := result / ANSWER).exists():
                answer.parent.mkdir(exist_ok=True)
                answer.write_text(f"{told['answer']}\n", encoding="utf-8")
            subtask = self.folder / "subtasks" / f"{self.number}.json"
            command = [sys.executable, str(CHECKER), str(self.folder.parents[1]), str(subtask), str(result)]
            return checker_says("checker", command, place)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def tasks_of(clone: Path, only: Collection[str] = ()) -> tuple[Task, ...]:
    """The tasks in a clone, in order, or those that are named. Raises UsageError where there are none, and for a name that
    is not there."""
    files = sorted(clone.resolve().glob("tasks/*/subtasks/*.json"), key=_order)
    if not files or not (clone / "utils/evaluate.py").is_file():
        raise UsageError(f"There are no tasks of OfficeBench in {clone}.", hint=CLONE)
    tasks = {task.name: task for task in map(_read, files)}
    for name in only:
        if name not in tasks:
            raise UsageError(f"There is no task {name!r} in {clone}.", hint="They are named FOLDER/NUMBER, such as 1-1/0.")
    return tuple(tasks[name] for name in (only or tasks))


def _order(path: Path) -> tuple[int, ...]:
    name = f"{path.parents[1].name}-{path.stem}"
    return tuple(int(part) if part.isdigit() else 0 for part in name.split("-"))


def _read(path: Path) -> Task:
    try:
        listed = _Listed.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{path} is no task of OfficeBench.", hint=CLONE) from error
    folder = path.parents[1]
    return Task(
        name=f"{folder.name}/{path.stem}", folder=folder, checks=listed.evaluation,
        instruction=f"{listed.task.strip()}\n\nToday is {listed.date} ({listed.weekday}), {listed.time}. "
        f"You work for {listed.username}. {PLACES}",
    )  # fmt: skip
