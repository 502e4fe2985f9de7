"""Two series over the same tasks, compared task by task and seed by seed."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deskcrew.errors import UsageError
from deskcrew.facts.observation import Frozen
from deskcrew_bench.suites.text import named
from deskcrew_bench.suites.totals import interval
from deskcrew_bench.suites.trial import Trial, series_of

SHARES: Mapping[str, Callable[[Trial], float]] = {
    "success": lambda trial: trial.success,
    "done, wrong": lambda trial: trial.false,
    "unverified": lambda trial: trial.unverified,
}
COUNTS: Mapping[str, Callable[[Trial], float | None]] = {
    "calls": lambda trial: trial.calls,
    "tokens": lambda trial: None if trial.input is None or trial.output is None else trial.input + trial.output,
    "seconds": lambda trial: trial.seconds,
}


class Difference(Frozen):
    """One figure of both, as means over tasks of the mean over a task's seeds; ``difference``: other minus first, with its
    95 % bootstrap interval over tasks, None for a single task. ``share``: the figures are shares, 0 to 1."""

    what: str
    share: bool
    first: float
    other: float
    difference: float
    low: float | None
    high: float | None

    @property
    def shown(self) -> bool:
        """The interval leaves 0 out."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high


class Comparison(Frozen):
    """``pairs``: trials of the same task and seed; ``alone``: those of either that have no counterpart. A figure that
    no pair has, such as tokens of a model that does not tell, is not there."""

    first: str
    other: str
    tasks: int
    pairs: int
    alone: int
    differences: tuple[Difference, ...]


def series_in(files: Sequence[Path]) -> dict[str, list[Trial]]:
    """All series in ``files`` by a name each, in order. Raises UsageError for other files, and for less than two."""
    found: dict[str, list[Trial]] = {}
    for file in files:
        if not file.is_file():
            raise UsageError(
                f"There is no file {file}.", hint="Name files that `deskcrew bench ... --jsonl FILE` has written."
            )
        series = series_of(file)
        name = file.stem if sum(other.stem == file.stem for other in files) == 1 else str(file)
        for (by, regime), trials in series.items():
            found[name if len(series) == 1 else f"{name}: {named(by, regime)}"] = trials
    if len(found) < 2:
        hint = "Name two different files of `deskcrew bench ... --jsonl FILE`, or more."
        raise UsageError("There is one series only.", hint=hint)
    return found


def compare(first: tuple[str, Sequence[Trial]], other: tuple[str, Sequence[Trial]]) -> Comparison:
    """Compare two series, each with its name. Raises UsageError where they have no task and seed in common."""
    ours, theirs = ({trial.key: trial for trial in trials} for _, trials in (first, other))
    pairs = [(trial, theirs[key]) for key, trial in ours.items() if key in theirs]
    if not pairs:
        raise UsageError(f"{first[0]} and {other[0]} have no task with the same seed in common.")
    made = [_difference(what, True, pairs, of) for what, of in SHARES.items()]
    made += [_difference(what, False, pairs, of) for what, of in COUNTS.items()]
    return Comparison(
        first=first[0],
        other=other[0],
        tasks=len({trial.task for trial, _ in pairs}),
        pairs=len(pairs),
        alone=len(ours) + len(theirs) - 2 * len(pairs),
        differences=tuple(each for each in made if each is not None),
    )


def _difference(
    what: str, share: bool, pairs: Sequence[tuple[Trial, Trial]], of: Callable[[Trial], float | None]
) -> Difference | None:
    tasks = by_task(pairs, of)
    if not tasks:
        return None
    first, other = zip(*tasks, strict=True)
    differences = [two - one for one, two in zip(first, other, strict=True)]
    low, high = interval(differences)
    return Difference(
        what=what,
        share=share,
        first=statistics.fmean(first),
        other=statistics.fmean(other),
        difference=statistics.fmean(differences),
        low=low,
        high=high,
    )


def by_task(pairs: Sequence[tuple[Trial, Trial]], of: Callable[[Trial], float | None]) -> list[tuple[float, float]]:
    """A figure of both, one pair a task: the mean over its seeds. Trials that do not have it are left out."""
    values: dict[str, list[tuple[float, float]]] = {}
    for one, two in pairs:
        ours, theirs = of(one), of(two)
        if ours is not None and theirs is not None:
            values.setdefault(one.task, []).append((ours, theirs))
    return [(statistics.fmean(a for a, _ in each), statistics.fmean(b for _, b in each)) for each in values.values()]
