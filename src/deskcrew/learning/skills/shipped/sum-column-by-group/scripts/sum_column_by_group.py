def sum_column_by_group(source: str, group: str, column: str, operation: str, count: int, result: str) -> str:
    """Add up a column of a table for each value of another column, or average or count it, or take its extremes.

    source: the table, csv or xlsx
    group: the heading of the column that says which rows belong together
    column: the heading of the column with the numbers
    operation: sum if left out
    count: how many of the groups to keep, the largest first; all if left out
    result: the new file
    """
    operation = operation or "sum"
    head, *rows = _read(source)
    by, at = _column([head], group, source), _column([head], column, source)
    values = Column(rows, at)
    numbers = _numbers(values) if operation != "count" else [None if _said(value) == "" else 1 for value in values]
    groups = {}
    for row, number in zip(rows, numbers):
        groups.setdefault(_plain(row[by]), (row[by], []))[1].extend([] if number is None else [number])
    work = {"sum": sum, "count": len, "smallest": min, "largest": max, "average": lambda some: sum(some) / len(some)}[
        operation
    ]
    comma = operation != "count" and _mark(values) == ","
    found = [(named, work(some) if some or operation == "count" else None) for named, some in groups.values()]
    if count is not None:
        if count < 1:
            raise ValueError("Keep at least one group")
        found.sort(key=lambda pair: (pair[1] is not None, pair[1] or 0), reverse=True)
    every, found = len(found), found[:count]
    lines = [[named, _told(number, comma, result)] for named, number in found]
    left = _write(result, [_row(each) for each in ([head[by], f"{operation} of {head[at]}"], *lines)], source, [by, None])
    names = [row[by] for row in rows]
    nameless = sum(not _plain(name) for name in names)
    alone = f"; {_counted(nameless, 'row')} without {_said(head[by])} added up separately" if nameless else ""
    passed = _left_out(values, head[at], numbers, "value" if operation == "count" else "number")
    told = f"{_counted(len(found), 'group')}{f' of {every:,}' if count else ''} in {result}{_spelt(names, 'taken for one')}{alone}{passed}{left}"
    return f"{told}\n{_amounts_said(f'{operation.capitalize()} of {_said(head[at])}', [(_said(each), number) for each, number in found], comma)}"
