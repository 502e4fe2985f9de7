"""The goal of a recorded run with new values: its contract, and texts such as the answer. Pure."""

from __future__ import annotations

from collections.abc import Callable

from deskcrew.facts.contract import Requirement
from deskcrew.facts.events import GoalSet
from deskcrew.learning.repeating.values import Unclear


def goal_again(goal: GoalSet, constant: Callable[[str], str], computed: Callable[[str], str] | None = None) -> GoalSet:
    """The goal of a recorded run with new values. ``constant``: replaces the task's values in a text; ``computed``: replaces
    results as well, and raises Unclear for a result that is unknown now: its requirement then counts as not checked.

    Consents are left out: what the user consented to in the recorded run is not thereby allowed in the new one.
    """
    checks = (c.model_copy(update={"target": constant(c.target), "text": constant(c.text)}) for c in goal.checks)
    contract = goal.contract
    if contract is not None:
        again = (_requirement_again(each, constant, computed or constant) for each in contract.requirements)
        contract = contract.model_copy(
            update={"requirements": tuple(again), "question": constant(contract.question), "consents": ()}
        )
    return GoalSet(question=constant(goal.question), checks=tuple(checks), contract=contract)


def _requirement_again(one: Requirement, constant: Callable[[str], str], computed: Callable[[str], str]) -> Requirement:
    changes: dict[str, object] = {"says": constant(one.says), "files": tuple(constant(file) for file in one.files)}
    try:
        changes["checks"] = tuple(
            check.model_copy(update={"target": constant(check.target), "text": computed(check.text)}) for check in one.checks
        )
    except Unclear as unclear:
        changes["contested"] = str(unclear)
    return one.model_copy(update=changes)


def told_again(new: Callable[[str], str], old: str) -> str:
    """``old`` with its new values; '' if they are unknown."""
    try:
        return new(old)
    except Unclear:
        return ""
