def count_files(folder: str, files: str, result: str) -> str:
    """Count the files in a folder and the folders in it, or those of a kind, and list them with their sizes, the biggest first.

    folder: the folder; the whole workspace if left out
    files: a pattern for those that are counted, such as *.jpg; all if left out
    result: the new table, csv or xlsx
    """
    top, patterns = Path(folder or "."), [part.strip() for part in _apart(files or "*")]
    some = [each for each in _within(folder) if any(map(each.match, patterns))]
    rows = [[str(each.relative_to(top)), each.stat().st_size] for each in some]
    rows.sort(key=lambda row: -row[1])
    told = [[path, _size_said(size)] for path, size in rows]
    all_of = _size_said(sum(size for _, size in rows))
    ends = [each.suffix.lower() or "without an ending" for each in some]
    kinds = sorted({*ends}, key=lambda end: (-ends.count(end), end))
    by_kind = f" ({', '.join(f'{end}: {ends.count(end):,}' for end in kinds[:12])})" if len(kinds) > 1 else ""
    return f"{_listed(result, ['file', 'bytes'], rows, 'file', told)}; {all_of} in all{by_kind}"


def _size_said(size):
    steps = [("GB", 10**9), ("MB", 10**6), ("KB", 10**3)]
    return next((f"{size / step:.1f} {unit}" for unit, step in steps if size >= step), _counted(size, "byte"))
