def calculate_column(source: str, first: str, operation: str, second: str, name: str, result: str) -> str:
    """Add a column that is worked out from another one and a number or a third column.

    source: the table, csv or xlsx
    first: the heading of the column to begin with
    operation: what to do with it
    second: the heading of the other column, or a number: so many percent
    name: the heading of the new column
    result: the new file
    """
    head, *rows = _read(source)
    if _plain(name) in map(_plain, head):
        raise ValueError(f"{source} has a column {name!r} already")
    one = Column(rows, _column([head], first, source))
    mark = _mark(one)
    if by_column := _plain(second) in map(_plain, head):
        other = Column(rows, _column([head], second, source))
        numbers, mark = _numbers(other), mark or _mark(other)
        units = [_figures(each)[1] for each in (one, other)]
        if operation in ("plus", "minus") and units[0] != units[1] and (all(units) or "%" in units):
            raise ValueError(f"{first} and {second} are not in the same unit")
    elif (number := _amount(second, one)) is not None:
        numbers, mark = [number] * len(rows), mark or ("." if _figure(second, ".") else ",")
    else:
        raise ValueError(f"{second!r} is no column and no number")
    work = {
        "plus": lambda a, b: a + b,
        "minus": lambda a, b: a - b,
        "times": lambda a, b: a * b,
        "divided by": lambda a, b: a / b if b else None,
        "percent of": (lambda a, b: 100 * a / b if b else None) if by_column else (lambda a, b: a * b / 100),
    }[operation]
    pairs = zip(_numbers(one), numbers)
    made = [_told(None if a is None or b is None else work(a, b), mark == ",", result) for a, b in pairs]
    rows = [_row([*row, value], row.at) for row, value in zip(rows, made)]
    left = _write(result, [_row([*head, name], head.at), *rows], source, [*range(len(head)), None])
    none = made.count(None)
    blank = f"; {none} left empty because a number is missing or would be divided by 0" if none else ""
    return f"{_counted(len(made) - none, 'value')} in {name}{blank}{left}"
