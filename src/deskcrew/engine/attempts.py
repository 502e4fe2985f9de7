"""Several attempts at one task, each on a branch of its own from the same start; evidence decides between them.

Modelled on Agent S3's behaviour best-of-N, but evidence comes before a judge: once an attempt is proven no further one is
made, and a model compares attempts only if evidence does not decide between them. The others stay as branches of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack

import anyio.to_thread

from deskcrew.engine import rewind, session
from deskcrew.engine.human.responder import Nobody
from deskcrew.engine.limits import limits_of, remaining, seconds_of
from deskcrew.engine.notifying import pushing
from deskcrew.engine.request import NOTHING, RunRequest, able_again, request_of
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.engine.session import Beside, nobody, points_of
from deskcrew.engine.steps.reviewing import compare, kept_by, side_by_side
from deskcrew.environments.environment import Desktop
from deskcrew.environments.manifest import Manifest
from deskcrew.errors import EnvironmentFailure, ModelFailure
from deskcrew.facts.events import AttemptsCompared, AttemptsShown, Choice, Rewound, RunResumed, RunStarted, newest_first
from deskcrew.facts.excerpts import shorten
from deskcrew.facts.texts import folded
from deskcrew.facts.verdict import Outcome
from deskcrew.journal.branches import JournalBranch, branches
from deskcrew.journal.journal import Journal, path_to
from deskcrew.journal.store import Store
from deskcrew.models.client import Model, Profile
from deskcrew.secrets.redactor import Redactor
from deskcrew.settings import Limits, Settings

ENDS = ("done", "denied", "stopped")
"""Outcomes after which no further attempt is made: the task is proven, or a person or the policy said no."""
BEST_FIRST = ("done", "unverified", "failed", "denied", "stopped")
UNCOMPARED = "The attempts could not be compared{why}; evidence alone says which is taken."
WHY = 200
"""The maximum number of characters of a reason."""
SENT = "No further attempt: what was done cannot be undone ({what})."


@dataclass(frozen=True, slots=True)
class With:
    """What all attempts share; see :func:`deskcrew.engine.session.resume`."""

    change: Callable[[RunRequest], RunRequest]
    beside: Beside

    @property
    def tell(self) -> Callable[[str], None]:
        """The function that is told what is being done."""
        return self.beside.get("notice") or nobody


async def run(
    request: RunRequest, settings: Settings, *, environment: Desktop | None = None, run: str = "", **beside: Unpack[Beside]
) -> Journal:
    """Run the task up to ``request.attempts`` times; return the journal, on the chosen branch.

    Each attempt starts from the same contract, files and desktop or browser, but with other random choices. No further
    attempt is made after something irreversible. Limits apply to each. See :func:`deskcrew.engine.session.run`.
    """
    async with pushing(settings, request.task, beside) as told:
        use = With(lambda begun: _asked(begun, request), told)
        journal = await session.run(request, settings, environment=environment, run=run, **told)
        return await _go_on(await _going_back(journal, settings, use), settings, use)


async def resume(
    name: str,
    settings: Settings,
    *,
    change: Callable[[RunRequest], RunRequest] = lambda request: request,
    **beside: Unpack[Beside],
) -> Journal:
    """Continue a run, see :func:`deskcrew.engine.session.resume`, and make its remaining attempts."""
    journal = Store.of(settings).journal(name)
    async with pushing(settings, journal.state.task, beside) as told:
        use = With(change, told)
        due = _due(journal, use) is not None or _to_be_compared(journal) or _to_be_taken(journal)
        if not due and journal.state.phase != "back":
            journal = await session.resume(name, settings, change=change, **told)
        return await _go_on(await _going_back(journal, settings, use), settings, use)


def made(journal: Journal) -> tuple[JournalBranch, ...]:
    """The branches that are attempts at the task, in order; empty if there was only one."""
    found = branches(journal)
    again = [each for each in found if isinstance(first := each.events[0].body, Rewound) and first.attempt]
    return (found[0], *again) if again else ()


def best(attempts: tuple[JournalBranch, ...], choice: Choice | None = None) -> JournalBranch:
    """The attempt with the best evidence: the best outcome, then the largest share of verified requirements. Among equals,
    the one that a comparison chose, else the one with the most common answer, else the first."""
    if choice is not None:
        return attempts[choice.attempt - 1]
    answers = Counter(_answer(each.outcome) for each in attempts if each.outcome is not None)
    return min(equals(attempts), key=lambda each: (-answers[_answer(each.outcome)], each.number))


def equals(attempts: tuple[JournalBranch, ...]) -> tuple[JournalBranch, ...]:
    """The attempts that share the best evidence."""
    most = min(map(_rank, attempts))
    return tuple(each for each in attempts if _rank(each) == most)


def _rank(attempt: JournalBranch) -> tuple[int, float]:
    ended = attempt.outcome
    return (BEST_FIRST.index(ended.status), -_shown(ended)) if ended is not None else (len(BEST_FIRST), 0)


def _answer(outcome: Outcome | None) -> str:
    return folded(outcome.answer) if outcome is not None else ""


def _shown(outcome: Outcome) -> float:
    """The share of requirements that were verified, 0 to 1."""
    seen = [proof.holds is True for proof in outcome.proofs] or [check.holds is True for check in outcome.checks]
    return sum(seen) / len(seen) if seen else 0.0


def _asked(begun: RunRequest, request: RunRequest) -> RunRequest:
    """The request that a run began with, completed by what its events do not contain."""
    return replace(
        begun, model=request.model, mode=request.mode, modes=request.modes, limits=request.limits, secrets=request.secrets
    )


async def _go_on(journal: Journal, settings: Settings, use: With) -> Journal:
    if request_of(journal).attempts == 1:
        return journal
    while (number := _due(journal, use)) is not None:
        name = journal.run
        use.tell(_ended(number - 1, journal.state.outcome))
        await anyio.to_thread.run_sync(_begin, name, settings, number, use)
        journal = await session.resume(name, settings, change=use.change, **use.beside)
    if alike := _to_be_compared(journal):
        await _compare(journal.run, settings, use, alike)
    return await anyio.to_thread.run_sync(_take_best, journal.run, settings, use)


async def _going_back(journal: Journal, settings: Settings, use: With) -> Journal:
    """Go back to an earlier reply and continue from there, as often as the crew itself finds one wrong."""
    while journal.state.phase == "back":
        name = journal.run
        limits = await anyio.to_thread.run_sync(_take_back, name, settings, use)

        def change(request: RunRequest, left: Limits = limits) -> RunRequest:
            return replace(use.change(request), limits=left)

        journal = await session.resume(name, settings, change=change, **use.beside)
    return journal


def _take_back(name: str, settings: Settings, use: With) -> Limits:
    """Begin a branch before the wrong reply. Returns what is left of the run's limits."""
    journal = _opened(name, settings, use)
    with journal.claimed():
        left, seconds, points = journal.state, seconds_of(journal.events), points_of(_workspace(journal), journal)
        limits = limits_of(journal.events)
        assert left.fault is not None
        back = rewind.to_reply(journal, left.fault.reply, points)
        rewind.go_back(journal, back, points, say=left.fault.guidance, words_of="crew")
        return remaining(limits, left, journal.state, seconds)


