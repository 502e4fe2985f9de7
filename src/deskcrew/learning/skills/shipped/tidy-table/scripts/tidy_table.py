def tidy_table(source: str, result: str) -> str:
    """Clean up a table: without blanks around and double blanks in its values, and without empty rows and columns.

    source: the table, csv or xlsx
    result: the new file
    """
    rows = [
        _row([" ".join(each.split()) if isinstance(each, str) else each for each in row], row.at) for row in _read(source)
    ]
    places = [at for at in range(len(rows[0])) if any(row[at] not in (None, "") for row in rows)]
    kept = [_row([row[at] for at in places], row.at) for row in rows]
    kept = [row for row in kept if any(value not in (None, "") for value in row)]
    if Path(source).suffix.lower() not in BOOKS:
        _written(kept)
    left = _write(result, kept, source, places)
    return f"{_counted(len(kept) - 1, 'row')} and {_counted(len(places), 'column')} in {result}{left}"
