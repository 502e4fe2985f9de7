"""Ask the person: for help, or for more of a budget that is used up."""

from __future__ import annotations

import time
from collections.abc import Sequence

from deskcrew.engine import limits as bounds
from deskcrew.engine.context import Run
from deskcrew.engine.human.questions import Approval, HelpQuestion, LimitQuestion
from deskcrew.engine.roles.role_kinds import CONSENTING
from deskcrew.errors import LimitReached
from deskcrew.facts.events import (
    Event,
    HumanSaid,
    Judged,
    LimitRaised,
    OperationApproved,
    OperationDenied,
    RunResumed,
    latest,
)
from deskcrew.facts.verdict import BOUND, Verdict, used_up


async def ask_human(run: Run) -> None:
    """Ask the person for whom a role or a verdict asked. If nobody is there, the problem ends the run."""
    record = run.record
    state = record.state
    asking = state.asking
    assert asking is not None
    # The role that replied last; what a reviewer says of its operations is no question of its own.
    who = next(
        (
            turn.role
            for turn in reversed(state.own_turns)
            if record.crew.roles[turn.role].kind not in ("review", "trace", *CONSENTING)
        ),
        "",
    )
    said = await run.authorization.human.help(state, HelpQuestion(role=who, question=asking.why))
    if said is None:
        record.stop(Verdict(kind="stop", reason="gave_up", why=f"help was needed and nobody was there: {asking.why}"))
        return
    if isinstance(said, HumanSaid) and said.kind == "answer" and said.role is None:
        said = said.model_copy(update={"role": who or None})
    await run.authorization.hear(said)


def reached(run: Run, limit: LimitReached, why: str) -> None:
    """Handle a limit that was reached: ask a person to raise it, if one is there and that would help; else end the run."""
    record = run.record
    state, reason = record.state, f"{BOUND}{limit.name}"
    more = limit.name in bounds.budgets(state, record.limits, record.seconds)
    asks = more and state.asking is None and run.authorization.human.can_help(state, "")
    asks = asks and not _unanswered(record.journal.events)
    verdict = Verdict(kind="ask" if asks else "stop", reason=reason, why=why)
    record.journal.append(Judged(scope="goal", verdict=verdict, by="rules"), lane=record.lane)


async def ask_for_more(run: Run) -> None:
    """Ask the person whether to raise a budget that is used up."""
    record = run.record
    asking = record.state.asking
    assert asking is not None
    name = used_up(asking.reason)
    assert name is not None
    budget = bounds.budgets(record.state, record.limits, record.seconds)[name]
    question = LimitQuestion(name=name, limit=budget.limit)
    match await run.authorization.human.more(record.state, question):
        case Approval(allowed=True):
            record.journal.append(LimitRaised(budget=name, limit=budget.more))
            if name == "seconds":
                record.began = max(record.began, time.monotonic())
        case None | Approval():
            record.stop(Verdict(kind="stop", reason=asking.reason, why=asking.why))
        case said:
            await run.authorization.hear(said)


def _unanswered(events: Sequence[Event]) -> bool:
    """Whether the last question to a person was denied because nobody answered: the next one would wait just as long."""
    last = latest(events, OperationDenied, OperationApproved, HumanSaid, RunResumed)
    return isinstance(last, OperationDenied) and last.by == "nobody"