def _due(journal: Journal, use: With) -> int | None:
    """The number of the next attempt to make; None if there is none."""
    outcome, wanted = journal.state.outcome, request_of(journal).attempts
    number = len(made(journal)) or 1
    if outcome is None or outcome.status in ENDS or outcome.resumable or number >= wanted or _by_a_person(journal):
        return None
    if sent := rewind.outward(journal, journal.events[0]):
        use.tell(SENT.format(what=sent[0]))
        return None
    return number + 1


def _ended(number: int, outcome: Outcome | None) -> str:
    """A sentence on how an attempt ended."""
    assert outcome is not None, "an attempt that is followed by another has ended"
    why = f": {shorten(outcome.why, WHY).rstrip('.')}" if outcome.why else ""
    return f"Attempt {number} ended: {outcome.status}{why}."


def _by_a_person(journal: Journal) -> bool:
    """Whether a person has rewound this branch, and so decides what is tried."""
    return any(isinstance(event.body, Rewound) and not event.body.attempt for event in journal.events)


def _opened(name: str, settings: Settings, use: With) -> Journal:
    """The run's journal between two attempts. It knows the run's secrets, so that no save point contains one."""
    journal = Store.of(settings).journal(name)
    journal.redactor = Redactor(use.change(request_of(journal)).secrets)
    if (watch := use.beside.get("watch")) is not None:
        journal.watchers.append(lambda event: watch(event, journal))
    return journal


