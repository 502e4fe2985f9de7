"""Date pickers of pages and programs: dates as people write them, and how to choose one when one month is shown at a
time."""

from __future__ import annotations

import datetime
import re
from collections.abc import Generator, Iterable

from deskcrew.errors import ActionError
from deskcrew.observation import Control, Observation

_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
"""Those of ``calendar`` follow the locale of this process, and pages in English do not."""
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_MONTH = re.compile(rf"(?<![a-z])(?P<month>{'|'.join(_MONTHS)})[\s,]*(?P<year>\d{{4}})(?!\d)", re.IGNORECASE)
_BACK = re.compile(r"(?:prev(?:ious)?(?:\s+month)?|back|‹|«|<|◀)", re.IGNORECASE)
_ON = re.compile(r"(?:next(?:\s+month)?|forward|›|»|>|▶)", re.IGNORECASE)
MOST = 24
"""The maximum number of months to page through."""
_SHORT = "|".join(sorted((*_NAMES, *(name[:3] for name in _NAMES)), key=len, reverse=True))
_NAMED = (
    re.compile(
        rf"\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?P<month>{_SHORT})\.?,?\s+(?P<year>\d{{4}})\s*", re.I
    ),
    re.compile(rf"\s*(?P<month>{_SHORT})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\s*", re.I),
)


def date_in(text: str) -> datetime.date | None:
    """A date: 2026-01-31, month, day and year as on pages in English (01/31/2026), or with the month's name (31 January
    2026, Jan 31, 2026); None for anything else, and for a day that does not exist."""
    for form in _NAMED:
        if match := form.fullmatch(text):
            month = next(number for name, number in _MONTHS.items() if name.startswith(match["month"].casefold()))
            text = f"{match['year']}-{month}-{match['day']}"
    iso = re.fullmatch(r"\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\s*", text)
    ours = re.fullmatch(r"\s*(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\s*", text)
    if iso is None and ours is None:
        return None
    if iso is not None:
        year, month, day = (int(part) for part in iso.groups())
    else:
        assert ours is not None
        month, day, year = (int(part) for part in ours.groups())
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def choosing(wanted: datetime.date, text: str, controls: Iterable[Control]) -> tuple[Control, ...] | None:
    """What to press in the calendar in front, as far as it is visible now: the arrow once for each month in between, or the
    day. None if no calendar is shown, or it is ambiguous. ``text``: that of the window with these ``controls``."""
    shown = {(int(match["year"]), _MONTHS[match["month"].casefold()]) for match in _MONTH.finditer(text)}
    if len(shown) != 1:
        return None
    year, month = shown.pop()
    apart = (wanted.year - year) * 12 + wanted.month - month
    controls = [c for c in controls if "click" in c.operations and "disabled" not in c.states]
    if apart:
        arrow = [c for c in controls if (_ON if apart > 0 else _BACK).fullmatch(c.name.strip())]
        return (arrow[0],) * abs(apart) if len(arrow) == 1 and abs(apart) <= MOST else None
    days = [c for c in controls if c.name.strip() == str(wanted.day)]
    return (days[0],) if len(days) == 1 else None


def pick(field: Control, text: str) -> Generator[Control, Observation, None]:
    """What to press, one after the other, to choose a date in the calendar that a field opens, the field first. The caller
    sends the observation after each press. Raises ActionError: ``text`` is not a date, or no calendar can be followed."""
    wanted = date_in(text)
    if wanted is None:
        raise ActionError(f"{field.role} {field.name!r} is chosen from a calendar: write a date as 2026-01-31.")
    seen = yield field
    for _ in range(MOST + 1):
        steps = choosing(wanted, seen.text, (c for c in seen.controls if c.window == field.window))
        if steps is None:
            raise ActionError(
                f"{field.role} {field.name!r} showed no calendar that could be followed to {wanted}; click in it."
            )
        seen = yield steps[0]
        if len(steps) == 1 and steps[0].name.strip() == str(wanted.day):
            return


def taken(field: Control, text: str, shown: str) -> None:
    """Check that a field shows the date that was chosen. Raises ActionError."""
    if date_in(shown) != date_in(text):
        raise ActionError(f"{field.role} {field.name!r} was set to {text!r} but shows {shown!r}.")
