def split_column(source: str, column: str, separator: str, names: str, result: str) -> str:
    """Split a column of a table into several, such as full names into first and last names.

    source: the table, csv or xlsx
    column: the heading of the column
    separator: what stands between the parts; a blank if left out
    names: the headings of the new columns, separated by commas; the last one gets all that is left
    result: the new file
    """
    rows = _read(source)
    at, heads = _column(rows, column, source), [each.strip() for each in names.split(",")]
    separator = separator or " "
    made = [_row([*rows[0][:at], *heads, *rows[0][at + 1 :]], rows[0].at)]
    for row in rows[1:]:
        parts = [each.strip() for each in _said(row[at]).strip().split(separator, len(heads) - 1)]
        parts += [""] * (len(heads) - len(parts))
        made.append(_row([*row[:at], *parts, *row[at + 1 :]], row.at))
    places = [*range(at), *[at] * len(heads), *range(at + 1, len(rows[0]))]
    left = _write(result, _written(made, range(at, at + len(heads))), source, places)
    return f"{_counted(len(made) - 1, 'value')} split{left}"
