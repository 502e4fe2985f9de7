def list_folder(folder: str, result: str) -> str:
    """List all files of a folder and the folders in it in a table, with their sizes.

    folder: the folder; the whole workspace if left out
    result: the new table, csv or xlsx
    """
    top = Path(folder or ".")
    rows = [[str(each.relative_to(top)), each.suffix.lower().lstrip("."), each.stat().st_size] for each in _within(folder)]
    _write(result, [_row(each) for each in (["file", "ending", "bytes"], *rows)], "")
    return f"{_counted(len(rows), 'file')} listed in {result}"
