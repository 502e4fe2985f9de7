def transpose_table(source: str, result: str) -> str:
    """Turn the rows of a table into columns, and its columns into rows.

    source: the table, csv or xlsx
    result: the new file
    """
    rows = _read(source)
    left = _write(result, [_row(values) for values in zip(*rows)], source, [None] * len(rows))
    return f"{_counted(len(rows[0]), 'row')} and {_counted(len(rows), 'column')} in {result}{left}"
