def split_table(source: str, column: str, folder: str) -> str:
    """Split a table into one file for each value of a column.

    source: the table, csv or xlsx
    column: the heading of the column
    folder: the folder for the new files
    """
    head, *rows = _read(source)
    at = _column([head], column, source)
    parts = {}
    for row in rows:
        name = _as_name(_said(row[at]).strip()) or "empty"
        parts.setdefault(name.casefold(), (name, []))[1].append(row)
    for name, _ in parts.values():
        _free(Path(folder) / f"{name}{Path(source).suffix}")
    for name, some in parts.values():
        _write(Path(folder) / f"{name}{Path(source).suffix}", [head, *some], source)
    return f"{_counted(len(parts), 'file')} in {folder}{_spelt([row[at] for row in rows], 'put into one')}"
