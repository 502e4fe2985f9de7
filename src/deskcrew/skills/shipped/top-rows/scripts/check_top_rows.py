def check_top_rows(start, end, source, column, count, end_of, result):
    before, now = _grid(start / source), _grid(end / result)
    at = _place(before[0], column)
    keys = _comparable([row[at] for row in before[1:]])
    left = [(key, row) for key, row in zip(keys, before[1:]) if key is not None]
    assert now[0] == before[0], f"the heading is {now[0]}"
    assert len(now) - 1 == min(count, len(left)), f"there are {len(now) - 1} rows"
    for row in now[1:]:
        best = (min if end_of == "smallest" else max)(key for key, _ in left)
        first = next(pair for pair in left if pair[0] == best)
        assert row == first[1], f"{row} is not {first[1]}"
        left.remove(first)
    return True, f"{len(now) - 1} rows"
