def look_up_value(source: str, column: str, value: str, wanted: str, result: str) -> str:
    """Look up what a table says of one thing or person in another column.

    source: the table, csv or xlsx
    column: the heading of the column that names it
    value: what it is called there
    wanted: the heading of the column with the answer
    result: the new file
    """
    head, *rows = _read(source)
    at, to = _column([head], column, source), _column([head], wanted, source)
    found = [row for row in rows if _plain(row[at]) == _plain(value)]
    if not found:
        raise ValueError(f"No row has {value!r} in {_said(head[at])}")
    left = _write(
        result, [_row([head[at], head[to]]), *(_row([row[at], row[to]], row.at) for row in found)], source, [at, to]
    )
    told = [f"{_said(row[at])}: {_said(row[to]) or 'nothing'}" for row in found]
    return f"{_said(head[to])} of {_several_said(told)}\n{left.removeprefix('; ')}"
