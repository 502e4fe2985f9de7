"""Text for a terminal, without markup (everything is a ``rich.text.Text``), and figures in words. Pure."""

from __future__ import annotations

import re
import time

from deskcrew.facts.legible import clean as clean
from deskcrew.facts.legible import counted as counted
from deskcrew.facts.legible import one_line as one_line

EXAMPLE = "Sort the rows of sales.csv by the column Amount, largest first, into sorted.csv"
"""A task that any model can do, because a shipped skill does it."""
OPTION = re.compile(r"--([a-z][a-z-]*)(?:=([^\s`)]+)| ([A-Z]+)\b(?!\.?[a-z]))?")
"""Matches an option that a hint names, with its value (``--attach=FILE``) or what stands for one (``--attach FILE``)."""


def model_shown(name: str) -> str:
    """A model's name as people are shown it, without the folder of a local file."""
    kind, mark, rest = name.partition(":")
    if kind == "recorded":
        return "recorded replies"
    return f"{kind}:{rest.rpartition('/')[2]}" if mark and kind in ("scripted", "local") else name


def some(items: tuple[str, ...] | list[str], most: int = 4, limit: int = 60) -> str:
    """A list in words: at most ``most`` items of at most ``limit`` characters, and how many more there are."""
    shown = ", ".join(one_line(item, limit) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def seconds(value: float) -> str:
    """A duration: ``0.4 s``, ``12 s``, ``3 min 05 s``."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 60:
        return f"{value:.0f} s"
    return f"{int(value // 60)} min {int(value % 60):02d} s"


def number(value: int | None) -> str:
    """A count, or ``unknown``."""
    return "unknown" if value is None else f"{value:,}"


def money(value: float | None) -> str:
    """A price in US dollars: ``$0.0123``, ``free`` for 0, or ``unknown`` for None."""
    if value is None:
        return "unknown"
    if value == 0:
        return "free"
    return f"${value:.4f}" if value < 1 else f"${value:.2f}"


def size(value: float) -> str:
    """A number of bytes for display: ``12 bytes``, ``1.5 MB``."""
    if value < 1000:
        return counted(round(value), "byte")
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000 or unit == "GB":
            break
    return f"{value:.1f} {unit}"


def moment(value: float) -> str:
    """A Unix time in the user's time zone; the bare seconds if no calendar has that time, as in a forged record."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(value))
    except (OverflowError, OSError, ValueError):
        return f"{value:g} s"
