"""One figure beside its alternative."""

from __future__ import annotations

import pytest

from deskcrew_bench.figure import percentile, summarise


def test_a_figure_has_exactly_the_agreed_fields() -> None:
    figure = summarise([3.0, 1.0, 2.0], "ms", alternative="slower", against=[4.0, 6.0, 5.0])
    assert figure.model_dump() == {
        "figure": 2.0,
        "unit": "ms",
        "alternative": {"name": "slower", "figure": 5.0},
        "ratio": 2.5,
        "n": 3,
        "p95": 3.0,
    }


@pytest.mark.parametrize(("count", "wanted"), [(1, 1), (9, 9), (20, 19), (100, 95)])
def test_the_percentile_is_a_sample(count: int, wanted: int) -> None:
    assert percentile([float(number) for number in range(count, 0, -1)], 0.95) == wanted


def test_nothing_against_nothing_has_no_ratio() -> None:
    assert summarise([0.0], "ms", alternative="x", against=[1.0]).ratio == 0
