"""How a run ended, as one value: what ``deskcrew run --json`` prints, and what the library returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Self

from pydantic import Field

from deskcrew.engine.limits import budgets, limits_of, seconds_of
from deskcrew.errors import RunNotDone
from deskcrew.facts import events as e
from deskcrew.facts.contract import Proof, Strength
from deskcrew.facts.observation import Frozen
from deskcrew.facts.verdict import BudgetName, CheckResult, Outcome, VerifiedBy
from deskcrew.journal.fold import folded
from deskcrew.ways_in.report.operations import not_done
from deskcrew.ways_in.report.render import outcome_words, tried_on, unsaid
from deskcrew.ways_in.report.totals import Totals, outcome_of, status_of, totals

Verifier = Literal["checks", "program", "judge", "person"]
"""Who verified something: typed checks; a program, written for it by a model or part of a skill; a model; a person."""
_VERIFIERS: Mapping[VerifiedBy, Verifier] = MappingProxyType(
    {"rules": "checks", "probe": "program", "judge": "judge", "rules+model": "judge", "human": "person"}
)
"""The verifiers of terminals and pages, by those of the record."""


class Requirement(Frozen):
    """What must hold, whether it does, and what was found."""

    id: str
    says: str
    holds: bool | None
    """None: nothing shows it, since it could not be checked, or held before the work."""
    by: Verifier | None = None
    found: str = ""
    """What was found, in words."""

    @classmethod
    def of(cls, proof: Proof) -> Self:
        shown = False if proof.holds is False else proof.proven or None
        by = _VERIFIERS[proof.by] if proof.by else None
        found = proof.words.removeprefix(f"{proof.says}: ") if shown is None else proof.found
        return cls(id=proof.requirement, says=proof.says, holds=shown, by=by, found=found)


class Spoiled(Frozen):
    """How many copies of the result, spoiled on purpose, the checks rejected, as they should, and how many they accepted."""

    rejected: int = 0
    accepted: int = 0

    @classmethod
    def of(cls, strength: Strength) -> Self:
        accepted = len(strength.loose)
        return cls(rejected=sum(strength.tried.values()) - accepted, accepted=accepted)


class Files(Frozen):
    """What a run did to its workspace; paths are relative to it."""

    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    """Old and new paths, which are not listed as deleted and created."""

    def __str__(self) -> str:
        renamed = [f"{old} -> {new}" for old, new in self.renamed]
        done = {"created": self.created, "changed": self.changed, "deleted": self.deleted, "renamed": renamed}
        return "; ".join(f"{what}: {', '.join(names)}" for what, names in done.items() if names)


class Tokens(Frozen):
    """Tokens of all calls of a run; None if a model did not report them. ``cached``: those of ``input`` that were cached."""

    input: int | None = 0
    output: int | None = 0
    cached: int | None = 0


class Attempt(Frozen):
    """Which of several attempts at a task is current. ``most``: the maximum number of attempts; ``compared``: the
    comparison that chose it, None if evidence alone did; ``calls``, ``tokens``, ``cost`` (in US dollars, None if unknown):
    the sums for all attempts and their comparison."""

    number: int
    most: int
    compared: e.Choice | None = None
    calls: int = 0
    tokens: Tokens = Tokens()
    cost: float | None = 0


class Result(Frozen):
    """How a run ended, and the evidence for it.

    ``outcome``: ``done``, ``unverified``, ``failed``, ``denied``, ``stopped``; for a run that has not ended
    ``interrupted``, ``waiting``, ``undone`` or ``unfinished``. ``why``: the same in words; ``reason``: the
    reason for a failure, one of docs/reference/outcomes.md.
    """

    run: str | None
    """The run's id, for ``deskcrew log``, ``replay`` and ``rewind``; None if the run could not begin."""
    follows: str | None = None
    """The run that this one follows."""
    outcome: str
    words: str = ""
    """The outcome as a terminal shows it: what verified it, whether by a weak check, or why it is not done; '' if the run
    has not ended."""
    answer: str = ""
    """The answer to the task's question; '' if it asks none, or no answer was found."""
    said: str = ""
    """What the crew says about its work beside any answer: nobody checked it, and it proves nothing."""
    sources: tuple[str, ...] = ()
    """Ids of the events that the answer is based on."""
    verified_by: Verifier | None = None
    """Who verified it: of several, the least certain; None if nobody did."""
    reason: str = ""
    why: str = ""
    checks: tuple[CheckResult, ...] = ()
    """The typed checks that a small model's run has instead of requirements."""
    requirements: tuple[Requirement, ...] = ()
    """What must hold, each with whether it does, who says so, and what was found."""
    incidental: tuple[str, ...] = ()
    """What else pages sent and which other files changed as a side effect, which the task need not mention."""
    spoiled: Spoiled = Spoiled()
    """On how many spoiled copies of the result the checks were also run, to see whether they can fail."""
    tried: str = ""
    """The same in a sentence, with what was spoiled; '' if none was tried."""
    weak: bool = False
    """Whether it is done only by your own check that accepted a spoiled copy, or looked into no new file."""
    attempt: Attempt | None = None
    """Which attempt at the task it is; None if only one was allowed."""
    workspace: str = ""
    """The folder that it worked in."""
    files: Files = Files()
    calls: int = 0
    """The number of model replies."""
    operations: int = 0
    """The number of actions that were started."""
    failures: tuple[str, ...] = ()
    """The errors of the operations that failed, in order, each with the action's name."""
    denied: tuple[str, ...] = ()
    """The operations that were denied and never carried out, each with the reason."""
    tokens: Tokens = Tokens()
    cost: float | None = 0
    """US dollars; None if a price is unknown."""
    seconds: float = 0
    left: dict[BudgetName, float] = Field(default_factory=dict[BudgetName, float])
    """How much is left of each budget that has a limit, by the limit's name."""
    exit_code: int = 1
    """The exit code of ``deskcrew run``."""
    head: str | None = None
    """The digest of the run's last event, which vouches for all events before it."""

    @property
    def done(self) -> bool:
        """Whether the outcome is ``done``: every requirement was verified."""
        return self.outcome == "done"

    def __str__(self) -> str:
        """The outcome, what does not hold, the last failure if not done, the answer, the changed files; ``repr`` has all."""
        words = self.words or self.outcome
        ended = f"run {self.run}: {'; '.join(filter(None, (words, unsaid(words, self.why))))}"
        found = [
            f"{each.says}: {each.found.removeprefix(f'{each.says}: ')}" for each in self.requirements if each.holds is False
        ]
        wrong = [f"not fulfilled: {each}" for each in found]
        failure = f"the last operation that failed: {self.failures[-1]}" if self.failures and not self.done else ""
        lines = [ended, *wrong, failure, self.answer, self.said, str(self.files)]
        return "\n".join(line for line in lines if line) + (f"\nin {self.workspace}" if self.workspace else "")

    def path(self, name: str) -> Path:
        """A file of the workspace, by its relative path."""
        return Path(self.workspace, name)

    def or_raise(self) -> Self:
        """This result, if it is done. Otherwise raises RunNotDone, which holds the result."""
        if not self.done:
            raise RunNotDone(f"Run {self.run}: {self.outcome}. {self.why}".rstrip(), run=self.run or "")
        return self


