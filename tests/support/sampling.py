"""Cases of which every run tries a few and ``make test-deep`` all: where they are alike, and dear to try."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def sampled(cases: Sequence[Any], keep: int) -> list[Any]:
    """All cases for ``parametrize``: ``keep`` of them, evenly from the first to the last, as they are, the others deep."""
    last = len(cases) - 1
    kept = {round(number * last / max(1, keep - 1)) for number in range(keep)}
    return [case if at in kept else _deep(case) for at, case in enumerate(cases)]


def _deep(case: Any) -> Any:
    if isinstance(case, tuple):
        return pytest.param(*case, marks=pytest.mark.deep)
    return pytest.param(case, marks=pytest.mark.deep)
