"""The sentence that suggests the most similar skills when none fits a task."""

from __future__ import annotations

from collections.abc import Sequence

_BEGINS, _ENDS = " (the nearest: ", "; deskcrew skill use "


def nearest_told(names: Sequence[str]) -> str:
    """The suggestion of these skills, to append to a clause; '' if there are none."""
    return f"{_BEGINS}{', '.join(names)}{_ENDS}{names[0]} says what it lacks)" if names else ""


def nearest_in(told: str) -> tuple[str, ...]:
    """The skills that a text made by :func:`nearest_told` names."""
    names, ended, _ = told.partition(_BEGINS)[2].partition(_ENDS)
    return tuple(names.split(", ")) if ended else ()
