def check_count_files(start, end, folder, files, result):
    there = _in(start, folder)
    parts = [each.strip() for each in _apart(files or "*")]
    some = [path for path in there if any(pathlib.PurePath(path).match(each) for each in parts)]
    wanted = [[path, _Counted(len(there[path]))] for path in sorted(some, key=_padded)]
    _same_grid(_grid(end / result), [["file", "bytes"], *sorted(wanted, key=lambda row: -int(row[1]))])
    return True, f"{_counted(len(wanted), 'file')} of {len(there)}"
