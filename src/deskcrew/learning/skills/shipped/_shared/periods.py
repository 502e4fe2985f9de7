"""Periods as people say them: by today, or by the name of a month or a day."""

from datetime import date

NEAR = {"yesterday": "last day", "today": "this day", "tomorrow": "next day"}
STEPS = {"last": -1, "this": 0, "next": 1}
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
YEAR = "january, february, march, april, may, june, july, august, september, october, november, december"


def _is_in(when, period, day):
    """Whether a date is in a period. ``day``: its day of the month, its year or all of it, as 31, 2026, 31.12 or 2026-12-31.
    Raises ValueError if that is none."""
    today, told = date.today(), _day_said(day or "", period)
    away, months = (when - today).days, (when.year - today.year) * 12 + when.month - today.month
    passed = {"day": away, "week": (away + today.weekday()) // 7, "month": months, "year": when.year - today.year}
    which, _, unit = NEAR.get(period, period).partition(" ")
    if which in STEPS:
        fits = passed[unit] == STEPS[which]
    elif period in DAYS:
        fits = away == (DAYS.index(period) - today.weekday()) % 7
    elif period in YEAR:
        fits = YEAR.split(", ")[when.month - 1] == period
    else:
        fits = {"coming": away >= 0, "past": away < 0}.get(period, True)
    return fits and all(getattr(when, name) == value for name, value in told)


def _day_said(day, period):
    parts = day.replace("-", ".").split(".") if day else []
    if not all(map(str.isdecimal, parts)) or (len(parts) == 1 and len(day) < 3 and period not in YEAR):
        raise ValueError(f"{day} is no day: write it as 2026-12-31, or with its month")
    names = ("year", "month", "day") if len(day.partition("-")[0]) == 4 else ("day", "month", "year")
    return zip(names, map(int, parts))
