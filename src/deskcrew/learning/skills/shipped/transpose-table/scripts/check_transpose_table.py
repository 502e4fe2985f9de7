def check_transpose_table(start, end, source, result):
    before, now = _grid(start / source), _grid(end / result)
    assert len(now) == len(before[0]) and len(now[0]) == len(before), f"it has {len(now)} rows of {len(now[0])}"
    for r in range(len(before)):
        for c in range(len(before[0])):
            assert before[r][c] == now[c][r], f"{now[c][r]!r} is not {before[r][c]!r}"
    return True, f"{len(now)} rows of {len(now[0])} cells"
