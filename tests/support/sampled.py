"""Cases of which every run tries some and ``make test-deep`` all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], kept: Callable[[int, Any], bool]) -> list[Any]:
    """Parameters: those of which ``kept(position, case)`` is false are for deep runs. A tuple is a case's values."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=() if kept(position, case) else pytest.mark.deep)
        for position, case in enumerate(cases)
    ]