def _begin(name: str, settings: Settings, number: int, use: With) -> None:
    """Restore the files, and begin the branch of the attempt. Raises what :func:`deskcrew.engine.rewind.go_back` raises."""
    journal = _opened(name, settings, use)
    with journal.claimed():
        points = points_of(_workspace(journal), journal)
        rewind.go_back(journal, rewind.to_start(journal, points, attached=True), points, attempt=number)


def _to_be_compared(journal: Journal) -> tuple[int, ...]:
    """The numbers of the attempts between which evidence does not decide, if all have ended and the run's model can
    reason; empty if their results are equal, or were compared already."""
    attempts, outcome = made(journal), journal.state.outcome
    if not attempts or outcome is None or outcome.resumable or _by_a_person(journal) or not _reasons(journal):
        return ()
    if any(isinstance(event.body, AttemptsCompared) for event in journal.all):
        return ()
    alike = equals(attempts)
    came_to = {_result(journal, each) or each.number for each in alike}
    return tuple(attempts.index(each) + 1 for each in alike) if len(came_to) > 1 else ()


def _reasons(journal: Journal) -> bool:
    """Whether the model of the last process works freely, and the run's crew has a role that compares."""
    processes = newest_first(journal.events, RunStarted, RunResumed)
    profile = next((body.profile for body in processes if body.profile), None)
    return profile is not None and Profile.model_validate(profile).freely and _comparer(journal)


def _comparer(journal: Journal) -> bool:
    crew = recorded_crew(journal)  # that of an older run has nobody
    return crew.comparer in crew.roles


def _result(journal: Journal, attempt: JournalBranch) -> object:
    """The result of an attempt: its answer and the files that it left. None if it may be on a screen."""
    begun = journal.state.started
    if begun is None or begun.desktop != "none" or (kept := kept_by(path_to(journal.all, attempt.head))) is None:
        return None
    left = Manifest.from_bytes(journal.read_blob(kept[1])).entries
    files = frozenset((each.path, each.kind, each.digest, each.target) for each in left)
    return _answer(attempt.outcome), files


async def _compare(name: str, settings: Settings, use: With, alike: tuple[int, ...]) -> None:
    """Have a model compare the attempts with these numbers. If it cannot, evidence alone decides."""
    journal = _opened(name, settings, use)
    told, human, model = use.tell, use.beside.get("human") or Nobody(), use.beside.get("model")
    crew = able_again(recorded_crew(journal), settings, use.beside.get("own", NOTHING))
    # What they left on a screen is in the record, and nothing is done any more.
    request = replace(use.change(request_of(journal)), desktop="none", hosts=(), network=False)
    with journal.claimed():
        told("comparing the attempts")
        try:
            async with session.parts(request, settings, _workspace(journal), model, told) as (desk, sandbox, models):
                if journal.state.comparing is None:
                    journal.append(_side_by_side(journal, alike, models[""]))
                await session.go_on(
                    journal,
                    lambda: session.assemble(request, journal, crew, session.Parts(desk, sandbox, models), human),
                    compare,
                )
        except (EnvironmentFailure, ModelFailure) as failure:
            told(UNCOMPARED.format(why=f": {failure}"))
        else:
            if journal.state.comparing is not None:
                told(UNCOMPARED.format(why=""))


def _side_by_side(journal: Journal, alike: tuple[int, ...], model: Model) -> AttemptsShown:
    attempts = made(journal)
    paths = ((number, path_to(journal.all, attempts[number - 1].head)) for number in alike)
    told = side_by_side(paths, journal)
    return AttemptsShown(
        attempts=tuple(number for number, _ in told),
        facts=tuple(journal.blob(text) for _, text in told),
        model=model.name,
        profile=model.profile.model_dump(mode="json"),
    )


def _to_be_taken(journal: Journal) -> JournalBranch | None:
    """The best attempt, if all have ended and it is not the run's current branch."""
    attempts, outcome = made(journal), journal.state.outcome
    if not attempts or outcome is None or outcome.resumable or _by_a_person(journal):
        return None
    return None if (taken := best(attempts, journal.state.choice)).current else taken


def _take_best(name: str, settings: Settings, use: With) -> Journal:
    """Move to the branch of the best attempt, with its files in the workspace."""
    journal = _opened(name, settings, use)
    if (taken := _to_be_taken(journal)) is not None:
        with journal.claimed():
            points = points_of(_workspace(journal), journal)
            rewind.go_back(journal, rewind.to_branch(journal, taken, points), points, attempt=journal.state.choice or 0)
    return journal


def _workspace(journal: Journal) -> Path:
    return Path(journal.state.started.workspace) if journal.state.started is not None else Path()
