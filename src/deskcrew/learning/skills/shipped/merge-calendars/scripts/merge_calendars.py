def merge_calendars(files: str, result: str) -> str:
    """Put the events of several calendars together into one; an event that is in more than one is taken once.

    files: the calendars: names or patterns, separated by commas, such as *.ics
    result: the new calendar, ics
    """
    found, rest = {}, {}
    for each in _files(files):
        for kind, into in (("VTIMEZONE", rest), ("VEVENT", found), ("VTODO", found)):
            for part in _parts(each, kind):
                names = ("TZID",) if kind == "VTIMEZONE" else ("UID", "RECURRENCE-ID")
                key = tuple(_first(part, name) for name in names)
                into.setdefault((kind, *key) if any(key) else tuple(part), part)
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Deskcrew//EN"]
    lines += [line for part in (*rest.values(), *found.values()) for line in part]
    text = "".join(f"{_folded(line)}\r\n" for line in [*lines, "END:VCALENDAR"])
    _free(result).write_bytes(text.encode())
    return f"{_counted(len(found), 'event')} in {result}"
