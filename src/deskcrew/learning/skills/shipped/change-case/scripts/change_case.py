def change_case(source: str, columns: str, case: str, result: str) -> str:
    """Write columns of a table in small letters, in capitals, or with capital first letters.

    source: the table, csv or xlsx
    columns: the headings of the columns; all that hold texts if left out
    case: how they are written
    result: the new file
    """
    head, *rows = _read(source)
    places = _columns([head], columns, source) if columns else range(len(head))
    change = {"small letters": str.lower, "capitals": str.upper, "capital first letters": str.title}[case]
    count = 0
    for row in rows:
        for at in places:
            if isinstance(row[at], str) and (new := change(row[at])) != row[at]:
                row[at], count = new, count + 1
    if not count:
        raise ValueError(f"{columns or source} is written in {case} already")
    if Path(source).suffix.lower() not in BOOKS:
        _written([head, *rows], places)
    return f"{_counted(count, 'cell')} changed{_write(result, [head, *rows], source)}"
