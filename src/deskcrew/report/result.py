"""How a run ended, as one value: what ``deskcrew run --json`` prints, and what the library returns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from deskcrew import events as e
from deskcrew.contract import Proof
from deskcrew.errors import RunNotDone
from deskcrew.observation import Frozen
from deskcrew.report.totals import outcome_of, status_of, totals
from deskcrew.verdict import CheckResult, Outcome, VerifiedBy


class Files(Frozen):
    """What a run did to its workspace; paths are relative to it."""

    created: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()


class Tokens(Frozen):
    """Tokens of all its calls; None where a model did not say. ``cached`` are among ``input``."""

    input: int | None = 0
    output: int | None = 0
    cached: int | None = 0


class Attempt(Frozen):
    """Which of several attempts at a task a run stands on. ``most``: how many there were to be at most; ``compared``: the
    comparison by which it is taken, None where evidence alone said so."""

    number: int
    most: int
    compared: e.Choice | None = None


class Result(Frozen):
    """How a run ended, and what it rests on.

    ``outcome``: ``done``, ``unverified``, ``failed``, ``denied``, ``stopped``; of a run without an end ``interrupted``,
    ``waiting`` or ``unfinished``. ``why`` says it in words; ``reason`` of a failure is one of docs/reference/outcomes.md.
    """

    run: str | None
    """Id of the run: ``deskcrew log``, ``replay`` and ``rewind`` take it. None: it could not begin."""
    follows: str | None = None
    """The run that this one went on from."""
    outcome: str
    answer: str = ""
    """To what the task asked; '' where it asked nothing, or nothing was found out."""
    sources: tuple[str, ...] = ()
    """Ids of the events that the answer rests on."""
    verified_by: VerifiedBy | None = None
    reason: str = ""
    why: str = ""
    checks: tuple[CheckResult, ...] = ()
    """Of a small model's run, which has typed checks in place of requirements."""
    requirements: tuple[Proof, ...] = ()
    """What must hold, each with whether it holds (None: nobody could look), who looked, and what was seen."""
    incidental: tuple[str, ...] = ()
    """What pages sent besides, of which the Verifier says that the task need not speak of it."""
    attempt: Attempt | None = None
    """Which attempt at the task it is; None where there was to be one only."""
    workspace: str = ""
    """The folder that it worked in."""
    files: Files = Files()
    calls: int = 0
    """Replies of models."""
    operations: int = 0
    """Actions that were begun."""
    tokens: Tokens = Tokens()
    cost: float | None = 0
    """US dollars; None where a price is unknown."""
    seconds: float = 0
    exit_code: int = 1
    """Of ``deskcrew run``."""
    head: str | None = None
    """Digest of its last event, which vouches for all before it."""

    @property
    def done(self) -> bool:
        """Whether every requirement was seen to hold."""
        return self.outcome == "done"

    def path(self, name: str) -> Path:
        """A file of the workspace, by its relative path."""
        return Path(self.workspace, name)

    def or_raise(self) -> Self:
        """This result, where it is done. Raises RunNotDone, which has the result, where it is not."""
        if not self.done:
            raise RunNotDone(f"Run {self.run}: {self.outcome}. {self.why}".rstrip(), run=self.run or "")
        return self


def attempt_of(events: Sequence[e.Event]) -> Attempt | None:
    """Which attempt at the task a run stands on; None where there was to be one only."""
    begun = events[0].body if events else None
    most = int(begun.settings.get("attempts", 1)) if isinstance(begun, e.RunStarted) else 1
    if most == 1:
        return None
    number, choice = 1, None
    for event in events:
        match event.body:
            case e.Rewound() as body:
                number, choice = body.attempt or number, body.choice
            case e.AttemptsCompared() as body:
                choice = body.choice
            case _:
                pass
    # Where another one was chosen, this branch was left for it.
    compared = choice if choice is not None and choice.attempt == number else None
    return Attempt(number=number, most=most, compared=compared)


def result_of(run: str | None, events: Sequence[e.Event], outcome: Outcome | None = None) -> Result:
    """The result of a run, from its events. ``outcome``: in place of the one that they have, where they have none."""
    events = list(events)
    outcome = outcome or outcome_of(events)
    sums = totals(events)
    begun = events[0].body if events else None
    started = begun if isinstance(begun, e.RunStarted) else None
    return Result(
        run=run,
        follows=(started.follows or None) if started else None,
        outcome=outcome.status if outcome else status_of(events),
        answer=outcome.answer if outcome else "",
        sources=outcome.sources if outcome else (),
        verified_by=outcome.verified_by if outcome else None,
        reason=outcome.reason if outcome else "",
        why=outcome.why if outcome else "",
        checks=outcome.checks if outcome else (),
        requirements=outcome.proofs if outcome else (),
        incidental=outcome.incidental if outcome else (),
        attempt=attempt_of(events),
        workspace=started.workspace if started else "",
        files=Files(created=tuple(sums.created), changed=tuple(sums.changed), deleted=tuple(sums.deleted)),
        calls=sums.calls,
        operations=sums.operations,
        tokens=Tokens(input=sums.input.count, output=sums.output.count, cached=sums.cached.count),
        cost=sums.cost.exact,
        seconds=round(sums.seconds, 3),
        exit_code=outcome.exit_code if outcome else 1,
        head=events[-1].id if events else None,
    )
