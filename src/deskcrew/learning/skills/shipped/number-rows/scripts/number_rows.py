def number_rows(source: str, name: str, first: int, result: str) -> str:
    """Add a first column with running numbers to a table.

    source: the table, csv or xlsx
    name: the heading of the new column
    first: the number of the first row; 1 if left out
    result: the new file
    """
    head, *rows = _read(source)
    if _plain(name) in map(_plain, head):
        raise ValueError(f"{source} has a column {name!r} already")
    first = 1 if first is None else first
    made = [_row([number, *row], row.at) for number, row in enumerate(rows, first)]
    left = _write(result, [_row([name, *head], head.at), *made], source, [0, *range(len(head))])
    return f"{_counted(len(rows), 'row')} numbered{left}"
