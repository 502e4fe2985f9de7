"""Calendars of pages and programs: dates as people write them, and how one is chosen where a month is shown at a time."""

from __future__ import annotations

import datetime
import re

from deskcrew.observation import Control, Observation
from deskcrew.roles.framing import inner

_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: number for number, name in enumerate(_NAMES.split(), 1)}
_MONTH = re.compile(rf"(?<![a-z])(?P<month>{'|'.join(_MONTHS)})[\s,]*(?P<year>\d{{4}})(?!\d)", re.IGNORECASE)
_BACK = re.compile(r"(?:prev(?:ious)?(?:\s+month)?|back|‹|«|<|◀)", re.IGNORECASE)
_ON = re.compile(r"(?:next(?:\s+month)?|forward|›|»|>|▶)", re.IGNORECASE)
MOST = 24
"""Months that are gone through one by one."""


def date_in(text: str) -> datetime.date | None:
    """A date written in figures: 2026-01-31, or month, day and year as pages in English have it (01/31/2026); None for
    anything else, and for a day that there is not."""
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


def choosing(wanted: datetime.date, seen: Observation) -> tuple[Control, ...] | None:
    """What is to be pressed in the calendar in front, as far as it can be seen now: the arrow as often as there are months
    between, or the day. None where no calendar is shown, or it is not clear which."""
    shown = {(int(match["year"]), _MONTHS[match["month"].casefold()]) for match in _MONTH.finditer(seen.text)}
    if len(shown) != 1:
        return None
    year, month = shown.pop()
    apart = (wanted.year - year) * 12 + wanted.month - month
    controls = [c for c in inner(seen) if "click" in c.operations and "disabled" not in c.states]
    if apart:
        arrow = [c for c in controls if (_ON if apart > 0 else _BACK).fullmatch(c.name.strip())]
        return (arrow[0],) * abs(apart) if len(arrow) == 1 and abs(apart) <= MOST else None
    days = [c for c in controls if c.name.strip() == str(wanted.day)]
    return (days[0],) if len(days) == 1 else None
