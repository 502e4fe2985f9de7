"""The chores of ``bench strong`` by their kept replies, over HTTP: what each prompt costs whom, and what is in the cache."""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Answer, Call, T
from deskcrew.observation import Frozen
from deskcrew.roles.recorded import recorded_crew
from deskcrew.roles.role_kinds import KindName
from deskcrew.settings import Settings
from deskcrew_bench.caching.provider import Provider
from deskcrew_bench.desk import strong
from deskcrew_bench.desk.task import Task

VERIFYING: frozenset[KindName] = frozenset({"contract", "verify", "read", "support"})
"""The kinds of roles that say what must hold and whether it does."""


class OverHTTP(strong.Player):
    """Gives the kept replies by way of a provider, so that each prompt is sent as it is to a hosted model."""

    def __init__(self, kept: Sequence[strong.Kept], provider: Provider) -> None:
        super().__init__(kept, None)
        self._provider, self._client = provider, provider.client(self.profile)

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        self._provider.reply = self.reply_to(call)
        return await self._client.answer(call, type)

    async def close(self) -> None:
        await self._client.close()


class Spent(Frozen):
    """What some calls took. ``cached``: prompt tokens that the run itself had put into the provider's cache."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0

    @property
    def share(self) -> float:
        """Of the prompt tokens those from the cache, 0 to 1."""
        return self.cached / self.prompt if self.prompt else 0.0

    def plus(self, other: Spent) -> Spent:
        """Both."""
        return Spent(calls=self.calls + other.calls, prompt=self.prompt + other.prompt, cached=self.cached + other.cached)


class Trial(Frozen):
    """One run. ``verifying``: the calls to say what must hold and whether it does; ``working``: all others; ``warm``: what
    would have been in the cache of all of it if the runs before had been just before."""

    task: str
    run: str
    outcome: str
    working: Spent
    verifying: Spent
    warm: int

    @property
    def all(self) -> Spent:
        """All calls."""
        return self.working.plus(self.verifying)


async def attempt(task: Task, settings: Settings, provider: Provider, *, crew: str) -> Trial:
    """Do a chore by its kept replies. Raises what the session raises."""
    provider.begin()
    player = OverHTTP(strong.kept_in(strong.replies_of(task, crew)), provider)
    try:
        journal, trial = await strong.played(task, settings, crew=crew, player=player)
    finally:
        await player.close()
    working, verifying = spent(journal)
    return Trial(
        task=trial.task, run=trial.run, outcome=trial.outcome, working=working, verifying=verifying, warm=provider.kept
    )


def spent(journal: Journal) -> tuple[Spent, Spent]:
    """What was spent on work, and on verifying it."""
    roles = recorded_crew(journal).roles
    sums = {False: Spent(), True: Spent()}
    for reply in model_replies(journal.events):
        verifying = roles[reply.role].kind in VERIFYING
        sums[verifying] = sums[verifying].plus(Spent(calls=1, prompt=reply.usage.input or 0, cached=reply.usage.cached or 0))
    return sums[False], sums[True]


class Totals(Frozen):
    """A series of runs. ``warm``: as in a trial."""

    runs: int
    working: Spent
    verifying: Spent
    warm: int


def totals(trials: Sequence[Trial]) -> Totals:
    """What they took together."""
    working = verifying = Spent()
    for trial in trials:
        working, verifying = working.plus(trial.working), verifying.plus(trial.verifying)
    return Totals(runs=len(trials), working=working, verifying=verifying, warm=sum(trial.warm for trial in trials))


def line(trial: Trial) -> str:
    """One line for a person."""
    return f"{trial.task} ({trial.outcome}): {_said(trial.working, trial.verifying, trial.warm)}"


def summary(found: Totals) -> str:
    """The last line."""
    return f"{found.runs} runs: {_said(found.working, found.verifying, found.warm)}"


def _said(working: Spent, verifying: Spent, warm: int) -> str:
    both = working.plus(verifying)
    share = verifying.prompt / (working.prompt or 1)
    return (
        f"{both.calls} calls, {both.prompt} prompt tokens, {both.share:.0%} of them cached "
        f"({warm / (both.prompt or 1):.0%} with the runs before); "
        f"verifying: {verifying.calls} calls, {share:.0%} of the work's tokens"
    )
