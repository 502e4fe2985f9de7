def add_totals(source: str, columns: str, result: str) -> str:
    """Add a last row with totals to a table.

    source: the table, csv or xlsx
    columns: the headings of the columns to add up, separated by commas; all that hold numbers if left out
    result: the new file
    """
    head, *rows = _read(source)
    places = _columns([head], columns, source) if columns else range(len(head))
    last = _row([None if Path(source).suffix.lower() in BOOKS else ""] * len(head))
    for at in places:
        values = [row[at] for row in rows]
        try:
            numbers = [each for each in _numbers(values) if each is not None]
        except ValueError:
            if columns:
                raise
            continue
        if numbers:
            last[at] = _told(sum(numbers), _has_comma(values), result)
    free = next((at for at, value in enumerate(last) if value in (None, "")), None)
    if free == len(head) - 1 == 0 or all(value in (None, "") for value in last):
        raise ValueError(f"{source} has no column of numbers to add up")
    if free is not None:
        last[free] = "Total"
    _write(result, [head, *rows, last], source)
    return f"{sum(value not in (None, '', 'Total') for value in last)} columns added up"
