def compare_folders(folder: str, other: str, result: str) -> str:
    """List what differs between two folders: files that only one of them has, and files with another content.

    folder: the one folder
    other: the other folder
    result: the new table, csv or xlsx
    """
    one, two = ({str(each.relative_to(top)): each for each in _within(top)} for top in (folder, other))
    rows = [[path, f"only in {folder}"] for path in one if path not in two]
    rows += [[path, f"only in {other}"] for path in two if path not in one]
    rows += [[path, "different"] for path in one if path in two and one[path].read_bytes() != two[path].read_bytes()]
    rows.sort(key=lambda row: _natural(row[0]))
    _write(result, [_row(each) for each in (["file", "difference"], *rows)], "")
    return f"{_counted(len(rows), 'difference')} listed in {result}"
