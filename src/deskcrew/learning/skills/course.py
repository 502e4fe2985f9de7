"""A course about a subject: its lessons, and the results of those that were taken."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from deskcrew.errors import ConfigError
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.observation import Frozen
from deskcrew.facts.texts import folded

FOLDER = "courses"
REMEMBERED = 50
"""The number of latest lessons that are shown when more are proposed."""
AT_ONCE = 4
"""The maximum number of lessons proposed at once: their results are known before the next ones are proposed."""
LONGEST_WHY = 300
"""The maximum length of the reason that is told for a lesson that taught less than it could, in characters."""
NAME = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"


class Course(Frozen):
    """What lessons are proposed for. ``material``: what they are made from, in words; ``taken``: earlier lessons with
    their results, one line each."""

    subject: str
    material: str = ""
    taken: tuple[str, ...] = ()


class Other(Frozen):
    """Another value for one in a lesson's task: what was learnt is tried with it."""

    value: str
    other: str


class Lesson(Frozen):
    """One lesson: a task, the files that it begins with, and other values that it must work with too. ``name``: the
    name of a skill made from it."""

    name: Annotated[str, Field(pattern=f"^{NAME}$", max_length=60)]
    task: str
    files: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()


Learnt = Literal["skill", "memory", ""]


class TakenLesson(Frozen):
    """A lesson that was taken. ``learnt``: what was new in it; ``skill`` and ``score``: of the skill that was kept, if
    any; ``why``: the reason if nothing was learnt. ``at``: seconds from the start of the session to the end of the
    lesson. ``tokens``: None if the model does not report them."""

    lesson: Lesson
    run: str
    outcome: str
    reason: str = ""
    learnt: Learnt = ""
    skill: str = ""
    score: int = 0
    why: str = ""
    calls: int = 0
    tokens: int | None = None
    seconds: float
    at: float

    @property
    def words(self) -> str:
        """One line for the role that proposes the next lessons."""
        gave = {"skill": "learnt as a skill", "memory": "learnt, not as a skill", "": self.outcome}
        known = "known before" if not self.learnt and self.outcome == "done" else ""
        why = f": {shorten(self.why, LONGEST_WHY)}" if self.why and self.learnt != "skill" else ""
        return f"{self.lesson.name}: {self.lesson.task} ({known or f'{gave[self.learnt]}{why}'})"


def course_file(data: Path, subject: str) -> Path:
    """The file that records the lessons about a subject, one per line."""
    name = hashlib.sha256(folded(subject).encode()).hexdigest()[:12]
    return data / FOLDER / f"{name}.jsonl"


def taken_in(path: Path) -> list[TakenLesson]:
    """The lessons that were taken, oldest first; invalid lines, such as a truncated last one, are left out. Raises
    ConfigError."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    return [taken for line in lines if (taken := _read(line)) is not None]


def write_down(path: Path, taken: TakenLesson) -> None:
    """Appends one lesson to the file. Raises ConfigError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with path.open("ab") as file:
            # A line end comes first too, so that a truncated last line does not corrupt this one.
            file.write(f"\n{taken.model_dump_json()}\n".encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error


def lines_of(taken: Iterable[TakenLesson]) -> tuple[str, ...]:
    """The latest lessons, as they are shown when more are proposed."""
    return tuple(each.words for each in list(taken)[-REMEMBERED:])


def alike(task: str, others: Sequence[str]) -> bool:
    """Whether a task equals one of the others apart from case, spaces and full stops."""
    return folded(task.replace(".", " ")) in {folded(each.replace(".", " ")) for each in others}


def _read(line: bytes) -> TakenLesson | None:
    try:
        return TakenLesson.model_validate_json(line)
    except ValidationError:
        return None
