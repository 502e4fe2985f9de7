"""A task of a desk suite: one folder that says what is to be done, makes what is needed, and checks what was done.

``task.toml`` holds the instruction, ``make.py SEED DIR`` or ``files/`` what lies in the workspace, ``check.py`` the check
and ``oracle.json`` operations that solve it; bench/desk/README.md describes them for authors.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self, cast

import jinja2
from pydantic import Field, ValidationError, model_validator

from deskcrew.engine.request import Opened
from deskcrew.errors import ConfigError, UsageError
from deskcrew.facts.observation import Frozen
from deskcrew.facts.texts import stands_in
from deskcrew.settings import Limits

TASK, MAKE, CHECK, ORACLE, FILES = "task.toml", "make.py", "check.py", "oracle.json", "files"
PATIENCE = 60.0
"""Seconds that ``make.py`` and ``check.py`` may take."""
_BROKEN = ("ModuleNotFoundError", "ImportError", "SyntaxError", "IndentationError", "NameError")
"""What a check fails with that says nothing of what it checks."""
LONGEST_SAID = 500
SCREENS = ((1280, 800), (1366, 768), (1440, 900))
"""Sizes of the screen in pixels; the seed chooses."""
_TEXTS = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)


class Document(Frozen):
    """``task.toml``. ``answer``: the expected answer, where the check does not look at it. ``agents``: how many agents of
    the pool a person would hand it to. ``infeasible``: it cannot be done, and must be refused. ``instructions``: the task in
    several languages, by code, in the place of ``instruction``. ``screen``: its size in pixels, where the seed does not
    choose it; ``packages``: Debian packages that its programs come from; ``home``: as in a RunRequest.

    ``instruction``, ``answer``, and file names in ``apps`` are templates over what ``make.py`` prints, and ``seed``.
    """

    instruction: str = ""
    instructions: Mapping[str, str] = Field(default_factory=dict[str, str])
    answer: str = ""
    apps: tuple[Opened, ...] = ()
    limits: Mapping[str, Any] = Field(default_factory=dict[str, Any])
    agents: int = Field(default=1, ge=1, le=9)
    infeasible: bool = False
    network: bool = False
    screen: tuple[int, int] | None = None
    packages: tuple[str, ...] = ()
    home: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _worded(self) -> Self:
        if bool(self.instruction) == bool(self.instructions):
            raise ValueError("give either instruction, or instructions by language")
        return self

    def worded(self, language: str) -> str:
        """The task in ``language``, '' where it has one only. Raises ValueError where it has not."""
        if (words := self.instructions.get(language) if language else self.instruction) is None:
            raise ValueError(f"it is not worded in {language!r}")
        return words


class Made(Frozen):
    """A task made from a seed: its sentence, the expected answer, what is open when it begins, the screen's size in pixels,
    and the values that its texts are rendered with."""

    instruction: str
    answer: str
    apps: tuple[Opened, ...]
    screen: tuple[int, int]
    values: Mapping[str, Any]


class Task:
    """One folder of a suite; of one in several languages, in one of them."""

    def __init__(self, folder: Path, language: str = "") -> None:
        """Read ``task.toml``. Raises ConfigError naming file and field."""
        self.folder, self.language = folder, language
        self.name = f"{folder.name}-{language}" if language else folder.name
        file = folder / TASK
        try:
            self.document = Document.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
            self.limits = Limits.model_validate(self.document.limits)
            self.instruction = self.document.worded(language)
        except (OSError, ValueError) as error:
            raise ConfigError(f"{file}: {_first(error)}", hint="bench/desk/README.md says what stands in it.") from error

    def limited(self, limits: Limits) -> Limits:
        """``limits`` with those that the task sets in their place."""
        return limits.model_copy(update=self.limits.model_dump(include=self.limits.model_fields_set))

    def make(self, seed: int, workspace: Path) -> Made:
        """Put the task's files into ``workspace``, an empty folder, and word the task. Raises ConfigError."""
        values: dict[str, Any] = {}
        if (self.folder / FILES).is_dir():
            shutil.copytree(self.folder / FILES, workspace, dirs_exist_ok=True)
        if (self.folder / MAKE).exists():
            done = self._python(MAKE, str(seed), str(workspace), folder=self.folder)
            if done.returncode:
                raise ConfigError(f"{self.folder / MAKE} failed: {done.stderr.strip()[-LONGEST_SAID:]}")
            values = self._values(done.stdout)
        values = {"seed": seed, **values}
        document = self.document
        try:
            apps = tuple(app._replace(file=rendered(app.file, values)) for app in document.apps)
            instruction, answer = rendered(self.instruction, values), rendered(document.answer, values)
        except jinja2.TemplateError as error:
            hint = f"{MAKE} prints the values as one JSON object."
            raise ConfigError(f"{self.folder / TASK}: {error}.", hint=hint) from error
        screen = document.screen or SCREENS[seed % len(SCREENS)]
        return Made(instruction=instruction.strip(), answer=answer.strip(), apps=apps, screen=screen, values=values)

    def check(
        self, seed: int, workspace: Path, *, answer: str, outcome: str, reason: str, expected: str
    ) -> tuple[bool, str]:
        """Whether what was done is right, and what the check says. ``expected``: the answer that the task names, or ''.
        Raises ConfigError for a check that cannot be run."""
        if expected and not stands_in(expected, answer):
            return False, f"the answer is {answer!r}, not {expected!r}"
        if not (self.folder / CHECK).exists():
            return bool(expected or self.document.infeasible), ""
        told = {
            "DESKCREW_ANSWER": answer,
            "DESKCREW_OUTCOME": outcome,
            "DESKCREW_REASON": reason,
            "DESKCREW_SEED": str(seed),
        }
        try:
            done = self._python(CHECK, folder=workspace, environment=told)
        except ConfigError as error:
            return False, str(error)
        last = done.stderr.strip().rpartition("\n")[2]
        if done.returncode and last.startswith(_BROKEN):
            hint = "Mend it; the same command goes on with the trials that are left."
            raise ConfigError(f"{self.folder / CHECK} cannot be run: {last}.", hint=hint)
        return done.returncode == 0, (done.stdout.strip() or done.stderr.strip())[-LONGEST_SAID:]

    def oracle(self, made: Made) -> dict[str, Any]:
        """``oracle.json``, its texts rendered as the instruction is. Raises ConfigError where there is none."""
        file = self.folder / ORACLE
        try:
            return cast("dict[str, Any]", rendered(json.loads(file.read_text(encoding="utf-8")), made.values))
        except (OSError, ValueError, jinja2.TemplateError) as error:
            raise ConfigError(f"{file}: {error}.") from error

    def _values(self, printed: str) -> dict[str, Any]:
        try:
            values: object = json.loads(printed or "{}")
        except ValueError:
            values = None
        if not isinstance(values, dict):
            raise ConfigError(f"{self.folder / MAKE} must print one JSON object, or nothing.")
        return cast("dict[str, Any]", values)

    def _python(
        self, script: str, *arguments: str, folder: Path, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-B", str((self.folder / script).resolve()), *arguments]
        try:
            return subprocess.run(
                command, cwd=folder, env={**os.environ, **(environment or {})}, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise ConfigError(f"{self.folder / script} took more than {PATIENCE:g} seconds.") from None


def tasks_of(folder: Path, only: Sequence[str] = (), language: str = "") -> tuple[Task, ...]:
    """The tasks in ``folder`` in the order of their names, or those whose names are in ``only``; worded in ``language``,
    where one is named. Raises UsageError where there are none, ConfigError for one that cannot be read."""
    there = {file.parent.name: file.parent for file in sorted(folder.glob(f"*/{TASK}"))}
    if not there:
        hint = "Those of Deskcrew come with its source checkout, in bench/desk; name a folder of tasks: --tasks DIR"
        if not folder.is_dir():
            raise UsageError(
                f"The folder of tasks {folder} {'is a file' if folder.exists() else 'does not exist'}.", hint=hint
            )
        raise UsageError(f"There are no tasks in {folder}: each is a folder with a {TASK}.", hint=hint)
    for name in only:
        if name not in there:
            raise UsageError(f"There is no task {name!r} in {folder}.", hint=f"There are: {', '.join(there)}.")
    return tuple(Task(there[name], language) for name in (only or there))


def rendered(data: Any, values: Mapping[str, Any]) -> Any:
    """All texts in plain data as templates over ``values``. Raises jinja2.TemplateError."""
    if isinstance(data, str):
        return _TEXTS.from_string(data).render(values)
    if isinstance(data, dict):
        return {key: rendered(item, values) for key, item in cast("dict[str, Any]", data).items()}
    return [rendered(item, values) for item in cast("list[Any]", data)] if isinstance(data, list) else data


def _first(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{': '.join(filter(None, ('.'.join(map(str, first['loc'])), first['msg'])))}."
    return f"{error}."
