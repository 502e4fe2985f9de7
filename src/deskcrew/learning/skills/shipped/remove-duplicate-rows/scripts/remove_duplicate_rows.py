def remove_duplicate_rows(source: str, columns: str, result: str) -> str:
    """Leave out the rows of a table that are there already, and keep the first of each.

    source: the table, csv or xlsx
    columns: the headings of the columns that are compared, separated by commas; all if left out
    result: the new file
    """
    head, *rows = _read(source)
    places = _columns([head], columns, source) if columns else range(len(head))
    kept = {}
    for row in rows:
        kept.setdefault(tuple(_plain(row[at]) for at in places), row)
    left = _write(result, [head, *kept.values()], source)
    return f"{len(rows) - len(kept)} of {_counted(len(rows), 'row')} left out{left}"
