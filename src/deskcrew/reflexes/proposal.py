"""What a reflex may propose instead of its role's reply. Whether it worked is judged by others, from the resulting
state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deskcrew.events import Operation
from deskcrew.plan import PlanPatch
from deskcrew.situation import Situation
from deskcrew.verdict import Branch


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
