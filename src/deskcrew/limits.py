"""The bounds of a run (DESIGN 2; A6, C40, M10). Counters are folds; this only compares them."""

from __future__ import annotations

from deskcrew.errors import LimitReached
from deskcrew.journal.fold import RunState
from deskcrew.settings import Limits


def check(state: RunState, limits: Limits, elapsed: float) -> None:
    """Raise LimitReached for the first bound that has been passed. ``elapsed``: seconds of wall time in this process."""
    subtask = state.subtask.id if state.subtask else ""
    spent = state.spent
    passed = (
        ("operations", state.operations, limits.operations, "operations were executed"),
        ("repairs", state.repairs[subtask], limits.repairs, f"repairs of subtask {subtask}"),
        ("reassignments", state.reassigned[subtask], limits.reassignments, f"reassignments of subtask {subtask}"),
        ("replans", state.replans, limits.replans, "replans"),
        ("format_retries", state.format_errors, limits.format_retries, "malformed replies in a row"),
        ("repeats", max(state.unchanged.values(), default=0), limits.repeats, "same operation on an unchanged screen"),
        ("tokens", spent.input + spent.output, limits.tokens, "tokens"),
        ("seconds", elapsed, limits.seconds, "seconds"),
        ("money", spent.cost, limits.money, "US dollars"),
    )
    for name, value, limit, what in passed:
        if limit is not None and value is not None and value > limit:
            raise LimitReached(name, f"{what}: more than {limit:g} (limit {name}).")


def may_ask(state: RunState, limits: Limits, role: str) -> None:
    """Raise LimitReached when ``role`` has given all the replies it may (the 21st of 20 is refused)."""
    if state.replies[role] >= limits.replies:
        raise LimitReached("replies", f"{role} has given {limits.replies} replies (limit replies).")