def attempt_of(events: Sequence[e.Event], everything: Sequence[e.Event] = ()) -> Attempt | None:
    """Which attempt at the task is current; None if only one was allowed. ``everything``: the events of all branches."""
    begun = events[0].body if events else None
    most = begun.settings.attempts if isinstance(begun, e.RunStarted) else 1
    if most == 1:
        return None
    state, sums = folded(events), totals(list(everything or events))
    # Where another one was chosen, this branch was left for it.
    compared = state.choice if state.choice is not None and state.choice.attempt == state.attempt else None
    return Attempt(
        number=state.attempt, most=most, compared=compared, calls=sums.calls, tokens=_tokens(sums), cost=sums.cost.exact
    )


def _tokens(sums: Totals) -> Tokens:
    return Tokens(input=sums.input.count, output=sums.output.count, cached=sums.cached.count)


def rejected_of(events: Sequence[e.Event]) -> tuple[str, ...]:
    """The spoiled copies of the result that the checks rejected, in words."""
    return proved.rejected if (proved := e.latest(events, e.Proved)) is not None else ()


def _left(events: Sequence[e.Event]) -> dict[BudgetName, float]:
    found = budgets(folded(events), limits_of(events), seconds_of(events))
    return {name: round(budget.left, 6) for name, budget in found.items()}


def result_of(
    run: str | None, events: Sequence[e.Event], outcome: Outcome | None = None, *, everything: Sequence[e.Event] = ()
) -> Result:
    """The result of a run, from the events of a branch. ``outcome``: the outcome, if they hold none; ``everything``: the
    events of all branches."""
    events = list(events)
    ended = outcome or outcome_of(events)
    outcome = ended or Outcome(status="stopped")  # whose other fields are empty
    sums, denied = totals(events), not_done(events)
    finished = [event.body for event in events if isinstance(event.body, e.ActionFinished)]
    begun = events[0].body if events else None
    started = begun if isinstance(begun, e.RunStarted) else None
    return Result(
        run=run,
        follows=(started.follows or None) if started else None,
        outcome=ended.status if ended else status_of(events),
        words=outcome_words(ended, denied) if ended else "",
        answer=outcome.answer,
        said=outcome.said,
        sources=outcome.sources,
        verified_by=_VERIFIERS[outcome.verified_by] if outcome.verified_by else None,
        reason=outcome.reason,
        why=outcome.why,
        checks=outcome.checks,
        requirements=tuple(map(Requirement.of, outcome.proofs)),
        incidental=outcome.incidental,
        spoiled=Spoiled.of(outcome.strength),
        tried=tried_on(outcome.strength, rejected_of(events)),
        weak=outcome.weak,
        attempt=attempt_of(events, everything),
        workspace=started.workspace if started else "",
        files=Files.model_validate(sums, from_attributes=True),
        calls=sums.calls,
        operations=sums.operations,
        failures=tuple(f"{body.operation.function}: {body.error or body.text}" for body in finished if not body.ok),
        denied=denied,
        tokens=_tokens(sums),
        cost=sums.cost.exact,
        seconds=round(sums.seconds, 3),
        left=_left(events) if started else {},
        exit_code=ended.exit_code if ended else 1,
        head=events[-1].id if events else None,
    )
