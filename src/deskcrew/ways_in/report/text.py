"""Text for a terminal: hostile text made harmless, figures in words. Pure, and imports nothing of Deskcrew.

Text of a model, a window title or a file name is never interpreted: no markup (everything is a ``rich.text.Text``), no
control sequence. Colour sequences are dropped; any other control character is *shown*, because dropping it could hide
what a person is asked to approve.
"""

from __future__ import annotations

import re
import time
import unicodedata

from deskcrew.facts.excerpts import cut

_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_KEPT = frozenset("\u200c\u200d")
"""Joiners: they shape letters and emoji and hide nothing."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

EXAMPLE = "Sort the rows of sales.csv by the column Amount, largest first, into sorted.csv"
"""A task that any model can do: a skill that ships does it."""


def clean(text: str) -> str:
    """``text`` without anything that a terminal would interpret. Line breaks stay; a tab becomes four spaces."""
    text = _COLOUR.sub("", text).replace("\r\n", "\n").replace("\t", "    ")
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    code = ord(character)
    if character == "\n" or character in _KEPT:
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) in _HIDDEN:
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
    return character


def one_line(text: str, limit: int = 160) -> str:
    """``text`` cleaned, on one line, truncated to ``limit`` characters with an ellipsis."""
    # A short head is enough to fill a line: an endless reply is not walked through twice.
    return cut(" ".join(clean(text[: limit * 8]).split()), limit)


def model_shown(name: str) -> str:
    """A model's name without the folder of its file."""
    kind, mark, rest = name.partition(":")
    if kind == "recorded":
        return "recorded replies"
    return f"{kind}:{rest.rpartition('/')[2]}" if mark and kind in ("scripted", "local") else name


def some(items: tuple[str, ...] | list[str], most: int = 4, limit: int = 60) -> str:
    """A list in words: at most ``most`` of them, the rest counted."""
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


def counted(count: int, thing: str) -> str:
    """``1 window``, ``2 windows``."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def money(value: float | None) -> str:
    """A price in US dollars. An unknown price is called unknown; only a known price of 0 is free."""
    if value is None:
        return "unknown"
    if value == 0:
        return "free"
    return f"${value:.4f}" if value < 1 else f"${value:.2f}"


def size(value: float) -> str:
    """Bytes in the largest unit that keeps a digit before the point."""
    if value < 1000:
        return counted(round(value), "byte")
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 1000 or unit == "GB":
            break
    return f"{value:.1f} {unit}"


def moment(value: float) -> str:
    """A Unix time in the user's time zone."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(value))
