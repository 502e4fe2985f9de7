def rename_files_from_table(table: str, old: str, new: str, folder: str) -> str:
    """Rename files as a table says, with the old names in one column and the new ones in another.

    table: the table, csv or xlsx
    old: the heading of the column with the names now
    new: the heading of the column with the new names; an ending that is missing is kept
    folder: the folder of the files; the whole workspace if left out
    """
    head, *rows = _read(table)
    was, becomes = _column([head], old, table), _column([head], new, table)
    pairs = []
    for row in rows:
        place, name = Path(folder or ".") / _said(row[was]).strip(), _said(row[becomes]).strip()
        if not place.is_file():
            raise ValueError(f"There is no file {place}")
        if not name or "/" in name:
            raise ValueError(f"{name!r} cannot be the name of {place}")
        pairs.append((place, place.with_name(name if name.endswith(place.suffix) else name + place.suffix)))
    _moved(pairs)
    return f"{_counted(len(pairs), 'file')} renamed"
