"""What is said of the skills that are nearest to a task that none of them does."""

from __future__ import annotations

from collections.abc import Sequence

_BEGINS, _ENDS = " (the nearest: ", "; deskcrew skill use NAME says what it lacks)"


def nearest_told(names: Sequence[str]) -> str:
    """To follow a clause; '' if there is none."""
    return f"{_BEGINS}{', '.join(names)}{_ENDS}" if names else ""


def nearest_in(told: str) -> tuple[str, ...]:
    """The skills that :func:`nearest_told` told of."""
    names, ended, _ = told.partition(_BEGINS)[2].partition(_ENDS)
    return tuple(names.split(", ")) if ended else ()
