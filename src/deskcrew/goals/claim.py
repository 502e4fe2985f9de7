"""Judging a subtask when its role claims to be finished: by rules, from what really happened."""

from __future__ import annotations

from deskcrew.journal.fold import RunState
from deskcrew.plan import Subtask
from deskcrew.roles.crew import Crew
from deskcrew.verdict import FROM_BRANCH, Branch, Verdict

NOTHING_WANTED = "No operation was given. Give the operations that remain, or say that your part is finished."


def judge(state: RunState, subtask: Subtask, *, crew: Crew) -> Verdict:
    """The verdict on a subtask whose decision has been carried out: it ends when its role says so, and goes on as long as
    that says Continue. Whether the task is done is seen at its end."""
    decision = state.decision
    assert decision is not None, "judging needs a decision"
    if decision.branch == Branch.ROLE_TASK_FINISH:
        return Verdict(kind="accept")
    if decision.branch == Branch.CONTINUE:
        empty = decision.total == 0 and not decision.answer
        return Verdict(kind="repair", why=NOTHING_WANTED) if empty else Verdict(kind="continue")
    verdict = FROM_BRANCH[decision.branch]
    why = decision.problem or f"{decision.role} says: {decision.branch}"
    if verdict.kind == "reassign" and crew.appeals:
        verdict = Verdict(kind="appeal")
    elif verdict.kind == "reassign" and crew.planner and not crew.scheduler and len(crew.pool) > 1:
        # Whoever assigned it is to assign it anew (M5).
        verdict, why = Verdict(kind="replan"), f"{subtask.id}. {subtask.goal}: {decision.role} cannot do it: {why}"
    return verdict.model_copy(update={"why": why})
