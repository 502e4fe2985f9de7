"""The demo's chore over many seeds: how often it ends done and right, and what it costs."""

from __future__ import annotations

import json
import secrets
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from deskcrew import session
from deskcrew.demo import chore
from deskcrew.events import DesktopKind
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Model
from deskcrew.observation import Frozen
from deskcrew.request import RunRequest
from deskcrew.settings import Settings
from deskcrew_bench.series import kept


class Trial(Frozen):
    """The result of one seed. ``right``: the verdict of the checker, which the crew knows nothing about. Token counts
    are None if the model does not report them."""

    seed: int
    run: str
    model: str
    crew: str
    outcome: str
    right: bool
    said: str
    """What the checker printed."""
    why: str
    calls: int
    prompt_tokens: int | None
    """Median per call."""
    prompt_tokens_max: int | None
    seconds: float

    @property
    def good(self) -> bool:
        """Whether the work is right and the crew finished. "Unverified" counts, because a small model may not claim
        "done" for an answer that nobody else judged."""
        return self.right and self.outcome in ("done", "unverified")


class Totals(Frozen):
    """A series of trials: counts and medians."""

    seeds: int
    good: int
    done: int
    """Runs that ended "done"."""
    wrong: int
    """Runs that ended "done" although the work is wrong."""
    calls: float
    prompt_tokens: float | None
    prompt_tokens_max: int | None
    seconds: float


def finished(path: Path, *, model: str, crew: str) -> dict[int, Trial]:
    """The trials in ``path`` for this model and crew, by seed. Raises UsageError for a file of another kind."""
    trials = kept(path, Trial, command="deskcrew bench demo")
    return {trial.seed: trial for trial in trials if (trial.model, trial.crew) == (model, crew)}


async def attempt(
    seed: int,
    settings: Settings,
    *,
    model: str,
    crew: str,
    desktop: DesktopKind = "virtual",
    scripted: Model | None = None,
    watch: session.Watch | None = None,
) -> Trial:
    """Does the chore of one seed. ``scripted``: answers in place of ``model``. Raises what ``session.run`` raises."""
    folder = settings.data / "workspaces" / f"bench-{seed}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    made = chore.make(seed, folder)
    request = RunRequest(
        task=made.task, model=model, crew=crew, workspace=folder, desktop=desktop, seed=seed, limits=settings.limits
    )
    started = time.perf_counter()
    journal = await session.run(request, settings, model=scripted, watch=watch)
    seconds = time.perf_counter() - started
    right, said = chore.check(made, folder)
    return _trial(seed, journal, model=model, crew=crew, right=right, said=said, seconds=seconds)


def _trial(seed: int, journal: Journal, *, model: str, crew: str, right: bool, said: str, seconds: float) -> Trial:
    replies = model_replies(journal.events)
    prompts = [reply.usage.input for reply in replies if reply.usage.input is not None]
    outcome = journal.state.outcome
    return Trial(
        seed=seed,
        run=journal.run,
        model=model,
        crew=crew,
        outcome=outcome.status if outcome else "interrupted",
        right=right,
        said=said,
        why=outcome.why if outcome else journal.state.interrupted,
        calls=len(replies),
        prompt_tokens=round(statistics.median(prompts)) if prompts else None,
        prompt_tokens_max=max(prompts, default=None),
        seconds=round(seconds, 1),
    )


def totals(trials: Sequence[Trial]) -> Totals:
    """Counts and medians of ``trials``, which must not be empty."""
    prompts = [trial.prompt_tokens for trial in trials if trial.prompt_tokens is not None]
    return Totals(
        seeds=len(trials),
        good=sum(trial.good for trial in trials),
        done=sum(trial.outcome == "done" for trial in trials),
        wrong=sum(trial.outcome == "done" and not trial.right for trial in trials),
        calls=statistics.median(trial.calls for trial in trials),
        prompt_tokens=statistics.median(prompts) if prompts else None,
        prompt_tokens_max=max((t.prompt_tokens_max for t in trials if t.prompt_tokens_max is not None), default=None),
        seconds=round(statistics.median(trial.seconds for trial in trials), 1),
    )


def as_json(trials: Sequence[Trial]) -> dict[str, object]:
    """Trials and totals as one object."""
    return {
        "trials": [json.loads(trial.model_dump_json()) for trial in trials],
        "totals": totals(trials).model_dump(mode="json"),
    }


def line(trial: Trial) -> str:
    """One seed's result on a line, for a person; with the reason if it is not good."""
    right = "right" if trial.right else "wrong"
    tokens = "?" if trial.prompt_tokens is None else f"{trial.prompt_tokens} (max {trial.prompt_tokens_max})"
    text = f"seed {trial.seed}: {trial.outcome}, {right}; {trial.calls} calls, {tokens} prompt tokens, {trial.seconds:g} s"
    return text if trial.good else f"{text}; {trial.why or trial.said} [{trial.run}]"


def summary(summed: Totals) -> str:
    """The totals on a line, for a person."""
    tokens = "?" if summed.prompt_tokens is None else f"{summed.prompt_tokens:g} (max {summed.prompt_tokens_max})"
    medians = f"medians: {summed.calls:g} calls, {tokens} prompt tokens a call, {summed.seconds:g} s"
    return f"{summed.good} of {summed.seeds} right, {summed.done} said to be done, {summed.wrong} of these wrong; {medians}"
