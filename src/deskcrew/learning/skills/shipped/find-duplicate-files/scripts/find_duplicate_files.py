import hashlib


def find_duplicate_files(folder: str, result: str) -> str:
    """List the files in a folder and the folders in it that have the same content as another one there.

    folder: the folder; the whole workspace if left out
    result: the new table, csv or xlsx: each line is a file that is there once more, and the first one like it
    """
    top, first, rows = Path(folder or "."), {}, []
    for each in _within(folder):
        key = (each.stat().st_size, hashlib.sha256(each.read_bytes()).digest())
        if key in first:
            rows.append([str(each.relative_to(top)), str(first[key].relative_to(top))])
        first.setdefault(key, each)
    _write(result, [_row(each) for each in (["file", "same as"], *rows)], "")
    return f"{_counted(len(rows), 'duplicate')} listed in {result}"
