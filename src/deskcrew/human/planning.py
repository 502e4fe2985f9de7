"""The changes to a plan that a person asks for in a few words, as patches: drop, reword, insert. Pure."""

from __future__ import annotations

from deskcrew.plan import Plan, PlanPatch, Subtask


def dropped(plan: Plan, id: str) -> PlanPatch:
    """Without a subtask; what waited for it waits for what it waited for. Raises PlanError for an unknown id."""
    gone = plan.subtask(id)
    return PlanPatch(drop=(id,), edit=_waiting(plan, id, gone.needs))


def reworded(plan: Plan, id: str, goal: str) -> PlanPatch:
    """Another goal for a subtask, which keeps its role. Raises PlanError for an unknown id."""
    return PlanPatch(edit=(plan.subtask(id).model_copy(update={"goal": goal}),))


def inserted(plan: Plan, goal: str, after: str | None = None) -> PlanPatch:
    """A new subtask for nobody in particular, between ``after`` and what waits for that; None: at the end. Raises PlanError
    for an unknown id."""
    new = str(plan.next_number)
    after = after or (plan.subtasks[-1].id if plan.subtasks else None)
    needs = (plan.subtask(after).id,) if after is not None else ()
    added = Subtask(id=new, goal=goal, needs=needs)
    return PlanPatch(add=(added,), edit=_waiting(plan, after, (new,)) if after is not None else ())


def _waiting(plan: Plan, id: str, needs: tuple[str, ...]) -> tuple[Subtask, ...]:
    """The open subtasks that wait for ``id``, waiting for ``needs`` instead."""
    changed: list[Subtask] = []
    for subtask in plan.subtasks:
        if id in subtask.needs and subtask.status == "todo":
            left = (*(need for need in subtask.needs if need != id), *needs)
            changed.append(subtask.model_copy(update={"needs": tuple(dict.fromkeys(left))}))
    return tuple(changed)
