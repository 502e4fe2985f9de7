from datetime import date, timedelta


def find_events(files: str, text: str, period: str, day: str, result: str) -> str:
    """Find the events of calendars on a day, in a period or with a word in them, the first of them on top.

    files: the calendars: names or patterns, separated by commas; ics
    text: words of the title, the place or the notes; any event if left out
    period: when; a day of the week is the one that comes
    day: the day in digits, such as 2026-12-31, or the day of the month, or the year; any if left out
    result: the new table, csv or xlsx
    """
    some = [row for each in _files(files) for row in _events(each) if _has(text, row[2:5])]
    fit = [row[:4] for row in some if _falls(row[0], row[1], period, day)]
    fit.sort(key=lambda row: row[0], reverse=period == "past")
    again = sum(bool(row[5]) for row in some)
    said = _listed(result, ["start", "end", "title", "place"], fit, "event")
    return said + (f"; only the first day of {_counted(again, 'repeating event')} was looked at" if again else "")


def _falls(begin, end, period, day):
    """Whether one of the days of an event is in a period; that on which it ends at midnight is none."""
    try:
        first, last = (date.fromisoformat((each or begin)[:10]) for each in (begin, end))
    except ValueError:
        return period == "any time" and not day
    last -= timedelta(end[10:] in ("", " 00:00"))
    days = range(max(0, (last - first).days) + 1)
    return any(_is_in(first + timedelta(each), period, day) for each in days)
