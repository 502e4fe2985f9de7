"""What a series over a desk suite amounts to: shares with their intervals, medians, by task and in all."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from deskcrew.facts.observation import Frozen
from deskcrew_bench.figure import percentile
from deskcrew_bench.suites.trial import Trial

V = TypeVar("V")
CONFIDENCE = 0.95
RESAMPLES = 9999
"""Samples of the tasks, drawn with the same seed every time."""


class Share(Frozen):
    """A share of trials, 0 to 1, with its bootstrap interval over tasks. The interval is None for a single task."""

    share: float
    low: float | None
    high: float | None


class Totals(Frozen):
    """Counts over trials. Shares are means over tasks of the share of a task's seeds; figures are medians a trial.

    ``seconds``, ``calls``: medians; ``alone_calls`` and ``alone_seconds``: of the tasks that need one agent.
    ``timed_out``: trials that the clock ended. ``decision``: prompt tokens of a decision, over all decisions of all trials;
    ``cached_share``: of an episode's prompt tokens those that the model had in its cache, over the trials that asked it.
    """

    tasks: int
    trials: int
    success: Share
    unverified: Share
    false: Share
    calls: float
    seconds: float
    alone_calls: float | None
    alone_seconds: float | None
    input: float | None
    output: float | None
    cached: float | None
    alone_tasks: int = 0
    timed_out: int = 0
    decision: float | None = None
    cached_share: float | None = None


def totals(trials: Sequence[Trial]) -> Totals:
    """Sum up ``trials``, of which there must be one."""
    alone = [trial for trial in trials if trial.agents == 1]
    return Totals(
        tasks=len({trial.task for trial in trials}),
        trials=len(trials),
        success=share(trials, lambda trial: trial.success),
        unverified=share(trials, lambda trial: trial.unverified),
        false=share(trials, lambda trial: trial.false),
        calls=statistics.median(trial.calls for trial in trials),
        seconds=round(statistics.median(trial.seconds for trial in trials), 1),
        alone_calls=statistics.median(trial.calls for trial in alone) if alone else None,
        alone_seconds=round(statistics.median(trial.seconds for trial in alone), 1) if alone else None,
        input=_median([trial.input for trial in trials]),
        output=_median([trial.output for trial in trials]),
        cached=_median([trial.cached for trial in trials]),
        alone_tasks=len({trial.task for trial in alone}),
        timed_out=sum(trial.timed_out for trial in trials),
        decision=_median([tokens for trial in trials for tokens in trial.decisions]),
        cached_share=_median([trial.cached_share for trial in trials]),
    )


def levels(trials: Sequence[Trial]) -> dict[int, Totals]:
    """Each level's own totals, in order; {} of a suite without levels."""
    there = sorted({trial.level for trial in trials if trial.level is not None})
    return {level: totals([trial for trial in trials if trial.level == level]) for level in there}


def share(trials: Sequence[Trial], counts: Callable[[Trial], bool]) -> Share:
    """The share of ``trials`` that count, with its interval over tasks."""
    by_task: dict[str, list[bool]] = {}
    for trial in trials:
        by_task.setdefault(trial.task, []).append(counts(trial))
    means = [statistics.fmean(each) for each in by_task.values()]
    low, high = interval(means)
    return Share(share=statistics.fmean(means), low=low, high=high)


def interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """The percentile bootstrap interval of the mean of ``values``; (None, None) for fewer than two."""
    if len(values) < 2:
        return None, None
    if len(set(values)) == 1:
        return values[0], values[0]
    return bounds([statistics.fmean(sample) for sample in resamples(values)])


def resamples(values: Sequence[V]) -> Iterator[list[V]]:
    """Samples of ``values`` with replacement, as many as they are."""
    chance = random.Random(0)
    return (chance.choices(values, k=len(values)) for _ in range(RESAMPLES))


def bounds(figures: Sequence[float]) -> tuple[float, float]:
    """Between which the figures of resamples lie, those outside ``CONFIDENCE`` left out."""
    outside = (1 - CONFIDENCE) / 2
    return percentile(figures, outside), percentile(figures, 1 - outside)


def _median(counts: Sequence[float | None]) -> float | None:
    known = [count for count in counts if count is not None]
    return statistics.median(known) if known else None
