"""The chores of ``bench strong`` by their kept replies, over HTTP: what each prompt costs whom, and what is in the cache."""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.engine.roles.role_kinds import KINDS
from deskcrew.facts.observation import Frozen
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Answer, Call, T
from deskcrew.models.recorded import RecordedReply
from deskcrew.settings import Settings
from deskcrew_bench.caching.provider import Provider
from deskcrew_bench.desk import strong
from deskcrew_bench.desk.task import Task

CACHED_PRICE = 0.1
"""What a token from the cache costs of one that is read: a tenth, by the newest models' prices of both providers."""


class OverHTTP(strong.Player):
    """Gives the kept replies by way of a provider, so that each prompt is sent as it is to a hosted model."""

    def __init__(self, kept: Sequence[RecordedReply], provider: Provider) -> None:
        super().__init__(kept, None)
        self._provider, self._client = provider, provider.client(self.profile)
        self.warm: list[int] = []
        """Of each call, what would have been in the cache if the runs before had been just before."""

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        self._provider.reply = self.reply_to(call)
        answer = await self._client.answer(call, type)
        self.warm.append(self._provider.kept)
        return answer

    async def close(self) -> None:
        await self._client.close()


class Spent(Frozen):
    """What some calls took. ``cached``: prompt tokens that the run itself had put into the provider's cache; ``warm``: what
    would have been there if the runs before had been just before."""

    calls: int = 0
    prompt: int = 0
    cached: int = 0
    warm: int = 0

    def plus(self, other: Spent) -> Spent:
        """Both."""
        return Spent(
            calls=self.calls + other.calls,
            prompt=self.prompt + other.prompt,
            cached=self.cached + other.cached,
            warm=self.warm + other.warm,
        )

    def beside(self, work: Spent) -> tuple[float, float, float]:
        """What it is of ``work``: of its prompt tokens, and of their price by itself and with the runs before."""
        return (
            self.prompt / (work.prompt or 1),
            _price(self.prompt, self.cached) / (_price(work.prompt, work.cached) or 1),
            _price(self.prompt, self.warm) / (_price(work.prompt, work.warm) or 1),
        )


def _price(prompt: int, cached: int) -> float:
    """In prompt tokens that are not cached."""
    return prompt - cached + CACHED_PRICE * cached


class Trial(Frozen):
    """One run. ``agreeing``: the calls to say what must hold; ``proving``: those to say whether it does; ``working``: all
    others."""

    task: str
    run: str
    outcome: str
    working: Spent
    agreeing: Spent
    proving: Spent


async def attempt(task: Task, settings: Settings, provider: Provider, *, crew: str) -> Trial:
    """Do a chore by its kept replies. Raises what the session raises."""
    provider.begin()
    player = OverHTTP(strong.kept_in(strong.replies_of(task, crew)), provider)
    try:
        journal, trial = await strong.played(task, settings, crew=crew, player=player)
    finally:
        await player.close()
    working, agreeing, proving = spent(journal, player.warm)
    return Trial(task=trial.task, run=trial.run, outcome=trial.outcome, working=working, agreeing=agreeing, proving=proving)


def spent(journal: Journal, warm: Sequence[int]) -> tuple[Spent, Spent, Spent]:
    """What was spent on work, on saying what must hold, and on saying whether it does. ``warm``: of each call."""
    roles = recorded_crew(journal).roles
    working = agreeing = proving = Spent()
    for reply, kept in zip(model_replies(journal.events), warm, strict=True):
        one = Spent(calls=1, prompt=reply.usage.input or 0, cached=reply.usage.cached or 0, warm=kept)
        match roles[reply.role].kind:
            case "contract":
                agreeing = agreeing.plus(one)
            case kind if KINDS[kind].proves:
                proving = proving.plus(one)
            case _:
                working = working.plus(one)
    return working, agreeing, proving


class Totals(Frozen):
    """A series of runs."""

    runs: int
    working: Spent
    agreeing: Spent
    proving: Spent


def totals(trials: Sequence[Trial]) -> Totals:
    """What they took together."""
    working = agreeing = proving = Spent()
    for trial in trials:
        working = working.plus(trial.working)
        agreeing, proving = agreeing.plus(trial.agreeing), proving.plus(trial.proving)
    return Totals(runs=len(trials), working=working, agreeing=agreeing, proving=proving)


def line(trial: Trial) -> str:
    """One line for a person."""
    return f"{trial.task} ({trial.outcome}): {_said(trial)}"


def summary(found: Totals) -> str:
    """The last line."""
    return f"{found.runs} runs: {_said(found)}"


def _said(found: Trial | Totals) -> str:
    verifying = found.agreeing.plus(found.proving)
    both = found.working.plus(verifying)
    return (
        f"{both.calls} calls, {both.prompt} prompt tokens, {both.cached / (both.prompt or 1):.0%} of them cached "
        f"({both.warm / (both.prompt or 1):.0%} with the runs before); verifying: {verifying.calls} calls, "
        f"{_shares(verifying, found.working)}; of these the contract: {_shares(found.agreeing, found.working)}"
    )


def _shares(some: Spent, work: Spent) -> str:
    tokens, price, warm = some.beside(work)
    return f"{tokens:.0%} of the work's tokens, {price:.0%} of their price ({warm:.0%} with the runs before)"
