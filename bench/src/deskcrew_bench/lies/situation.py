"""What a situation is made of: a task, what the crew does in it, and what lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts.contract import Contract, Requirement

Operation = Mapping[str, Any]
Around = Callable[[Path], AbstractContextManager[object]]


def nothing_else(folder: Path) -> AbstractContextManager[object]:
    """A workspace in which only files lie, and no server stands beside it."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Part:
    """What the crew does in one run. ``steps``: the operations of each reply; after the last it only claims to be finished.

    ``says``: what it says it read. ``answer``: its answer to the task's question. ``files``: what is put into the workspace
    before. ``around``: what holds while it works, such as a server, or rights on a file. ``again``: what it does after a
    person sent it back to its first reply.
    """

    steps: tuple[tuple[Operation, ...], ...]
    answer: str = ""
    says: str = ""
    files: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    around: Around = nothing_else
    again: Part | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """One task, done with a lie and without. ``lies``: what is not as it seems; ``files``: what is there in both.

    ``must``: what has to hold in the end, as ``--require`` takes it. ``made``: a file that a program has to see made, which
    is ``probe``. Without either the task asks a question, whose answer must be shown.
    """

    name: str
    lies: str
    task: str
    lie: Part
    truth: Part
    files: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    desktop: bool = False
    network: bool = False
    must: tuple[str, ...] = ()
    made: str = ""
    probe: str = ""

    @property
    def contract(self) -> Contract:
        """What its user requires."""
        if self.made:
            seen = Requirement(id="1", says=self.task, quotes=(self.task,), seen_by="probe", files=(self.made,))
            return Contract(by="human", requirements=(seen,))
        return contract_of([check_of(each) for each in self.must]) or Contract(by="human").asking(self.task)
