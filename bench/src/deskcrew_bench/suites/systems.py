"""Several systems over the same tasks: each one's own figures, and how its success stands to the first one's."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence

from deskcrew.errors import UsageError
from deskcrew.facts.observation import Frozen
from deskcrew_bench.suites.compare import by_task
from deskcrew_bench.suites.totals import Share, bounds, resamples, share
from deskcrew_bench.suites.trial import Trial


class Ratio(Frozen):
    """A system's success divided by the first one's, over the ``pairs`` of the same task and seed, with the 95 % bootstrap
    interval over tasks, which keeps pairs together. None: the first one has no success (for ``high``, not enough of it to
    say), or there is one task only."""

    pairs: int
    figure: float | None
    low: float | None
    high: float | None


class Standing(Frozen):
    """A system's figures. Counts are means over tasks of the mean over a task's seeds; None: not all replies said what
    they cost. ``timed_out``, ``crashed``: trials; they are failures in ``success``."""

    name: str
    tasks: int
    trials: int
    success: Share
    timed_out: int
    crashed: int
    input: float | None
    output: float | None
    calls: float
    seconds: float
    ratio: Ratio | None
    """None for the first."""


def standings(series: Mapping[str, Sequence[Trial]]) -> tuple[Standing, ...]:
    """A standing for each of ``series``, the first being what the others are compared with. Raises UsageError for one that
    has no task and seed in common with it."""
    (name, first), *others = series.items()
    keys = {trial.key for trial in first}
    for other, trials in others:
        if keys.isdisjoint(trial.key for trial in trials):
            raise UsageError(f"{name} and {other} have no task with the same seed in common.")
    return tuple(_standing(name, trials, None if trials is first else first) for name, trials in series.items())


def _standing(name: str, trials: Sequence[Trial], first: Sequence[Trial] | None) -> Standing:
    calls, seconds = _mean(trials, lambda trial: trial.calls), _mean(trials, lambda trial: trial.seconds)
    assert calls is not None
    assert seconds is not None
    return Standing(
        name=name,
        tasks=len({trial.task for trial in trials}),
        trials=len(trials),
        success=share(trials, lambda trial: trial.success),
        timed_out=sum(trial.timed_out for trial in trials),
        crashed=sum(trial.crashed for trial in trials),
        input=_mean(trials, lambda trial: trial.input),
        output=_mean(trials, lambda trial: trial.output),
        calls=calls,
        seconds=seconds,
        ratio=ratio(first, trials) if first is not None else None,
    )


def ratio(first: Sequence[Trial], other: Sequence[Trial]) -> Ratio:
    """How the success of ``other`` stands to that of ``first``."""
    theirs = {trial.key: trial for trial in other}
    pairs = [(trial, theirs[trial.key]) for trial in first if trial.key in theirs]
    tasks = by_task(pairs, lambda trial: trial.success)
    figure = _divided(tasks)
    if figure is None or len(tasks) < 2:
        return Ratio(pairs=len(pairs), figure=figure, low=None, high=None)
    drawn = [math.inf if (each := _divided(sample)) is None else each for sample in resamples(tasks)]
    low, high = bounds(drawn)
    return Ratio(pairs=len(pairs), figure=figure, low=_known(low), high=_known(high))


def _divided(tasks: Sequence[tuple[float, float]]) -> float | None:
    whole = sum(first for first, _ in tasks)
    return sum(other for _, other in tasks) / whole if whole else None


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _mean(trials: Sequence[Trial], of: Callable[[Trial], float | None]) -> float | None:
    values: dict[str, list[float]] = {}
    for trial in trials:
        value = of(trial)
        if value is None:
            return None
        values.setdefault(trial.task, []).append(value)
    return statistics.fmean(statistics.fmean(each) for each in values.values())
