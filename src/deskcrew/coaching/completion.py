"""When a small model's part is finished: by what happened, whatever the model says of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deskcrew.goals.goal import unmet
from deskcrew.journal.fold import OUTPUT_ACTIONS, RunState
from deskcrew.journal.records import Turn
from deskcrew.observation import Observation
from deskcrew.plan import Subtask
from deskcrew.verdict import Branch, CheckResult, Verdict


def seen_to(
    said: Verdict,
    state: RunState,
    subtask: Subtask,
    last: bool,
    checks: Sequence[CheckResult],
    now: Observation,
    *,
    planned: bool,
) -> Verdict:
    """The verdict in place of the one that follows from the role's own word, which stands where the role asks for help or
    says that it cannot go on.

    ``said``: that verdict. ``last``: no other subtask is open, so the goal's ``checks`` must hold by now. ``now``: the last
    observation. ``planned``: a planner has cut the task, so that one action may be all of a part.
    """
    decision = state.decision
    assert decision is not None, "judging needs a decision"
    if decision.branch not in (Branch.CONTINUE, Branch.ROLE_TASK_FINISH):
        return said
    failing = unmet(checks)
    if last and checks and not failing and all(result.holds for result in checks):
        return Verdict(kind="accept")
    # A model that only gives operations that are done already has nothing left to do.
    nothing_left = 0 < decision.total == decision.skipped
    delivered = nothing_left or (planned and _delivered(_turns(state, subtask, decision.role)))
    if decision.branch == Branch.CONTINUE and not delivered:
        return said
    anything = decision.answer or any(done.ok for turn in _turns(state, subtask, decision.role) for done in turn.done)
    told = (turn.reply.get("information") for turn in _turns(state, subtask, decision.role))
    reported = not anything and any(told)
    if reported and not now.windows:  # they make up what they read
        why = f"{decision.role} has done nothing, and no window is open whose text it could have read."
        return Verdict(kind="reassign", why=why)
    if not anything and not reported:
        return Verdict(kind="repair", why="Nothing of this part is done yet. Give the operations that do it.")
    if last and failing:
        return _unfinished(state, failing, now)
    return Verdict(kind="accept")


def _unfinished(state: RunState, failing: Sequence[str], now: Observation) -> Verdict:
    decision = state.decision
    assert decision is not None, "judging needs a decision"
    if decision.total and (opened := state.evidence.windows_opened if state.evidence else ()):
        # The last operation led on to a window: nothing went wrong, it just is not the end yet.
        return Verdict(kind="continue", why=f"The window {opened[0]!r} opened; go on in it.")
    return Verdict(kind="repair", why=f"Not finished: {'; '.join(failing)}.{_dialog(now)}")


def _dialog(now: Observation) -> str:
    """That a dialog is still open, with what ends it; '' if none is."""
    window = now.active_window
    if window is None or not window.dialog:
        return ""
    buttons = [f'{c.label} "{c.name}"' for c in now.in_front if c.role == "button" and c.name]
    return f" The dialog {window.title!r} is still open; its buttons are {', '.join(buttons)}." if buttons else ""


def _turns(state: RunState, subtask: Subtask, role: str) -> Iterator[Turn]:
    """The role's replies on its subtask, newest first: what is looked for is usually among those, however long the run."""
    return (turn for turn in reversed(state.turns) if turn.subtask == subtask.id and turn.role == role)


def _delivered(turns: Iterator[Turn]) -> bool:
    """Whether the last action is complete in itself: a program printed its result, an application was opened."""
    last = next((done for turn in turns for done in reversed(turn.done)), None)
    if last is None or not last.ok:
        return False
    if last.operation.function in OUTPUT_ACTIONS:
        return bool(last.text.strip())
    return last.operation.function == "open_application"
