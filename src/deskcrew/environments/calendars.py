"""Date pickers of web pages: finds what to press in a calendar that shows one month at a time. Its month is read in the
page's language; its arrows are recognized by their position beside the month or by their symbols, without any language's
words."""

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
"""The minimum number of days that a calendar must show for its arrows to be searched above them."""


def pick(field: Control, text: str, language: str, *, mirrored: bool) -> Generator[Control, Observation, None]:
    """Yield the controls to press, one by one, to choose a date in the calendar that a field opens; the field comes first.
    The caller sends the observation after each press. ``language``: the field's language; ``mirrored``: it is written from
    right to left. Raises ActionError if ``text`` is not one date, or the calendar cannot be followed."""
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
    """Check that a field shows the date that was chosen. Raises ActionError if it does not."""
    if not means(text, shown):
        raise ActionError(f"{field.role} {field.name!r} was set to {text!r} but shows {shown!r}.")


def _apart(wanted: datetime.date, shown: tuple[int, int]) -> int:
    """The number of months to page forward; negative: back."""
    year, month = shown
    return (wanted.year - year) * 12 + wanted.month - month


def _only(found: Sequence[Control]) -> Control | None:
    return found[0] if len(found) == 1 else None


def _day(control: Control) -> int | None:
    """The day of the month that is a control's name, in the digits of any script; None if it has another name."""
    name = control.name.strip()
    return int(name) if name.isdecimal() and len(name) <= 2 else None


def _by_its_sign(controls: Sequence[Control], *, on: bool) -> Control | None:
    """The one control with a symbol that points forward (``on``) or back, whatever words are beside it. Double symbols come
    last: next to single ones they change the year."""
    for sign in _ON if on else _BACK:
        if found := [c for c in controls if _signs(c.name) == sign]:
            return _only(found)
    return None


def _signs(name: str) -> str:
    return "".join(each for each in name if not (each.isalnum() or each.isspace() or each in "._"))


def _beside(headings: Sequence[Box], days: Sequence[Box], controls: Sequence[Control], *, on: bool) -> Control | None:
    """The right (``on``) or left one of the two controls in the row of the month's name, above the days. A single one, at
    the first or last month, belongs to the side that it is on."""
    if len(days) < FEWEST_DAYS or len(headings) != 1:
        return None
    top, left, right = min(day.y for day in days), min(day.x for day in days), max(day.x + day.width for day in days)
    above = [c for c in controls if _day(c) is None and c.box.y < top and left <= c.box.centre[0] <= right]
    row = sorted((c for c in above if _level(c.box, headings[0])), key=lambda c: c.box.x)
    if len(row) == 1 and (row[0].box.centre[0] > headings[0].centre[0]) == on:
        return row[0]
    return row[on] if len(row) == 2 else None


def _level(one: Box, other: Box) -> bool:
    """Whether two boxes are in one row: the middle of one is within the height of the other."""
    return other.y <= one.centre[1] < other.y + other.height or one.y <= other.centre[1] < one.y + one.height
