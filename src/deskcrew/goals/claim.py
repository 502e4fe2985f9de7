"""Judging a subtask when its role claims to be finished: by rules, from what really happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deskcrew.goals.goal import unmet
from deskcrew.journal.fold import OUTPUT_ACTIONS, RunState
from deskcrew.journal.records import Turn
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.roles.crew import Crew
from deskcrew.verdict import FROM_BRANCH, Branch, CheckResult, Verdict

NOTHING_WANTED = "No operation was given. Give the operations that remain, or say that your part is finished."


def judge(
    state: RunState,
    subtask: Subtask,
    last: bool,
    checks: Sequence[CheckResult],
    now: Observation,
    *,
    crew: Crew,
    small: bool,
) -> Verdict:
    """The verdict on a subtask whose decision has been carried out. It ends when its role says so, and continues while
    the role says Continue. Whether the task is done is judged at the end of the run.

    ``now``: the last observation. ``last``: no other subtask is open, so the goal's ``checks`` must hold. ``small``:
    the model cannot reason, so that a subtask is finished when its work is complete in itself, whatever the role says.
    """
    decision = state.decision
    assert decision is not None, "judging needs a decision"
    if decision.branch not in (Branch.CONTINUE, Branch.ROLE_TASK_FINISH):
        verdict = FROM_BRANCH[decision.branch]
        why = decision.problem or f"{decision.role} says: {decision.branch}"
        if verdict.kind == "reassign" and crew.appeals:
            verdict = Verdict(kind="appeal")
        elif verdict.kind == "reassign" and crew.planner and not crew.scheduler and len(crew.pool) > 1:
            # Whoever assigned the subtask has to reassign it (M5).
            verdict, why = Verdict(kind="replan"), f"{subtask.id}. {subtask.goal}: {decision.role} cannot do it: {why}"
        return verdict.model_copy(update={"why": why})
    if small:
        return _of_small(state, subtask, last, checks, now, crew=crew)
    if decision.branch == Branch.CONTINUE:
        empty = decision.total == 0 and not decision.answer
        return Verdict(kind="repair", why=NOTHING_WANTED) if empty else Verdict(kind="continue")
    return Verdict(kind="accept")


def _of_small(
    state: RunState, subtask: Subtask, last: bool, checks: Sequence[CheckResult], now: Observation, *, crew: Crew
) -> Verdict:
    """The verdict for a model that cannot reason in words: what happened counts, not what it says."""
    decision = state.decision
    assert decision is not None, "judging needs a decision"
    failing = unmet(checks)
    if last and checks and not failing and all(result.holds for result in checks):
        return Verdict(kind="accept", why="")
    # All operations it asked for were done before, so nothing is left to do.
    nothing_left = 0 < decision.total == decision.skipped
    delivered = crew.finish_by_rule and (nothing_left or _delivered(_turns(state, subtask, decision.role)))
    if decision.branch != Branch.ROLE_TASK_FINISH and not delivered:
        empty = decision.total == 0 and not decision.answer
        return Verdict(kind="repair", why=NOTHING_WANTED) if empty else Verdict(kind="continue")
    anything = decision.answer or any(done.ok for turn in _turns(state, subtask, decision.role) for done in turn.done)
    told = (turn.reply.get("information") for turn in _turns(state, subtask, decision.role))
    reported = not anything and any(told)
    if reported and not now.windows:  # they make up what they read
        why = f"{decision.role} has done nothing, and no window is open whose text it could have read."
        return Verdict(kind="reassign", why=why)
    if not anything and not reported:
        return Verdict(kind="repair", why="Nothing of this part is done yet. Give the operations that do it.")
    if last and failing and crew.finish_by_rule:
        return _unfinished(state, failing, now)
    return Verdict(kind="accept")


def _unfinished(state: RunState, failing: Sequence[str], now: Observation) -> Verdict:
    decision = state.decision
    assert decision is not None, "judging needs a decision"
    if decision.total and (opened := state.evidence.windows_opened if state.evidence else ()):
        # The last operation opened a window: nothing went wrong, but this is not the end yet.
        return Verdict(kind="continue", why=f"The window {opened[0]!r} opened; go on in it.")
    return Verdict(kind="repair", why=f"Not finished: {'; '.join(failing)}.{_dialog(now)}")


def _dialog(now: Observation) -> str:
    """A sentence about a dialog that is still open, naming its buttons; '' if none is open."""
    window = now.active_window
    if window is None or not window.dialog:
        return ""
    buttons = [f'{c.label} "{c.name}"' for c in now.in_front if c.role == "button" and c.name]
    return f" The dialog {window.title!r} is still open; its buttons are {', '.join(buttons)}." if buttons else ""


def _turns(state: RunState, subtask: Subtask, role: str) -> Iterator[Turn]:
    """The role's replies on its subtask, newest first, because what is looked for is usually among the latest."""
    return (turn for turn in reversed(state.turns) if turn.subtask == subtask.id and turn.role == role)


def _delivered(turns: Iterator[Turn]) -> bool:
    """Whether the last operation is complete in itself: a program printed its result, or an application was opened."""
    last = next((done for turn in turns for done in reversed(turn.done)), None)
    if last is None or not last.ok:
        return False
    if last.operation.function in OUTPUT_ACTIONS:
        return bool(last.text.strip())
    return last.operation.function == "open_application"
