"""What a series over a suite is meant to reach, and what it did: nothing is decided by it but what is printed."""

from __future__ import annotations

from collections.abc import Sequence

from deskcrew.facts.observation import Frozen
from deskcrew_bench.suites.totals import Share, Totals, totals
from deskcrew_bench.suites.trial import LONGEST, Trial


class Target(Frozen):
    """One figure beside its target. ``unit``: '%' for shares, which are 0 to 1. ``figure`` None: nothing to measure.
    ``least``: the figure is to be at least ``target``, else at most."""

    what: str
    figure: float | None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    target: float
    least: bool = False

    @property
    def met(self) -> bool | None:
        """None where there is no figure."""
        if self.figure is None:
            return None
        return self.figure >= self.target if self.least else self.figure <= self.target


def reached(trials: Sequence[Trial]) -> tuple[Target, ...]:
    """The figures of a series, of which there must be a trial; () of a suite that has no targets."""
    if trials[0].suite in ("vib", "gaia", "webarena"):
        return ()
    summed = totals(trials)
    if trials[0].suite == "miniwob":
        return _of_pages(summed, trials)
    return (
        _share("success: right, and said to be", summed.success, 0.70, least=True),
        _share("said to be done, and wrong", summed.false, 0.05),
        _share("right, but not said to be", summed.unverified, 0.15),
        Target(what="median model calls, tasks for one agent", figure=summed.alone_calls, target=5),
        Target(what="median seconds, tasks for one agent", figure=summed.alone_seconds, target=45, unit="s"),
        Target(what="longest run", figure=max(trial.seconds for trial in trials), target=LONGEST, unit="s"),
    )


def _of_pages(summed: Totals, trials: Sequence[Trial]) -> tuple[Target, ...]:
    return (
        Target(what="prompt tokens a decision, median", figure=summed.decision, target=600),
        Target(what="of an episode's from the cache, median", figure=summed.cached_share, unit="%", target=0.6, least=True),
        Target(what="longest run", figure=max(trial.seconds for trial in trials), target=LONGEST, unit="s"),
    )


def _share(what: str, share: Share, target: float, *, least: bool = False) -> Target:
    return Target(what=what, figure=share.share, low=share.low, high=share.high, unit="%", target=target, least=least)
