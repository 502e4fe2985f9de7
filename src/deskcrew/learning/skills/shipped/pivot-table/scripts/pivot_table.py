def pivot_table(source: str, rows: str, columns: str, values: str, operation: str, result: str) -> str:
    """Sum up or count a table by two of its columns, one down and one across.

    source: the table, csv or xlsx
    rows: the heading of the column whose values go down
    columns: the heading of the column whose values go across
    values: the heading of the column with the numbers
    operation: sum if left out
    result: the new file
    """
    head, *lines = _read(source)
    down, across, at = (_column([head], name, source) for name in (rows, columns, values))
    cells = Column(lines, at)
    numbers = [None if _said(each) == "" else 1 for each in cells] if operation == "count" else _numbers(cells)
    found, heads = {}, sorted({_said(line[across]).strip() for line in lines})
    for line, number in zip(lines, numbers):
        at_row = found.setdefault(_said(line[down]).strip(), dict.fromkeys(heads))
        name = _said(line[across]).strip()
        if number is not None:
            at_row[name] = (at_row[name] or 0) + number
    comma = operation != "count" and _mark(cells) == ","
    made = [[name, *(_told(row[each], comma, result) for each in heads)] for name, row in found.items()]
    left = _write(result, [_row(each) for each in ([head[down], *heads], *made)], source, [None] * (len(heads) + 1))
    apart = "".join(_spelt([line[place] for line in lines], "counted separately") for place in (down, across))
    passed = _left_out(cells, head[at], numbers, "value" if operation == "count" else "number")
    return f"{_counted(len(made), 'row')} and {_counted(len(heads), 'column')} in {result}{apart}{passed}{left}"
