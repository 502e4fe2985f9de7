def calendar_to_table(source: str, result: str) -> str:
    """List the events of a calendar in a table, the first of them on top.

    source: the calendar, ics
    result: the new table, csv or xlsx
    """
    rows = [_row(each[:5]) for each in _events(source)]
    if not rows:
        raise ValueError(f"{source} has no events")
    _write(result, [_row(["start", "end", "title", "place", "notes"]), *rows], "")
    return f"{_counted(len(rows), 'event')} in {result}"
