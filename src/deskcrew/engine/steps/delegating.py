"""Delegate: who does a task without a plan gives parts of it to others, and goes on with their results.

The parts are subtasks before its own, so what is refused, repaired or done at once goes the ways of any plan.
"""

from __future__ import annotations

from deskcrew.engine.record import Record
from deskcrew.engine.roles.role import Role
from deskcrew.engine.roles.role_kinds import MOST
from deskcrew.engine.roles.said import SaidDecision
from deskcrew.errors import CrewMistake
from deskcrew.facts.events import PlanPatched
from deskcrew.facts.plan import Plan, PlanPatch, Subtask, difference, preceded
from deskcrew.facts.verdict import Branch


def parts_needed(record: Record, role: Role, subtask: Subtask) -> tuple[str, ...]:
    """The ids that the parts which are given away now may need; () where none may be: of a part that was itself given
    away."""
    plan = record.state.plan
    if not record.crew.delegates or "delegate" not in role.fields or any(subtask.id in each.needs for each in plan.subtasks):
        return ()
    done = (each.id for each in plan.subtasks if each.status == "done")
    return (*done, *(str(number) for number in range(plan.next_number, plan.next_number + MOST)))


def may_delegate(record: Record, subtask: Subtask, reply: SaidDecision) -> None:
    """Raise CrewMistake, worded for the role, for parts that cannot be given away so."""
    if not reply.delegate:
        return
    if reply.operations or reply.branch != Branch.CONTINUE:
        raise CrewMistake("delegate: give no operations with it, and the branch Continue; you are asked again afterwards.")
    _with_parts(record.state.plan, subtask, reply)


def delegate(record: Record, role: Role, subtask: Subtask, reply: SaidDecision) -> None:
    """Put the parts that a reply gives away before the subtask."""
    if not reply.delegate:
        return
    patch = _with_parts(record.state.plan, subtask, reply)
    why = reply.intention or "given away"
    body = PlanPatched(by=role.name, why=why, patch=patch, plan=record.state.plan.patched(patch))
    record.journal.append(body, lane=subtask.id, cause=record.journal.latest)


def _with_parts(plan: Plan, subtask: Subtask, reply: SaidDecision) -> PlanPatch:
    after = plan
    for number, part in enumerate(reply.delegate, plan.next_number):
        new = Subtask(id=str(number), goal=part.goal, role=part.role, needs=tuple(dict.fromkeys(part.needs)))
        after = after.patched(preceded(after, subtask.id, new, chained=False))
    return difference(plan, after)
