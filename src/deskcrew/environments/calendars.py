"""Date pickers of pages: what to press in a calendar that shows one month at a time. Its month is read in the page's
language, and its arrows are known by their place beside the month or by their signs, so that no language's words for them
are needed."""

from __future__ import annotations

import datetime
from collections.abc import Generator, Sequence

from deskcrew.environments.dates import date_in, means, months_in
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Control, Observation

MOST = 24
"""The maximum number of months to page through."""
_BACK, _ON = ("‹", "<", "◀", "◂", "←", "❮", "«"), ("›", ">", "▶", "▸", "→", "❯", "»")
FEWEST_DAYS = 7
"""At least a week's days are there where the arrows are looked for above them."""


def pick(field: Control, text: str, language: str, *, mirrored: bool) -> Generator[Control, Observation, None]:
    """What to press, one after the other, to choose a date in the calendar that a field opens, the field first. The caller
    sends the observation after each press. ``language``: of the field; ``mirrored``: it is written from right to left.
    Raises ActionError: ``text`` is not one date, or no calendar can be followed."""
    wanted = date_in(text)
    if wanted is None:
        raise ActionError(f"{field.role} {field.name!r} is chosen from a calendar: write a date as 2026-01-31.")
    seen = yield field
    before = MOST + 1
    while True:
        shown = months_in(seen.text, language)
        apart = _apart(wanted, *shown) if len(shown) == 1 else None
        there = [c for c in seen.controls if c.window == field.window and c.label != field.label]
        controls = [c for c in there if "click" in c.operations and "disabled" not in c.states]
        press = None
        if apart == 0:
            press = _only([c for c in controls if _day(c) == wanted.day])
        elif apart is not None and abs(apart) < before:  # nearer than it was: the last press was on the right arrow
            headings = [box for words, box in seen.places if months_in(words, language) == shown]
            days = [c.box for c in there if _day(c) is not None]
            press = _beside(headings, days, controls, on=(apart > 0) != mirrored) or _by_its_sign(controls, on=apart > 0)
            before = abs(apart)
        if press is None:
            raise ActionError(
                f"{field.role} {field.name!r} showed no calendar that could be followed to {wanted}; click in it."
            )
        seen = yield press
        if apart == 0:
            return


def taken(field: Control, text: str, shown: str) -> None:
    """Check that a field shows the date that was chosen. Raises ActionError."""
    if not means(text, shown):
        raise ActionError(f"{field.role} {field.name!r} was set to {text!r} but shows {shown!r}.")


def _apart(wanted: datetime.date, shown: tuple[int, int]) -> int:
    """The number of months to go on, negative to go back."""
    year, month = shown
    return (wanted.year - year) * 12 + wanted.month - month


def _only(found: Sequence[Control]) -> Control | None:
    return found[0] if len(found) == 1 else None


def _day(control: Control) -> int | None:
    """The day that a control is named after, whatever its script's figures."""
    name = control.name.strip()
    return int(name) if name.isdecimal() and len(name) <= 2 else None


def _by_its_sign(controls: Sequence[Control], *, on: bool) -> Control | None:
    """The one control with a sign that points on or back, whatever words are with it. Double signs come last: beside single
    ones they turn years."""
    for sign in _ON if on else _BACK:
        if found := [c for c in controls if _signs(c.name) == sign]:
            return _only(found)
    return None


def _signs(name: str) -> str:
    return "".join(each for each in name if not (each.isalnum() or each.isspace() or each in "._"))


def _beside(headings: Sequence[Box], days: Sequence[Box], controls: Sequence[Control], *, on: bool) -> Control | None:
    """The right or left one of the two controls in the row of the month's name, above the days. One alone, at an end of what
    can be chosen, is that of its side."""
    if len(days) < FEWEST_DAYS or len(headings) != 1:
        return None
    top, left, right = min(day.y for day in days), min(day.x for day in days), max(day.x + day.width for day in days)
    above = [c for c in controls if _day(c) is None and c.box.y < top and left <= c.box.centre[0] <= right]
    row = sorted((c for c in above if _level(c.box, headings[0])), key=lambda c: c.box.x)
    if len(row) == 1 and (row[0].box.centre[0] > headings[0].centre[0]) == on:
        return row[0]
    return row[on] if len(row) == 2 else None


def _level(one: Box, other: Box) -> bool:
    """Whether the middle of either is as high as the other."""
    return other.y <= one.centre[1] < other.y + other.height or one.y <= other.centre[1] < one.y + one.height
