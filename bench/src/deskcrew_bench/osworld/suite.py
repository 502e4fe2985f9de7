"""A task of OSWorld in a folder: begun there, asked of a run, made right by hand, and judged by the clone's evaluators."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deskcrew.engine.request import RunRequest
from deskcrew.environments.isolation import Bubblewrap, proc, system, variables
from deskcrew.errors import UsageError
from deskcrew_bench.desk.suite import missing_packages
from deskcrew_bench.osworld.machine import HOME
from deskcrew_bench.osworld.tasks import Task
from deskcrew_bench.suites.others import checker_says

FOLDERS = ("Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos")
"""What every home on their machine has."""
SECONDS = 300.0
"""Seconds that a beginning or an evaluation may take, LibreOffice started in it."""
FAILED = {"answer": "", "outcome": "failed", "reason": "infeasible"}
"""What a run tells that says a task cannot be done."""
INSIDE = "/osworld"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a clone's parts are. ``files``: a copy of its data set, if there is one; ``python``: the interpreter of an
    environment that has what its evaluators need; ``by_hand``: programs that make right results, ID.py."""

    clone: Path
    files: Path | None
    python: Path
    by_hand: Path

    def reasons(self, tasks: Sequence[Task]) -> dict[str, str]:
        """Why a task cannot be had here, '' where it can, by name."""
        missing = missing_packages(package for task in tasks for package in task.packages())
        return {task.name: self._why_not(task, missing & {*task.packages()}) for task in tasks}

    def _why_not(self, task: Task, missing: Collection[str]) -> str:
        if needs := task.why_not():
            return f"it needs {needs}"
        if missing:
            return f"programs are not installed: sudo apt install {' '.join(sorted(missing))}"
        lacking = task.lacking(self.files)
        return f"files are not among --files: {' '.join(lacking)}" if lacking else ""

    def inside(self, task: Task, folder: Path, program: Sequence[str]) -> list[str]:
        """The command that runs a Python program with ``folder`` as the home, in a sandbox without network. Raises
        UsageError where there can be none."""
        bubblewrap = Bubblewrap.find()
        if isinstance(bubblewrap, str):
            raise UsageError(f"OSWorld's commands run in a sandbox only. {bubblewrap}")
        words = [*bubblewrap.namespaces(1000, 1000, network=False), *system(network=False, etc=("fonts", "libreoffice"))]
        words += [*proc(), "--dev", "/dev", "--tmpfs", "/tmp"]
        shown = [(path, path) for path in _prefixes(self.python)]
        shown += [(str(self.clone.resolve()), f"{INSIDE}/clone"), (str(task.file), f"{INSIDE}/task.json")]
        own = Path(__file__).parent
        shown += [(str(own / "machine.py"), f"{INSIDE}/machine.py"), (str(own / "passwd"), "/etc/passwd")]
        shown += [(str(self.files.resolve()), f"{INSIDE}/files")] if self.files else []
        for path, there in shown:
            words += ["--ro-bind", path, there]
        words += ["--bind", str(folder), HOME, "--chdir", HOME]
        words += variables({"HOME": HOME, "USER": "user", "LANG": "C.UTF-8", "PATH": "/tmp/bin:/usr/bin:/bin"})
        return [*words, "--", str(self.python.absolute()), *program]


@functools.cache
def _prefixes(python: Path) -> tuple[str, ...]:
    said = "import sys; print(sys.prefix, sys.base_prefix, sep='\\n')"
    told = subprocess.run([python, "-c", said], capture_output=True, text=True, check=False)
    if told.returncode:
        raise UsageError(f"{python} is no Python.", hint="bench/osworld/README.md makes one with what evaluators need.")
    return tuple(path for path in dict.fromkeys(told.stdout.split("\n")) if path and not Path(path).is_relative_to("/usr"))


class Begun:
    """A task with the place where it is done."""

    def __init__(self, task: Task, place: Place) -> None:
        self.task, self.place, self.name, self.kind = task, place, task.name, task.kind

    def request(self, folder: Path) -> RunRequest:
        """What a run in ``folder`` is asked."""
        return RunRequest(task=self.task.asked, workspace=folder, opened=self.task.opened, home=self.task.home)

    def begin(self, folder: Path) -> None:
        """Do its first steps. Raises UsageError where one cannot be done."""
        for name in FOLDERS:
            (folder / name).mkdir(exist_ok=True)
        right, said = self._machine(folder, "begin")
        if not right:
            raise UsageError(f"{self.name} cannot begin: {said}.")

    def checked(self, folder: Path, told: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether the clone's evaluators take ``folder`` for right, and what they say. Blocking."""
        failed = (told["outcome"], told["reason"]) == (FAILED["outcome"], FAILED["reason"])
        with tempfile.TemporaryDirectory(prefix="deskcrew-osworld-") as name:  # the evaluation works in it, too
            copy = shutil.copytree(folder, Path(name, "home"), symlinks=True)
            return self._machine(copy, "evaluate", "infeasible" if failed else "done")

    @property
    def _script(self) -> Path:
        return self.place.by_hand / f"{self.name}.py"

    def has_right(self) -> bool:
        """Whether :meth:`make_right` can."""
        return self.task.infeasible or self._script.is_file()

    def make_right(self, folder: Path) -> Mapping[str, Any] | None:
        """Make the result by hand; of a task that nobody can do, say so. Raises UsageError where nobody has written it."""
        if self.task.infeasible:
            return FAILED
        if not self.has_right():
            raise UsageError(f"There is no right result of {self.name}: {self._script} is not there.")
        command = self.place.inside(self.task, folder, ["-c", self._script.read_text(encoding="utf-8")])
        made = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        if made.returncode:
            raise UsageError(f"{self._script} failed: {made.stderr.strip()}")
        return None

    def _machine(self, folder: Path, what: str, *more: str) -> tuple[bool, str]:
        program = ["-B", f"{INSIDE}/machine.py", what, f"{INSIDE}/clone", f"{INSIDE}/task.json", f"{INSIDE}/files", *more]
        return checker_says("evaluation", self.place.inside(self.task, folder, program), folder, SECONDS)
