def fill_empty_cells(source: str, column: str, value: str, result: str) -> str:
    """Fill the empty cells of a column with a value, or with what stands above them.

    source: the table, csv or xlsx
    column: the heading of the column
    value: what to write; the value above if left out
    result: the new file
    """
    head, *rows = _read(source)
    at, filled, above = _column([head], column, source), [], value
    for row in rows:
        if _said(row[at]).strip() == "" and above is not None:
            row[at] = above
            filled.append(row)
        elif value is None:
            above = row[at]
    if not filled:
        raise ValueError(f"{column} has no empty cell to fill")
    if value is not None:
        _written([head, *rows], [at], only=filled)
    left = _write(result, [head, *rows], source)
    return f"{_counted(len(filled), 'empty cell')} filled{left}"
