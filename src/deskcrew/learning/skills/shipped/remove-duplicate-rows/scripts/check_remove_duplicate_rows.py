def check_remove_duplicate_rows(start, end, source, columns, result):
    before, now = _both(start / source, end / result)
    places = [_place(before[0], name) for name in _list(columns)] if columns else range(len(before[0]))
    seen, wanted, (_, *kept) = set(), before[:1], _kept(before, result)
    for row, cells in zip(before[1:], kept):
        key = "\0".join(_same(row[at]) for at in places)
        if key not in seen:
            seen.add(key)
            wanted.append(cells)
    _same_grid(now, wanted)
    return True, f"{_counted(len(now) - 1, 'different row')}"
