"""Several attempts at one task, each on a branch of its own from the same start; evidence says which is taken.

After Agent S3's behaviour best-of-N, with the contract and its evidence in the place of a judge: an attempt that is proven
ends it, so the others are only made where they are needed. Those that were not taken stay as branches of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import anyio.to_thread

from deskcrew import rewind, session
from deskcrew.environments.desk import Desk
from deskcrew.environments.environment import Browser
from deskcrew.events import Rewound
from deskcrew.human.responder import Responder
from deskcrew.journal.branches import Branch, branches
from deskcrew.journal.journal import Journal
from deskcrew.journal.store import Store
from deskcrew.models.client import Model
from deskcrew.request import RunRequest, request_of
from deskcrew.secrets.redactor import Redactor
from deskcrew.session import Watch, points_of
from deskcrew.settings import Settings
from deskcrew.verdict import Outcome

ENDS = ("done", "denied", "stopped")
"""Outcomes after which nothing is tried anew: it is proven, or a person or the policy has said no."""
BEST_FIRST = ("done", "unverified", "failed", "denied", "stopped")
SENT = "No further attempt: what was done cannot be taken back ({what})."


@dataclass(frozen=True, slots=True)
class With:
    """What every attempt is made with; see :func:`deskcrew.session.resume`."""

    change: Callable[[RunRequest], RunRequest]
    watch: Watch | None
    human: Responder | None
    model: Model | None
    notice: Callable[[str], None] | None
    lend: Callable[[Desk], None] | None

    async def resume(self, name: str, settings: Settings) -> Journal:
        """Continue the run."""
        return await session.resume(
            name,
            settings,
            change=self.change,
            watch=self.watch,
            human=self.human,
            model=self.model,
            notice=self.notice,
            lend=self.lend,
        )


async def run(
    request: RunRequest,
    settings: Settings,
    *,
    watch: Watch | None = None,
    human: Responder | None = None,
    model: Model | None = None,
    notice: Callable[[str], None] | None = None,
    lend: Callable[[Desk], None] | None = None,
    browser: Browser | None = None,
    run: str = "",
) -> Journal:
    """:func:`deskcrew.session.run`, up to ``request.attempts`` times; the journal stands on the branch that is taken.

    Each attempt has the contract, the files and a desktop or browser as at the start, and what is left to chance otherwise.
    There is no further one after what cannot be taken back. Limits hold for each.
    """
    journal = await session.run(
        request, settings, watch=watch, human=human, model=model, notice=notice, lend=lend, browser=browser, run=run
    )
    return await _go_on(journal, settings, With(lambda begun: _asked(begun, request), watch, human, model, notice, lend))


async def resume(
    name: str,
    settings: Settings,
    *,
    change: Callable[[RunRequest], RunRequest] = lambda request: request,
    watch: Watch | None = None,
    human: Responder | None = None,
    model: Model | None = None,
    notice: Callable[[str], None] | None = None,
    lend: Callable[[Desk], None] | None = None,
) -> Journal:
    """:func:`deskcrew.session.resume`, and the attempts that the run has left, also where its process ended between two."""
    use = With(change, watch, human, model, notice, lend)
    journal = Store.of(settings).journal(name)
    if _due(journal, use) is None and not _to_be_taken(journal):
        journal = await use.resume(name, settings)
    return await _go_on(journal, settings, use)


def made(journal: Journal) -> tuple[Branch, ...]:
    """The branches that are attempts at the task, in their order; empty where there was one only."""
    found = branches(journal)
    again = [each for each in found if isinstance(first := each.events[0].body, Rewound) and first.attempt]
    return (found[0], *again) if again else ()


def best(attempts: tuple[Branch, ...]) -> Branch:
    """The attempt that evidence speaks for: by how it ended, what share of the requirements was seen to hold, and how many
    others came to the same answer; of equals the first."""
    answers = Counter(_answer(each.outcome) for each in attempts if each.outcome is not None)

    def rank(each: Branch) -> tuple[int, float, int, int]:
        ended = each.outcome
        if ended is None:
            return len(BEST_FIRST), 0, 0, each.number
        return BEST_FIRST.index(ended.status), -_shown(ended), -answers[_answer(ended)], each.number

    return min(attempts, key=rank)


def _answer(outcome: Outcome | None) -> str:
    return " ".join(outcome.answer.casefold().split()) if outcome is not None else ""


def _shown(outcome: Outcome) -> float:
    """What share of what must hold was seen to hold, 0 to 1."""
    seen = [proof.holds is True for proof in outcome.proofs] or [check.holds is True for check in outcome.checks]
    return sum(seen) / len(seen) if seen else 0.0


def _asked(begun: RunRequest, request: RunRequest) -> RunRequest:
    """The request that a run began with, with what its events do not hold."""
    return replace(
        begun, model=request.model, mode=request.mode, modes=request.modes, limits=request.limits, secrets=request.secrets
    )


async def _go_on(journal: Journal, settings: Settings, use: With) -> Journal:
    if request_of(journal).attempts == 1:
        return journal
    while (number := _due(journal, use)) is not None:
        name = journal.run
        await anyio.to_thread.run_sync(_begin, name, settings, number, use)
        journal = await use.resume(name, settings)
    return await anyio.to_thread.run_sync(_take_best, journal.run, settings, use)


def _due(journal: Journal, use: With) -> int | None:
    """The number of the attempt that is to be made next; None where no other is."""
    outcome, wanted = journal.state.outcome, request_of(journal).attempts
    number = len(made(journal)) or 1
    if outcome is None or outcome.status in ENDS or outcome.resumable or number >= wanted or _by_a_person(journal):
        return None
    if sent := rewind.outward(journal, journal.events[0]):
        if use.notice is not None:
            use.notice(SENT.format(what=sent[0]))
        return None
    return number + 1


def _by_a_person(journal: Journal) -> bool:
    """Whether a person has taken this branch elsewhere, and so says what is tried."""
    return any(isinstance(event.body, Rewound) and not event.body.attempt for event in journal.events)


def _opened(name: str, settings: Settings, use: With) -> Journal:
    """The run's journal between two attempts. It knows the run's secrets, so that no save point keeps a file with one."""
    journal = Store.of(settings).journal(name)
    journal.redactor = Redactor(use.change(request_of(journal)).secrets)
    if (watch := use.watch) is not None:
        journal.watchers.append(lambda event: watch(event, journal))
    return journal


def _begin(name: str, settings: Settings, number: int, use: With) -> None:
    """Bring the files back, and begin the branch of the attempt. Raises what :func:`deskcrew.rewind.go_back` raises."""
    journal = _opened(name, settings, use)
    with journal.claimed():
        points = points_of(_workspace(journal), journal)
        rewind.go_back(journal, rewind.to_start(journal, points), points, attempt=number)


def _to_be_taken(journal: Journal) -> Branch | None:
    """The best attempt where all have ended and the run does not stand on it."""
    attempts, outcome = made(journal), journal.state.outcome
    if not attempts or outcome is None or outcome.resumable or _by_a_person(journal):
        return None
    return None if (taken := best(attempts)).current else taken


def _take_best(name: str, settings: Settings, use: With) -> Journal:
    """Stand on the branch of the best attempt, its files in the workspace."""
    journal = _opened(name, settings, use)
    if (taken := _to_be_taken(journal)) is not None:
        with journal.claimed():
            points = points_of(_workspace(journal), journal)
            rewind.go_back(journal, rewind.to_branch(journal, taken, points), points)
    return journal


def _workspace(journal: Journal) -> Path:
    return Path(journal.state.started.workspace) if journal.state.started is not None else Path()
