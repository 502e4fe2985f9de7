def make_folders(source: str, column: str, folder: str) -> str:
    """Make a folder for each line of a text, or for each value of a column of a table.

    source: the text or table: txt, csv or xlsx
    column: the heading of the column; each line of a text is a name if left out
    folder: where to make them; in the whole workspace if left out
    """
    if column:
        head, *rows = _read(source)
        names = [_said(row[_column([head], column, source)]) for row in rows]
    else:
        names = _text(source).splitlines()
    names = list(dict.fromkeys(_as_name(name.strip()) for name in names if name.strip()))
    places = [Path(folder or ".") / name for name in names]
    if there := next((each for each in places if each.exists()), None):
        raise ValueError(f"There is already {there}")
    if not places:
        raise ValueError(f"{source} names no folder")
    for place in places:
        place.mkdir(parents=True)
    return f"{_counted(len(places), 'folder')} made"
