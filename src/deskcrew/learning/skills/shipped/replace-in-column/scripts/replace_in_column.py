def replace_in_column(source: str, column: str, find: str, replacement: str, result: str) -> str:
    """Replace a text in a column of a table, or in all columns.

    source: the table, csv or xlsx
    column: the heading of the column; all columns if left out
    find: the text to replace, upper and lower case as written
    replacement: what stands there instead; nothing if left out
    result: the new file
    """
    head, *rows = _read(source)
    places = [_column([head], column, source)] if column else range(len(head))
    count = 0
    for row in rows:
        for at in places:
            if isinstance(row[at], str) and find in row[at]:
                count += row[at].count(find)
                row[at] = row[at].replace(find, replacement or "")
    if not count:
        raise ValueError(f"{find!r} does not occur in {column or source}")
    if Path(source).suffix.lower() not in BOOKS:
        _written([head, *rows], places)
    left = _write(result, [head, *rows], source)
    return f"Replaced in {_counted(count, 'place')}{left}"
