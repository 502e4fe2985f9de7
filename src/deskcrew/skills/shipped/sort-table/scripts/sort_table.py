def sort_table(source: str, column: str, order: str, result: str) -> str:
    """Sort the rows of a table by one of its columns.

    source: the table, csv or xlsx
    column: the heading of the column to sort by
    order: descending puts the largest, newest or last first; ascending if left out
    result: the new file
    """
    head, *rows = _read(source)
    at = _column([head], column, source)
    keys = _keys([row[at] for row in rows])
    filled = [(key, row) for key, row in zip(keys, rows) if key is not None]
    filled.sort(key=lambda pair: pair[0], reverse=order == "descending")
    _write(result, [head, *(row for _, row in filled), *(row for key, row in zip(keys, rows) if key is None)], source)
    return f"{len(rows)} rows sorted by {column}"
