"""What reflexes and coaching are given of a subtask, and what a reflex may propose.

They get this and nothing else: neither can write an event, observe again or ask anybody. Whether a proposal worked is seen
by others, from the state that comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from deskcrew.actions.action import Action
from deskcrew.events import Operation
from deskcrew.journal.records import Done, Turn
from deskcrew.observation import Observation
from deskcrew.plan import PlanPatch, Subtask
from deskcrew.verdict import Branch


@dataclass(frozen=True, slots=True)
class Situation:
    """One subtask, what was done for it, and the present state.

    ``now``: the last observation. ``programs``: names of the programs that can be opened. ``turns``: the replies on
    the part, newest first; ``repairs``: how often its role was sent back; ``doubted``: whether the last reply was
    malformed, or a person wants something else. ``made``: files that the crew wrote for any part. ``domain``: what the
    part's role can do in this run, ``core``: what of that its model is always offered. ``text_of``: the text of a
    workspace file; raises ActionError, worded for a model, if it has none."""

    subtask: Subtask
    now: Observation
    programs: tuple[str, ...]
    turns: tuple[Turn, ...]
    repairs: int
    doubted: bool
    made: frozenset[str]
    domain: Mapping[str, Action]
    core: Mapping[str, Action]
    text_of: Callable[[str], str]

    @property
    def part(self) -> str:
        """The words of the part that is due."""
        return self.subtask.goal

    @property
    def files(self) -> frozenset[str]:
        """Paths of the files in the workspace."""
        return frozenset(entry.path for entry in self.now.files if entry.kind == "file")

    @property
    def last_done(self) -> Done | None:
        """The last action tried for the part."""
        return next((done for turn in self.turns for done in reversed(turn.done)), None)


@dataclass(frozen=True, slots=True)
class Reply:
    """Operations as in a role's reply, and whether the subtask is finished with them."""

    operations: tuple[Operation, ...]
    branch: Branch = Branch.ROLE_TASK_FINISH


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of the plan. ``why``: for readers of the journal."""

    patch: PlanPatch
    why: str


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The subtask cannot be done, and nobody needs to try. ``why``: what is missing, in a sentence for the user."""

    why: str


Proposal = Reply | Patch | Infeasible
Reflex = Callable[[Situation], Proposal | None]
"""Returns None if it has nothing to propose; the model is then asked as usual."""
