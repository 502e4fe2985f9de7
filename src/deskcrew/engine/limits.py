"""The limits of a run (A6, C40, M10). Counters are folds; this module only compares them."""

from __future__ import annotations

from dataclasses import dataclass

from deskcrew.errors import LimitReached
from deskcrew.facts.verdict import BudgetName
from deskcrew.journal.fold import RunState
from deskcrew.settings import Limits


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit that a run may be given more of."""

    name: BudgetName
    used: float
    limit: float

    @property
    def more(self) -> float:
        """The limit with as much again as it was; of seconds, which are then counted anew, the same."""
        return self.limit if self.name == "seconds" else max(self.used, self.limit) + self.limit


def raised(limits: Limits, state: RunState) -> Limits:
    """The limits with what a person granted since."""
    return limits.model_copy(update=state.raised)


def budgets(state: RunState, limits: Limits, seconds: float) -> dict[BudgetName, Budget]:
    """The budgets that are set, by name, as far as is known how much of them is used. ``seconds``: how long it took."""
    spent = state.spent
    used: dict[BudgetName, float | None] = {
        "replies": max(state.replies.values(), default=0),
        "operations": state.operations,
        "rounds": state.rounds,
        "tokens": None if spent.untold else spent.input + spent.output,
        "seconds": seconds,
        "money": spent.cost,
    }
    limits = raised(limits, state)
    return {
        name: Budget(name, taken, limit)
        for name, taken in used.items()
        if taken is not None and (limit := getattr(limits, name)) is not None
    }


def check(state: RunState, limits: Limits, elapsed: float) -> None:
    """Raise LimitReached for the first limit that has been passed. ``elapsed``: seconds of wall time in this
    process."""
    subtask = state.subtask.id if state.subtask else ""
    spent, limits = state.spent, raised(limits, state)
    if limits.tokens is not None and spent.untold:
        raise LimitReached("tokens", "the model does not say how many tokens it used, so limit tokens cannot be kept.")
    if limits.money is not None and spent.cost is None:
        raise LimitReached("money", "what the model's replies cost is not known, so limit money cannot be kept.")
    passed = (
        ("repairs", state.repairs[subtask], limits.repairs, f"repairs of subtask {subtask}"),
        ("reassignments", state.reassigned[subtask], limits.reassignments, f"reassignments of subtask {subtask}"),
        ("appeals", state.appeals[subtask], limits.appeals, f"requests for another plan in place of subtask {subtask}"),
        ("replans", state.replans, limits.replans, "replans"),
        ("rounds", state.rounds + (state.phase == "decide"), limits.rounds, "rounds"),
        ("format_retries", state.format_errors, limits.format_retries, "malformed replies in a row"),
        ("stalls", state.stalled, limits.stalls, "decisions in a row that changed nothing and found out nothing new"),
        ("repeats", max(state.unchanged.values(), default=0), limits.repeats, "same operation on an unchanged screen"),
        ("tokens", spent.input + spent.output, limits.tokens, "tokens"),
        ("seconds", elapsed, limits.seconds, "seconds"),
        ("money", spent.cost, limits.money, "US dollars"),
    )
    for name, value, limit, what in passed:
        if limit is not None and value is not None and value > limit:
            raise LimitReached(name, f"{what}: more than {limit:g} (limit {name}).")


def out_of_time(limits: Limits) -> LimitReached:
    """What is raised once a run has taken its ``limits.seconds``."""
    return LimitReached("seconds", f"seconds: more than {limits.seconds:g} (limit seconds).")


def may_ask(state: RunState, limits: Limits, role: str) -> None:
    """Raise LimitReached if ``role`` has used up its replies (the 21st of 20 is refused)."""
    most = raised(limits, state).replies
    if state.replies[role] >= most:
        raise LimitReached("replies", f"{role} has given {most:g} replies (limit replies).")


def may_act(state: RunState, limits: Limits) -> None:
    """Raise LimitReached if the allowed number of operations has been executed (the 31st of 30 is refused)."""
    most = raised(limits, state).operations
    if most is not None and state.operations >= most:
        raise LimitReached("operations", f"{most:g} operations were executed (limit operations).")
