"""What a measuring command prints: one figure beside the alternative it is compared with."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from deskcrew.facts.observation import Frozen


class Alternative(Frozen):
    """What else one could do, measured in the same run. ``figure`` has the unit of the figure it stands beside."""

    name: str
    figure: float


class Figure(Frozen):
    """A measured figure. ``figure`` and the alternative's are medians; ``ratio``: alternative / figure; ``n``: samples."""

    figure: float
    unit: str
    alternative: Alternative
    ratio: float
    n: int
    p95: float


def summarise(samples: Sequence[float], unit: str, *, alternative: str, against: Sequence[float]) -> Figure:
    """The figure for ``samples`` beside the median of ``against``, which ``alternative`` names."""
    figure, other = statistics.median(samples), statistics.median(against)
    return Figure(
        figure=round(figure, 3),
        unit=unit,
        alternative=Alternative(name=alternative, figure=round(other, 3)),
        ratio=round(other / figure, 2) if figure else 0.0,
        n=len(samples),
        p95=round(percentile(samples, 0.95), 3),
    )


def percentile(samples: Sequence[float], part: float) -> float:
    """The smallest sample that at least ``part`` of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, min(len(ordered) - 1, -int(-part * len(ordered) // 1) - 1))]
