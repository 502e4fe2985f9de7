import hashlib
from datetime import timedelta


def table_to_calendar(source: str, title: str, day: str, time: str, minutes: int, place: str, result: str) -> str:
    """Make a calendar of the rows of a table, to be imported elsewhere.

    source: the table, csv or xlsx
    title: the heading of the column with the titles of the events
    day: the heading of the column with the dates
    time: the heading of the column with the times, such as 15:30; all-day events if left out
    minutes: how long an event with a time is; 60 if left out
    place: the heading of the column with the places
    result: the new calendar, ics
    """
    if Path(result).suffix.lower() != ".ics":
        raise ValueError(f"{result} must end in .ics")
    head, *rows = _read(source)
    at = {name: _column([head], name, source) for name in (title, day, time, place) if name}
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Deskcrew//EN"]
    for number, (row, date_) in enumerate(zip(rows, _dates(Column(rows, at[day]))), 1):
        if date_ is None:
            raise ValueError(f"Row {number} has no {day}")
        hour = re.fullmatch(r"(\d{1,2})[:.h](\d\d)(?::\d\d)?", _said(row[at[time]]).strip()) if time else None
        if time and not hour:
            raise ValueError(f"{_said(row[at[time]])!r} is not a time such as 15:30")
        if hour:
            begin = datetime(date_.year, date_.month, date_.day, int(hour[1]), int(hour[2]))
            until = begin + timedelta(minutes=60 if minutes is None else minutes)
            when = [f"DTSTART:{begin:%Y%m%dT%H%M%S}", f"DTEND:{until:%Y%m%dT%H%M%S}"]
        else:
            when = [f"DTSTART;VALUE=DATE:{date_:%Y%m%d}", f"DTEND;VALUE=DATE:{date_ + timedelta(1):%Y%m%d}"]
        uid = hashlib.sha256(f"{number}{row}".encode()).hexdigest()[:16]
        lines += ["BEGIN:VEVENT", f"UID:{uid}@deskcrew", f"DTSTAMP:{date_:%Y%m%d}T000000Z", *when]
        lines += [f"SUMMARY:{_escaped(_said(row[at[title]]))}"]
        lines += [f"LOCATION:{_escaped(_said(row[at[place]]))}"] if place and _said(row[at[place]]) else []
        lines += ["END:VEVENT"]
    text = "".join(f"{_folded(line)}\r\n" for line in [*lines, "END:VCALENDAR"])
    _new(result).write_bytes(text.encode())
    return f"{_counted(len(rows), 'event')} in {result}"
