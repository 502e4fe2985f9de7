def check_find_duplicate_files(start, end, folder, result):
    now, there = _grid(end / result), _in(start, folder)
    assert now[0] == ["file", "same as"], f"the heading is {now[0]}"
    paths, wanted = sorted(there, key=_padded), []
    for number, path in enumerate(paths):
        like = [other for other in paths[:number] if there[other] == there[path]]
        wanted += [[path, like[0]]] if like else []
    _same_grid(now[1:], wanted)
    return True, f"{_counted(len(wanted), 'pair')} compared byte by byte"
