def sort_table(source: str, column: str, order: str, result: str) -> str:
    """Sort the rows of a table by one of its columns.

    source: the table, csv or xlsx
    column: the heading of the column to sort by
    order: descending puts the largest, newest or last first; ascending if left out
    result: the new file
    """
    head, *rows = _read(source)
    at = _column([head], column, source)
    keys, kind = _ranks(Column(rows, at))
    filled = [(key, row) for key, row in zip(keys, rows) if key is not None]
    rest = [(_plain(row[at]), row) for key, row in zip(keys, rows) if key is None and _said(row[at]).strip()]
    for some in (filled, rest):
        some.sort(key=lambda pair: pair[0], reverse=order == "descending")
    empty = [row for row in rows if not _said(row[at]).strip()]
    left = _write(result, [head, *(row for _, row in (*filled, *rest)), *empty], source)
    other = f"; {len(rest)} without a {kind} after them, such as {_said(rest[0][1][at])!r}" if rest else ""
    blank = f"; {len(empty)} without {column} at the end" if empty else ""
    read = _order_read(Column(rows, at)) if kind == "date" else ""
    return f"{_counted(len(rows), 'row')} sorted by {column}{read}{other}{blank}{left}"
