"""A skill: what it does, its typed parameters, its steps, the checks that prove it, and where it came from. Plain data.

Steps are recorded operations with the recorded values in them; a parameter names one of those values, and whoever uses the
skill puts another in its place, as a live replay does. So what is done is what was proven once, and nothing else.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from deskcrew.errors import ConfigError
from deskcrew.events import GoalSet, Observed, Operation, RunStarted
from deskcrew.observation import Frozen, Observation
from deskcrew.plan import Subtask
from deskcrew.repeating.recording import Recording, Step
from deskcrew.repeating.values import Value

NAME = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
"""What a skill may be called: as the Agent Skills form has it, and beginning with a letter."""
LONGEST_NAME, LONGEST_DESCRIPTION = 40, 1024
PARAMETER = r"^[a-z][a-z0-9_]{0,39}$"
"""What a parameter may be called."""
WORKSPACE = "{workspace}"
"""Stands in a skill for the folder of the run that it came from. No path looks like that."""
PART = "1"
"""The one part of the plan of a run that does a skill."""


class Parameter(Frozen):
    """A value that may be another one each time. ``value``: the one that it was recorded with; ``given``: a file that has to
    be in the workspace beforehand."""

    name: Annotated[str, Field(pattern=PARAMETER)]
    kind: Literal["text", "file"]
    value: Annotated[str, Field(min_length=1, max_length=2000)]
    description: str = ""
    given: bool = False


class SkillStep(Frozen):
    """One operation. ``before`` and ``after``: of the screen, as much as is needed to find its control again and to see
    whether it did the same; None without a screen. ``held``: it did what it meant."""

    operation: Operation
    intention: str = ""
    before: Observation | None = None
    after: Observation | None = None
    held: bool = True
    exit_code: int | None = None
    output: str = ""


class Provenance(Frozen):
    """The run that a skill came from. ``secrets``: names of those that it types; ``ordered``: its task ordered something to
    be sent or removed, which only the words of a task can."""

    run: str
    task: str
    model: str = ""
    version: str = ""
    day: str = ""
    desktop: Literal["none", "virtual", "real", "browser"] = "none"
    secrets: tuple[str, ...] = ()
    ordered: bool = False


class Method(Frozen):
    """How a skill is done, and what proves it: ``goal`` with ``program``, the probes, and ``answer``, what it tells."""

    format: Literal[1] = 1
    parameters: tuple[Parameter, ...] = ()
    steps: Annotated[tuple[SkillStep, ...], Field(min_length=1)]
    goal: GoalSet
    program: str = ""
    answer: str = ""
    provenance: Provenance

    @model_validator(mode="after")
    def _whole(self) -> Self:
        for what in ("name", "value"):
            given = [getattr(each, what) for each in self.parameters]
            if twice := next((each for each in given if given.count(each) > 1), None):
                raise ValueError(f"two parameters have the {what} {twice!r}")
        contract = self.goal.contract
        if not self.goal.checks and (contract is None or not contract.standing):
            raise ValueError("nothing in it says what must hold when it is done")
        if contract is not None and contract.consents:
            raise ValueError("it orders something that only a person's own task can order")
        return self


class _Record(Frozen):
    """What a journal keeps of a skill that a run was offered."""

    name: str
    description: str
    method: Method
    digest: str


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill as it was read. ``digest``: SHA-256 over all files of its folder."""

    name: str
    description: str
    method: Method
    digest: str

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def record(self) -> str:
        """All of it as JSON: what a journal keeps."""
        return _Record(
            name=self.name, description=self.description, method=self.method, digest=self.digest
        ).model_dump_json()

    @classmethod
    def recorded(cls, text: str) -> Self:
        """A skill from what a journal kept of it. Raises ConfigError."""
        try:
            kept = _Record.model_validate_json(text)
        except ValidationError as error:
            raise ConfigError("A skill of this run cannot be read: another Deskcrew wrote it down.") from error
        return cls(kept.name, kept.description, kept.method, kept.digest)

    @property
    def values(self) -> tuple[Value, ...]:
        """Its parameters, as what repeats a recording takes them."""
        return tuple(Value(each.name, each.value, each.kind, ()) for each in self.method.parameters)

    @property
    def given(self) -> frozenset[str]:
        """The recorded names of files that have to be there beforehand."""
        return frozenset(each.value for each in self.method.parameters if each.given)

    def recording(self, role: str) -> Recording:
        """What a live replay repeats; ``role``: who does it."""
        blobs: dict[str, bytes] = {}

        def look(seen: Observation | None) -> Observed | None:
            if seen is None:
                return None
            data = seen.model_dump_json().encode()
            digest = hashlib.sha256(data).hexdigest()
            blobs[digest] = data
            return Observed(observation=digest)

        method, origin = self.method, self.method.provenance
        steps = tuple(
            Step(
                number=number,
                role=role,
                subtask=PART,
                operation=step.operation,
                intention=step.intention,
                before=look(step.before),
                after=look(step.after),
                held=step.held,
                exit_code=step.exit_code,
                output=step.output,
            )
            for number, step in enumerate(method.steps, 1)
        )
        return Recording(
            run=self.name,
            started=RunStarted(
                task=origin.task, crew="", model="", mode="automatic", workspace=WORKSPACE, desktop=origin.desktop
            ),
            steps=steps,
            goal=method.goal,
            subtasks=(Subtask(id=PART, goal=origin.task, role=role, status="done"),),
            answer=method.answer,
            files="",
            read_blob=blobs.__getitem__,
            program=method.program,
            words=("step", "skill"),
        )
