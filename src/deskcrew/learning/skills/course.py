"""Courses about a subject: their lessons, and the results of the lessons that were taken."""

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
"""The number of latest lessons that a role sees when it proposes more."""
AT_ONCE = 4
"""The maximum number of lessons proposed at once, so that their results are known before more are proposed."""
LONGEST_WHY = 300
"""The maximum length, in characters, of the reason why a lesson taught less than it could."""
NAME = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"


class Course(Frozen):
    """A course as the role that proposes lessons sees it. ``material``: what lessons are made from, in words; ``taken``:
    earlier lessons with their results, one line each."""

    subject: str
    material: str = ""
    taken: tuple[str, ...] = ()


class Other(Frozen):
    """Another value for a ``value`` in a lesson's task, with which the new skill is tried."""

    value: str
    other: str


class Lesson(Frozen):
    """One lesson: a task, the files that it begins with, and other values with which its skill must work. ``name``: the name
    of that skill."""

    name: Annotated[str, Field(pattern=f"^{NAME}$", max_length=60)]
    task: str
    files: tuple[str, ...] = ()
    others: tuple[Other, ...] = ()


Learnt = Literal["skill", "memory", ""]


class TakenLesson(Frozen):
    """A lesson that was taken. ``learnt``: where what is new is kept, '' if nothing is; ``skill`` and ``score``: the skill
    that was kept, if any, and its score; ``why``: the reason if nothing was learnt; ``at``: seconds from the start of the
    session to the end of the lesson; ``tokens``: None if the model does not report them."""

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
        """The lesson and its result in one line, for the role that proposes more lessons."""
        gave = {"skill": "learnt as a skill", "memory": "learnt, not as a skill", "": self.outcome}
        known = "known before" if not self.learnt and self.outcome == "done" else ""
        why = f": {shorten(self.why, LONGEST_WHY)}" if self.why and self.learnt != "skill" else ""
        return f"{self.lesson.name}: {self.lesson.task} ({known or f'{gave[self.learnt]}{why}'})"


def course_file(data: Path, subject: str) -> Path:
    """The file that records the lessons about a subject, one per line."""
    name = hashlib.sha256(folded(subject).encode()).hexdigest()[:12]
    return data / FOLDER / f"{name}.jsonl"


def taken_in(path: Path) -> list[TakenLesson]:
    """The lessons in a file, oldest first. Invalid lines, such as a truncated last line, are left out. Raises ConfigError if
    the file cannot be read."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
    return [taken for line in lines if (taken := _read(line)) is not None]


def write_down(path: Path, taken: TakenLesson) -> None:
    """Append one lesson to a file. Raises ConfigError if it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with path.open("ab") as file:
            # A line end comes first too, so that a truncated last line does not corrupt this one.
            file.write(f"\n{taken.model_dump_json()}\n".encode())
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.") from error


def lines_of(taken: Iterable[TakenLesson]) -> tuple[str, ...]:
    """The latest lessons in the form in which a role sees them when it proposes more."""
    return tuple(each.words for each in list(taken)[-REMEMBERED:])


def alike(task: str, others: Sequence[str]) -> bool:
    """Whether a task equals one of the others, ignoring case, spaces and full stops."""
    return folded(task.replace(".", " ")) in {folded(each.replace(".", " ")) for each in others}


def _read(line: bytes) -> TakenLesson | None:
    try:
        return TakenLesson.model_validate_json(line)
    except ValidationError:
        return None
