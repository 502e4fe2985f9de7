def check_top_rows(start, end, source, column, count, end_of, result):
    before, now = _grid(start / source), _grid(end / result)
    at = _place(before[0], column)
    cells = [row[at] for row in before[1:]]
    keys = _in_order(cells)
    found = [key if kind == 0 else None for kind, key in keys]
    assert _are_most(cells, found), "it holds neither numbers nor dates"
    left = [(key, row) for (kind, key), row in zip(keys, _kept(before, result)[1:]) if kind == 0]
    assert now[0] == before[0], f"the heading is {now[0]}"
    assert len(now) - 1 == min(count, len(left)), f"it has {_counted(len(now) - 1, 'row')}"
    for row in now[1:]:
        best = (min if end_of == "smallest" else max)(key for key, _ in left)
        first = next(pair for pair in left if pair[0] == best)
        _same_grid([row], [first[1]])
        left.remove(first)
    return True, f"{_counted(len(now) - 1, 'row')} compared"
