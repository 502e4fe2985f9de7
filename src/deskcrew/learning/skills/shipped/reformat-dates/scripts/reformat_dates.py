def reformat_dates(source: str, column: str, form: str, order: str, result: str) -> str:
    """Write the dates in a column of a table in another way.

    source: the table, csv or xlsx
    column: the heading of the column
    form: how the 31st of December 2026 is to be written
    order: what 03/04/2026 means now; as the column shows if left out
    result: the new file
    """
    head, *rows = _read(source)
    at = _column([head], column, source)
    shown = {
        "2026-12-31": "yyyy-mm-dd",
        "31.12.2026": "dd.mm.yyyy",
        "31/12/2026": "dd/mm/yyyy",
        "12/31/2026": "mm/dd/yyyy",
        "31 December 2026": "d mmmm yyyy",
    }.get(form)
    as_dates = shown is not None and Path(result).suffix.lower() in BOOKS
    values = Column(rows, at)
    read = "" if order else _order_read(values)
    days = _dates(values, order)
    for row, day in zip(rows, days):
        if day is not None and as_dates:
            row[at] = day
        elif day is not None:
            month = MONTHS[day.month - 1].capitalize()
            row[at] = {
                "2026-12-31": f"{day:%Y-%m-%d}",
                "31.12.2026": f"{day:%d.%m.%Y}",
                "31/12/2026": f"{day:%d/%m/%Y}",
                "12/31/2026": f"{day:%m/%d/%Y}",
                "31 December 2026": f"{day.day} {month} {day.year}",
                "December 2026": f"{month} {day.year}",
                "2026": f"{day.year}",
            }[form]
    left = _write(result, [head, *rows], source, forms={at: shown} if as_dates else None)
    return (
        f"{_counted(len(rows) - days.count(None), 'date')} rewritten{read}{_left_out(values, head[at], days, 'date')}{left}"
    )
