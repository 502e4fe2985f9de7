"""The limits of a run (A6, C40, M10). Counters are folds; this module only compares them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from deskcrew.errors import LimitReached
from deskcrew.facts.events import Event, LimitRaised, RunResumed, RunStarted
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.verdict import BUDGETS, BudgetName
from deskcrew.journal.fold import RunState
from deskcrew.settings import Limits


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit that a run may be given more of."""

    name: BudgetName
    used: float
    limit: float

    @property
    def left(self) -> float:
        return max(0.0, self.limit - self.used)

    @property
    def words(self) -> str:
        """What is left of the budget, in words."""
        form = ",.2f" if self.name == "money" else ",.0f"
        return f"{self.left:{form}} of {self.limit:{form}} {BUDGETS[self.name]}"

    @property
    def more(self) -> float:
        """The limit after granting as much again. For seconds it stays the same, as they are then counted from zero."""
        return self.limit if self.name == "seconds" else max(self.used, self.limit) + self.limit


def limits_of(events: Iterable[Event]) -> Limits:
    """The limits with which a run was begun or last continued, with what a person granted since."""
    told: JsonObject = {}
    for event in events:
        match event.body:
            case RunStarted(settings=settings) | RunResumed(settings=settings):
                told = dict(settings.limits or told)
            case LimitRaised(budget=name, limit=limit):
                told[name] = limit
            case _:
                pass
    return Limits.model_validate(told)


def granted_limits(limits: Limits, state: RunState) -> Limits:
    """The limits with what a person granted since."""
    return limits.model_copy(update=state.raised)


def seconds_of(events: Sequence[Event]) -> float:
    """The seconds of its limit that a run had used by its last event."""
    anew = (event for event in reversed(events) if _counts_anew(event))
    since = next(anew, None)
    return events[-1].header.time - since.header.time if since is not None else 0.0


def _counts_anew(event: Event) -> bool:
    body = event.body
    return isinstance(body, RunStarted | RunResumed) or (isinstance(body, LimitRaised) and body.budget == "seconds")


def budgets(state: RunState, limits: Limits, seconds: float, role: str = "") -> dict[BudgetName, Budget]:
    """The budgets that have a limit and whose use is known, by name. ``seconds``: how long the run took; ``role``: the role
    whose replies count, '' for the one that gave most."""
    used: dict[BudgetName, float | None] = {
        "replies": state.replies[role] if role else max(state.replies.values(), default=0),
        "operations": state.operations,
        "rounds": state.rounds,
        "tokens": None if state.spent.untold else state.spent.tokens,
        "seconds": seconds,
        "money": state.spent.cost,
    }
    return set_budgets(used, granted_limits(limits, state))


def set_budgets(used: Mapping[BudgetName, float | None], limits: Limits) -> dict[BudgetName, Budget]:
    """The budgets that have a limit, by name, without those whose use is not known (None in ``used``)."""
    return {
        name: Budget(name, taken, limit)
        for name, taken in used.items()
        if taken is not None and (limit := getattr(limits, name)) is not None
    }


def nearly_used_up(found: Iterable[Budget]) -> str:
    """What is left of each budget that is less than a third full, in words; '' if there is none."""
    return ", ".join(each.words for each in found if each.left * 3 < each.limit)


def check(state: RunState, limits: Limits, elapsed: float) -> None:
    """Raise LimitReached for the first limit that has been passed. ``elapsed``: seconds of wall time in this
    process."""
    subtask = state.subtask.id if state.subtask else ""
    spent, limits = state.spent, granted_limits(limits, state)
    if limits.tokens is not None and spent.untold:
        raise LimitReached("tokens", "the model does not say how many tokens it used, so limit tokens cannot be enforced.")
    if limits.money is not None and spent.cost is None:
        raise LimitReached("money", "what the model's replies cost is not known, so limit money cannot be enforced.")
    passed = (
        ("repairs", state.repairs[subtask], limits.repairs, f"repairs of subtask {subtask}"),
        ("reassignments", state.reassigned[subtask], limits.reassignments, f"reassignments of subtask {subtask}"),
        ("appeals", state.appeals[subtask], limits.appeals, f"requests for another plan in place of subtask {subtask}"),
        ("replans", state.replans, limits.replans, "replans"),
        ("rounds", state.rounds + (state.phase == "decide"), limits.rounds, "rounds"),
        ("format_retries", state.format_errors, limits.format_retries, "malformed replies in a row"),
        ("stalls", state.stalled, limits.stalls, "decisions in a row that changed nothing and found out nothing new"),
        ("repeats", max(state.unchanged.values(), default=0), limits.repeats, "repeats on an unchanged screen"),
        ("tokens", spent.tokens, limits.tokens, "tokens"),
        ("seconds", elapsed, limits.seconds, "seconds"),
        ("money", spent.cost, limits.money, "US dollars"),
    )
    for name, value, limit, what in passed:
        if limit is not None and value is not None and value > limit:
            raise LimitReached(name, f"The run has used up its {limit:g} {what} (limit {name}).")


def remaining(limits: Limits, left: RunState, now: RunState, seconds: float) -> Limits:
    """The limits for a branch that goes back from the state ``left`` to ``now``, less what was used in between. ``seconds``:
    how long the run has taken."""
    limits = granted_limits(limits, left)
    spent, before = left.spent, now.spent
    cost = None if spent.cost is None or before.cost is None else spent.cost - before.cost
    used: dict[BudgetName, float | None] = {
        "replies": max((count - now.replies[role] for role, count in left.replies.items()), default=0),
        "operations": left.operations - now.operations,
        "rounds": left.rounds - now.rounds,
        "tokens": spent.tokens - before.tokens,
        "seconds": seconds,
        "money": cost,
    }
    least = {"seconds": 0.001, "money": 0.0001}
    found = set_budgets(used, limits).items()
    return limits.model_copy(update={name: max(each.left, least.get(name, 1)) for name, each in found})


def out_of_time(limits: Limits) -> LimitReached:
    """The error to raise once a run has used up its ``limits.seconds``."""
    return LimitReached("seconds", f"The run has used up its {limits.seconds:g} seconds (limit seconds).")


def may_ask(state: RunState, limits: Limits, role: str) -> None:
    """Raise LimitReached if ``role`` has used up its replies (the 21st of 20 is refused)."""
    most = granted_limits(limits, state).replies
    if state.replies[role] >= most:
        raise LimitReached("replies", f"{role} has given {most:g} replies (limit replies).")


def may_act(state: RunState, limits: Limits) -> None:
    """Raise LimitReached if the allowed number of operations has been executed (the 31st of 30 is refused)."""
    most = granted_limits(limits, state).operations
    if most is not None and state.operations >= most:
        raise LimitReached("operations", f"{most:g} operations were executed (limit operations).")
