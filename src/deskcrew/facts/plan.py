"""The plan: a graph of subtasks, acyclic after every change; a plain list is a chain of them (W22)."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Literal

from deskcrew.errors import PlanError
from deskcrew.facts.observation import Frozen

Status = Literal["todo", "done"]


class Subtask(Frozen):
    """A subtask: a coarse step that one role can do (COLA's sub_task, FRIDAY's node)."""

    id: str
    goal: str
    expect: str = ""
    """The state that should hold afterwards (CoAct's Expected State, A2), '' if none was given."""
    needs: tuple[str, ...] = ()
    """Ids of subtasks that must be done before (F1)."""
    role: str | None = None
    """The role that does it; None until the task scheduler has assigned one."""
    status: Status = "todo"


class PlanPatch(Frozen):
    """A change to the subtasks that are not done: COLA's remake, MMAC's revise and shrink (M4, M5), FRIDAY's insert (F6) are
    all patches."""

    add: tuple[Subtask, ...] = ()
    edit: tuple[Subtask, ...] = ()
    drop: tuple[str, ...] = ()


class Plan(Frozen):
    """Subtasks in the order in which they were given. Immutable: every change makes a new plan."""

    subtasks: tuple[Subtask, ...] = ()

    def subtask(self, id: str) -> Subtask:
        for subtask in self.subtasks:
            if subtask.id == id:
                return subtask
        raise PlanError(f"There is no subtask {id!r}. There are: {', '.join(s.id for s in self.subtasks) or 'none'}.")

    @property
    def ready(self) -> Subtask | None:
        """The first open subtask whose needs are done; None if all are done."""
        return next(iter(self.all_ready), None)

    @property
    def all_ready(self) -> tuple[Subtask, ...]:
        """All open subtasks whose needs are done, and which can therefore be done in parallel."""
        done = {s.id for s in self.subtasks if s.status == "done"}
        return tuple(s for s in self.subtasks if s.status == "todo" and done.issuperset(s.needs))

    @property
    def next_number(self) -> int:
        """The first number above all numeric ids of subtasks."""
        return 1 + max((int(s.id) for s in self.subtasks if s.id.isdigit()), default=0)

    @property
    def last(self) -> tuple[str, ...]:
        """Ids of the subtasks that no other subtask needs."""
        needed = {need for s in self.subtasks for need in s.needs}
        return tuple(s.id for s in self.subtasks if s.id not in needed)

    @property
    def in_order(self) -> tuple[Subtask, ...]:
        """The subtasks in topological order, done or not."""
        left, found = Plan(subtasks=tuple(s.model_copy(update={"status": "todo"}) for s in self.subtasks)), list[Subtask]()
        while (ready := left.ready) is not None:
            left = left.done(ready.id)
            found.append(self.subtask(ready.id))
        return tuple(found)

    @property
    def finished(self) -> bool:
        return all(s.status == "done" for s in self.subtasks)

    def done(self, id: str) -> Plan:
        """The plan with this subtask done. Raises PlanError if the id is unknown."""
        finished = self.subtask(id).model_copy(update={"status": "done"})
        return Plan(subtasks=tuple(finished if s.id == id else s for s in self.subtasks))

    def patched(self, patch: PlanPatch) -> Plan:
        """The plan after ``patch``.

        Raises PlanError, worded for the planner, if the patch changes a done subtask, adds a duplicate id or an unknown
        dependency, or makes a cycle.
        """
        kept = {s.id: s for s in self.subtasks}
        for id in (*patch.drop, *(s.id for s in patch.edit)):
            if self.subtask(id).status == "done":
                raise PlanError(f"Subtask {id!r} is done and cannot change any more.")
        for subtask in (*patch.add, *patch.edit):
            if subtask.status == "done":
                raise PlanError(f"Subtask {subtask.id!r} cannot be given as done; only a judgement makes it so.")
        for id in patch.drop:
            kept.pop(id, None)  # named twice it is dropped once
        for subtask in patch.edit:
            kept[subtask.id] = subtask
        for subtask in patch.add:
            if subtask.id in kept:
                raise PlanError(f"Two subtasks have the id {subtask.id!r}.")
            kept[subtask.id] = subtask
        plan = Plan(subtasks=tuple(kept.values()))
        plan.check()
        return plan

    def check(self) -> None:
        """Raise PlanError unless every need is known and the graph has no cycle."""
        known = {s.id for s in self.subtasks}
        for subtask in self.subtasks:
            unknown = [need for need in subtask.needs if need not in known]
            if unknown:
                raise PlanError(f"Subtask {subtask.id!r} needs {unknown[0]!r}, which is not in the plan.")
        try:
            tuple(TopologicalSorter({s.id: s.needs for s in self.subtasks}).static_order())
        except CycleError as error:
            raise PlanError(f"The subtasks depend on each other in a circle: {' -> '.join(error.args[1])}.") from None


def chain(goals: list[str], *, roles: list[str | None] | None = None, first: int = 1, after: str | None = None) -> PlanPatch:
    """The patch that adds ``goals`` as a chain, with ids counted from ``first``; the first of them needs ``after``."""
    subtasks: list[Subtask] = []
    before = after
    for offset, goal in enumerate(goals):
        id = str(first + offset)
        role = roles[offset] if roles else None
        subtasks.append(Subtask(id=id, goal=goal, needs=(before,) if before else (), role=role))
        before = id
    return PlanPatch(add=tuple(subtasks))


def difference(before: Plan, after: Plan) -> PlanPatch:
    """The patch that turns ``before`` into ``after``. New subtasks come after the others."""
    was, now = ({s.id: s for s in plan.subtasks} for plan in (before, after))
    return PlanPatch(
        add=tuple(s for s in after.subtasks if s.id not in was),
        edit=tuple(s for s in after.subtasks if s.id in was and s != was[s.id]),
        drop=tuple(id for id in was if id not in now),
    )


def dropped(plan: Plan, id: str) -> PlanPatch:
    """The patch that drops a subtask; its dependents take over its needs. Raises PlanError if the id is unknown."""
    gone = plan.subtask(id)
    return PlanPatch(drop=(id,), edit=_waiting(plan, id, gone.needs))


def reworded(plan: Plan, id: str, goal: str) -> PlanPatch:
    """The patch that gives a subtask another goal; it keeps its role. Raises PlanError if the id is unknown."""
    return PlanPatch(edit=(plan.subtask(id).model_copy(update={"goal": goal}),))


def preceded(plan: Plan, id: str, new: Subtask, *, chained: bool = True) -> PlanPatch:
    """The patch that adds ``new`` before a subtask, which then also needs it (F6). If ``new`` itself has no needs, it takes
    over those of the subtask, and so comes between two in a chain. ``chained`` False: it keeps its own needs, and the
    subtask too. Raises PlanError if the id is unknown."""
    following = plan.subtask(id)
    if not chained:
        return PlanPatch(add=(new,), edit=(following.model_copy(update={"needs": (*following.needs, new.id)}),))
    added = new if new.needs else new.model_copy(update={"needs": following.needs})
    left = tuple(need for need in following.needs if need not in added.needs)
    return PlanPatch(add=(added,), edit=(following.model_copy(update={"needs": (*left, new.id)}),))


def inserted(plan: Plan, goal: str, after: str | None = None) -> PlanPatch:
    """The patch that adds an unassigned subtask between ``after`` and its dependents; None: at the end. Raises PlanError if
    the id is unknown."""
    new = str(plan.next_number)
    after = after or (plan.subtasks[-1].id if plan.subtasks else None)
    needs = (plan.subtask(after).id,) if after is not None else ()
    added = Subtask(id=new, goal=goal, needs=needs)
    return PlanPatch(add=(added,), edit=_waiting(plan, after, (new,)) if after is not None else ())


def _waiting(plan: Plan, id: str, needs: tuple[str, ...]) -> tuple[Subtask, ...]:
    """The open subtasks that need ``id``, changed to need ``needs`` instead."""
    changed: list[Subtask] = []
    for subtask in plan.subtasks:
        if id in subtask.needs and subtask.status == "todo":
            left = (*(need for need in subtask.needs if need != id), *needs)
            changed.append(subtask.model_copy(update={"needs": tuple(dict.fromkeys(left))}))
    return tuple(changed)
