def calculate_figure(source: str, column: str, condition: str, value: str, operation: str, figures: str, result: str) -> str:
    """Work out the sum, average, smallest or largest number of a column, of all rows or of those that fulfil a condition.

    source: the table, csv or xlsx
    column: the heading of the column of the condition
    condition: what must hold
    value: the text, number, date, month or year to compare with
    operation: what is worked out
    figures: the heading of the column with the numbers
    result: the new file
    """
    head, *rows = _read(source)
    at = _column([head], figures, source)
    holds, passed = _fulfil(head, rows, column, condition, value, source)
    values = Column(rows, at)
    read, comma = _numbers(values), _mark(values) == ","
    meant = Column([row for row, held in zip(rows, holds) if held], at)
    found = [number for number, held in zip(read, holds) if held]
    numbers = [number for number in found if number is not None]
    if not numbers:
        raise ValueError(f"No row that fits has a number in {_said(head[at])}; {_counted(len(rows), 'row')} looked at")
    work = {"sum": sum, "smallest": min, "largest": max, "average": lambda some: sum(some) / len(some)}[operation]
    figure, title = work(numbers), f"{operation} of {_said(head[at])}"
    _write(
        result,
        [_row([title]), _row([_told(figure, comma, result)])],
        source if Path(source).suffix.lower() not in BOOKS else "",
    )
    told = f"{operation.capitalize()} of {_said(head[at])}: {_amount_said(figure, comma)}"
    left = f"{passed}{_left_out(meant, head[at], found, 'number')}".removeprefix("; ")
    return f"{told} ({_counted(len(numbers), 'row')}{f' of {len(rows):,}' if column else ''})\n{left}"
