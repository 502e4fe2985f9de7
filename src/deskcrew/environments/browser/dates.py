"""Dates and times as people write them, in the format that date and time fields of pages accept."""

from __future__ import annotations

import re

from deskcrew.environments.calendars import date_in


def as_fields_have_it(text: str) -> str:
    """``01/31/2026`` and ``31 January 2026`` as ``2026-01-31``, month first as fields show it in English, ``1:45 PM`` as
    ``13:45``; anything else unchanged."""
    if date := re.fullmatch(r"\s*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\s*", text):
        month, day, year = date.groups()
        return f"{year}-{int(month):02}-{int(day):02}"
    if time := re.fullmatch(r"\s*(\d{1,2}):(\d{2})\s*([ap])\.?m\.?\s*", text, re.IGNORECASE):
        hour = int(time[1]) % 12 + (12 if time[3].lower() == "p" else 0)
        return f"{hour:02}:{time[2]}"
    if (named := date_in(text)) is not None and re.search(r"[A-Za-z]", text):
        return named.isoformat()
    if time := re.fullmatch(r"\s*(\d):(\d{2})\s*", text):
        return f"0{time[1]}:{time[2]}"
    return text
