"""Delegate: an agent that does a task without a plan gives subtasks to others, and goes on with their results.

These subtasks come before its own, so refusals, repairs and lanes work as in any plan.
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
    """Ids of subtasks that a delegated subtask may need; () if the agent may not delegate, as in a delegated subtask."""
    plan = record.state.plan
    if not record.crew.delegates or "delegate" not in role.fields or any(subtask.id in each.needs for each in plan.subtasks):
        return ()
    done = (each.id for each in plan.subtasks if each.status == "done")
    return (*done, *(str(number) for number in range(plan.next_number, plan.next_number + MOST)))


def may_delegate(record: Record, subtask: Subtask, reply: SaidDecision) -> None:
    """Raise CrewMistake, worded for the role, if subtasks cannot be delegated in this way."""
    if not reply.delegate:
        return
    if reply.operations or reply.branch != Branch.CONTINUE:
        raise CrewMistake("delegate: give no operations with it, and the branch Continue; you are asked again afterwards.")
    _with_parts(record.state.plan, subtask, reply)


def delegate(record: Record, role: Role, subtask: Subtask, reply: SaidDecision) -> None:
    """Put the subtasks that a reply delegates into the plan, before the agent's own."""
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
