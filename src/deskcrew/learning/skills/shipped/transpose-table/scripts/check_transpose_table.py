def check_transpose_table(start, end, source, result):
    before, now = _both(start / source, end / result)
    before = _kept(before, result)
    assert len(now) == len(before[0]) and len(now[0]) == len(before), (
        f"it has {_counted(len(now), 'row')} and {_counted(len(now[0]), 'column')}"
    )
    for r in range(len(before)):
        for c in range(len(before[0])):
            _same_grid([[now[c][r]]], [[before[r][c]]])
    return True, f"{_counted(len(now), 'row')} and {_counted(len(now[0]), 'column')} compared"
