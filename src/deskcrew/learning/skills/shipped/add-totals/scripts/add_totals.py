def add_totals(source: str, columns: str, result: str) -> str:
    """Add a last row with totals to a table.

    source: the table, csv or xlsx
    columns: the headings of the columns to add up, separated by commas; those that mostly hold numbers if left out
    result: the new file
    """
    head, *rows = _read(source)
    places = _columns([head], columns, source) if columns else range(len(head))
    last = _row([None if Path(source).suffix.lower() in BOOKS else ""] * len(head))
    passed, again, totals = "", [], []
    for at in places:
        column = Column(rows, at)
        numbers = [any(_figure(value, mark) for mark in ".,") for value in column if _said(value).strip()]
        if numbers and (columns or 2 * sum(numbers) > len(numbers)):
            read = _numbers(column)
            found = [each for each in read if each is not None]
            last[at] = _told(sum(found), _mark(column) == ",", result)
            again.append(len(found) > 2 and found[-1] * 2 == sum(found))
            passed += _left_out(column, head[at], read, "number")
            totals.append(f"Total of {_said(head[at])}: {_amount_said(sum(found), _mark(column) == ',')}")
    free = next((at for at, value in enumerate(last) if value in (None, "")), None)
    if free == len(head) - 1 == 0 or all(value in (None, "") for value in last):
        raise ValueError(f"{source} has no column of numbers to add up")
    if free is not None:
        last[free] = "Total"
    left = _write(result, [head, *rows, last], source)
    if again and all(again):
        passed += "; the last row was already the sum of those above it: if it is a total, it counted twice"
    return "\n".join((f"{_counted(len(totals), 'column')} added up{passed}{left}", *totals))
