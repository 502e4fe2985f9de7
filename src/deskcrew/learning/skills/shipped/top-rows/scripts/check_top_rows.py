def check_top_rows(start, end, source, column, count, end_of, result):
    count = 1 if count is None else count
    before, now = _both(start / source, end / result)
    if not column:
        there = _kept(before, result)[1:]
        wanted = {"first": there[:count], "last": there[max(0, len(there) - count) :]}[end_of]
        _same_grid(now, [before[0], *wanted])
        return True, f"the {end_of} of {_counted(len(there), 'row')}:\n{_rows_said(wanted)}"
    at = _place(before[0], column)
    cells = [row[at] for row in before[1:]]
    keys = _in_order(cells)
    found = [key if kind == 0 else None for kind, key in keys]
    assert _are_most(cells, found), "it holds neither numbers nor dates"
    left = [(key, row, was) for (kind, key), row, was in zip(keys, _kept(before, result)[1:], before[1:]) if kind == 0]
    best = []
    assert now[0] == before[0], f"the heading is {now[0]}"
    assert len(now) - 1 == min(count, len(left)), f"it has {_counted(len(now) - 1, 'row')}"
    for row in now[1:]:
        most = (min if end_of == "smallest" else max)(key for key, *_ in left)
        first = next(each for each in left if each[0] == most)
        _same_grid([row], [first[1]])
        left.remove(first)
        best.append(first[2])
    return True, f"{_counted(len(best), 'row')} compared:\n{_rows_said(best)}"
