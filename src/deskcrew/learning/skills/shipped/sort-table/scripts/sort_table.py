def sort_table(source: str, column: str, order: str, then: str, then_order: str, result: str) -> str:
    """Sort the rows of a table by one of its columns, or two.

    source: the table, csv or xlsx
    column: the heading of the column to sort by
    order: descending puts the largest, newest or last first; ascending if left out
    then: the heading of a second column to sort by, where the first is equal
    then_order: ascending if left out
    result: the new file
    """
    head, *rows = _read(source)
    told = ""
    for name, way in ((then, then_order), (column, order)) if then else ((column, order),):
        rows, said = _sorted(rows, _column([head], name, source), name, way)
        told = f"{said}{told}"
    left = _write(result, [head, *rows], source)
    return f"{_counted(len(rows), 'row')} sorted by {column}{f' and {then}' if then else ''}{told}{left}"


def _sorted(rows, at, name, way):
    """Rows in the order of one of their values, and what is to be said of it."""
    keys, kind = _ranks(Column(rows, at))
    filled = [(key, row) for key, row in zip(keys, rows) if key is not None]
    rest = [(_plain(row[at]), row) for key, row in zip(keys, rows) if key is None and _said(row[at]).strip()]
    for some in (filled, rest):
        some.sort(key=lambda pair: pair[0], reverse=way == "descending")
    empty = [row for row in rows if not _said(row[at]).strip()]
    other = f"; {len(rest)} without a {kind} after them, such as {_said(rest[0][1][at])!r}" if rest else ""
    blank = f"; {len(empty)} without {name} at the end" if empty else ""
    read = _order_read(Column(rows, at)) if kind == "date" else ""
    return [*(row for _, row in (*filled, *rest)), *empty], f"{read}{other}{blank}"
