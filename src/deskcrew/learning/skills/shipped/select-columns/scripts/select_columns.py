def select_columns(source: str, columns: str, result: str) -> str:
    """Keep some columns of a table, in the order given.

    source: the table, csv or xlsx
    columns: the headings of the columns to keep, separated by commas
    result: the new file
    """
    rows = _read(source)
    places = _columns(rows, columns, source)
    left = _write(result, [_row([row[at] for at in places], row.at) for row in rows], source, places)
    return f"{len(places)} columns{left}"
