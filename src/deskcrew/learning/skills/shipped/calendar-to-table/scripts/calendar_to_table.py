def calendar_to_table(source: str, result: str) -> str:
    """List the events of a calendar in a table, the first of them on top.

    source: the calendar, ics
    result: the new table, csv or xlsx
    """
    rows = []
    for part in _parts(source, "VEVENT"):
        begin, until = (_moment(_first(part, name)) for name in ("DTSTART", "DTEND"))
        rows.append(_row([begin, until, *(_first(part, name) for name in ("SUMMARY", "LOCATION", "DESCRIPTION"))]))
    if not rows:
        raise ValueError(f"{source} has no events")
    rows.sort(key=lambda row: row[0])
    _write(result, [_row(["start", "end", "title", "place", "notes"]), *rows], "")
    return f"{_counted(len(rows), 'event')} in {result}"
