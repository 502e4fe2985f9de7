"""What a reflex may propose in its role's place. Whether it worked is seen by others, from the state that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deskcrew.events import Operation
from deskcrew.plan import PlanPatch
from deskcrew.situation import Situation
from deskcrew.verdict import Branch


@dataclass(frozen=True, slots=True)
class Reply:
    """Operations as a role's reply would have them, and whether its part is finished with them."""

    operations: tuple[Operation, ...]
    branch: Branch = Branch.ROLE_TASK_FINISH


@dataclass(frozen=True, slots=True)
class Patch:
    """A change of the plan. ``why``: for who reads the journal."""

    patch: PlanPatch
    why: str


@dataclass(frozen=True, slots=True)
class Infeasible:
    """The part cannot be done, and nobody needs to try. ``why``: what is missing, in a sentence for the user."""

    why: str


Proposal = Reply | Patch | Infeasible
Reflex = Callable[[Situation], Proposal | None]
"""None: it has nothing to say, and the model is asked as ever."""
