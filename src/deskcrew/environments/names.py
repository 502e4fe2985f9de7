"""Names of controls and options: how observations show them, and which one is meant by what somebody wrote."""

from __future__ import annotations

from collections.abc import Iterable

from deskcrew.errors import ControlGone
from deskcrew.facts.observation import Control
from deskcrew.facts.texts import folded

LONGEST_NAME, LONGEST_VALUE = 120, 20_000
"""The maximum number of characters of a name, and of a value or of a window's text, in an observation."""
_LEFT_OUT = str.maketrans("", "", "_&…")
SHOWN, SHOWN_END = 300, 190
"""The maximum number of characters displayed of a value, and of a terminal's value."""


def shorten(text: str, longest: int) -> str:
    """Text cut to ``longest`` characters, with a note that it was cut."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"


def is_short(text: str) -> bool:
    """Whether :func:`shorten` has cut a text."""
    _, mark, length = text.rpartition("… (")
    return bool(mark) and length.endswith(" characters)") and length.removesuffix(" characters)").isdecimal()


def kept_text(lines: Iterable[str]) -> tuple[str, str]:
    """A window's text as an observation holds it, and a note if it was cut, '' if it is whole."""
    text = "\n".join(filter(None, lines))
    if len(text) <= LONGEST_VALUE:
        return text, ""
    return text[:LONGEST_VALUE], f"The text in the window is cut after {LONGEST_VALUE:,} of {len(text):,} characters."


def told_value(role: str, value: str) -> str:
    """A control's value as it is displayed: its beginning, or the last lines of a terminal."""
    return end_of(value) if role == "terminal" else shorten(value, SHOWN)


def end_of(screen: str) -> str:
    """The last lines that a terminal shows, with its output and its prompt."""
    lines = screen.rstrip().splitlines()
    kept: list[str] = []
    while lines and sum(map(len, kept)) + len(kept) + len(lines[-1]) < SHOWN_END:
        kept.insert(0, lines.pop().rstrip())
    if lines:
        kept = ["…", *kept] if kept else [f"…{lines[-1][-SHOWN_END:]}"]
    return "\n".join(kept) + (" " if screen.rstrip("\n").endswith(" ") else "")


def named(control: Control) -> str:
    """A control as a message names it: ``button "Save" (12)``."""
    return f'{control.role} "{control.name}" ({control.label})'


def gone(control: Control) -> ControlGone:
    """The error for a control that is no longer there."""
    return ControlGone(f"{named(control)} has gone. Look again.")


def plain(text: str) -> str:
    """A name without what people leave out: case, an ellipsis, mnemonics, a shortcut after a tab."""
    return folded(text.split("\t")[0].translate(_LEFT_OUT).rstrip(". "))


def pick(wanted: str, names: Iterable[str]) -> int | None:
    """The index of the name that equals ``wanted``, exactly or else in plain form; None if there is none."""
    known = list(names)
    if wanted in known:
        return known.index(wanted)
    plainly = [plain(one) for one in known]
    return plainly.index(plain(wanted)) if plain(wanted) in plainly else None


def listing(names: Iterable[str]) -> str:
    """Names for a message, at most thirty."""
    known = [one for one in names if one.strip()]
    return ", ".join(known[:30]) + (f" and {len(known) - 30} more" if len(known) > 30 else "") or "none"
