"""A submission to a fleet: what its runs have in common, and one line of JSON for each run.

Everything that a node needs to know is in here or in its own settings, so it is sent only the id of a run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, field_validator

from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.events import YOURS, DesktopKind
from deskcrew.facts.observation import Frozen
from deskcrew.facts.unfit import in_words
from deskcrew.settings import Count, Finite, Limits
from deskcrew.ways_in.running.messages import Start

LONGEST_LINE = 1 << 20
"""The maximum length of a line of a task file, in characters."""


class Places(Frozen):
    """Where a run's files come from and go to, as an fsspec address, or a path that all nodes have. ``workspace``: a folder
    that is copied into the run's own; ``results``: a folder in which each run gets a subfolder for its results."""

    workspace: str = ""
    results: str = ""

    @field_validator("workspace", "results")
    @classmethod
    def _without_password(cls, value: str) -> str:
        if urlsplit(value).password:
            raise ValueError("an address must not contain a password: nodes have their own")
        return value


class Task(Places):
    """A line of a task file. Fields that it leaves out are taken from the submission."""

    task: str = Field(min_length=1)
    model: str | None = None
    crew: str | None = None
    desktop: DesktopKind | None = None
    url: str | None = None
    seed: Count | None = None
    limits: Limits | None = None

    @field_validator("desktop")
    @classmethod
    def _of_a_node(cls, value: DesktopKind | None) -> DesktopKind | None:
        if value in YOURS:
            raise ValueError("nodes have no user whose desktop could be used")
        return value


class Submission(Places):
    """What all runs of a submission have in common. ``start``: the request, without the task, which each run has itself;
    ``policy``: the text of a policy file, None for each node's own; ``tokens``, ``money``: what all runs together may use
    before no further run starts; ``version``: the version of Deskcrew that nodes must have; ``person``: whose runs they are,
    as in the settings."""

    start: Start
    policy: str | None = None
    tokens: int | None = None
    money: Finite | None = None
    version: str = ""
    person: str = Field(default="", exclude_if=lambda person: not person)


class AskedRun(NamedTuple):
    """The whole request for one run."""

    submission: Submission
    task: Task

    @property
    def request(self) -> RunRequest:
        """The request, without what only a node can add: the workspace, the policy's file and the values of secrets."""
        own = self.task.model_dump(exclude_none=True, include={"task", "model", "crew", "desktop", "url", "seed"})
        base = self.submission.start.request
        limits = [each.model_dump(exclude_unset=True) for each in (base.limits, self.task.limits or Limits())]
        return replace(base, limits=Limits.model_validate(limits[0] | limits[1]), **own)

    @property
    def places(self) -> Places:
        """Where the run's files come from and go to."""
        common = self.submission
        return Places(workspace=self.task.workspace or common.workspace, results=self.task.results or common.results)

    @classmethod
    def read(cls, submission: str, task: str) -> Self:
        """Parse the stored JSON of both."""
        return cls(Submission.model_validate_json(submission), Task.model_validate_json(task))


class BrokenLine(NamedTuple):
    """An invalid line of a task file. ``number``: its number, from 1."""

    number: int
    why: str


def read_tasks(lines: Iterable[str]) -> tuple[list[Task], list[BrokenLine]]:
    """The tasks of a file with one JSON object per line, and the file's invalid lines. Empty lines are ignored. Raises
    UsageError if there is no task at all."""
    tasks: list[Task] = []
    broken: list[BrokenLine] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            if len(line) > LONGEST_LINE:
                raise UsageError(f"it has more than {LONGEST_LINE:,} characters")
            tasks.append(Task.model_validate_json(line))
        except UsageError as error:
            broken.append(BrokenLine(number, str(error)))
        except ValidationError as error:
            broken.append(BrokenLine(number, in_words(error)))
    if not tasks:
        told = f" Line {broken[0].number}: {broken[0].why}." if broken else ""
        hint = 'Each line is an object like {"task": "Add up sales.csv", "workspace": "s3://bucket/sales"}.'
        raise UsageError(f"There is no task in the file.{told}", hint=hint)
    return tasks, broken
