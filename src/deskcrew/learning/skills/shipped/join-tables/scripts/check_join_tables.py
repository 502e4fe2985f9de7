def check_join_tables(start, end, source, other, key, result):
    (one, now), two = _both(start / source, end / result), _grid(start / other)
    head, *lines = _kept(one, result)
    kept = _kept(two, result)
    a, b = _place(one[0], key), _place(two[0], key)
    more = len(two[0]) - 1
    found, wanted = {}, []
    for row, cells in zip(two[1:], kept[1:]):
        found.setdefault(_same(row[b]), []).append(cells)
    for number, (key_row, row) in enumerate(zip(one, [head, *lines])):
        hits = found.get(_same(key_row[a]), []) if number else [two[0]]
        assert len(hits) < 2, f"{key_row[a]} is there twice"
        wanted.append(row + (hits[0][:b] + hits[0][b + 1 :] if hits else [""] * more))
    last = max(n for row in wanted for n, cell in enumerate(row) if cell)
    _same_grid(now, [row[: last + 1] for row in wanted])
    return True, f"{_counted(len(now) - 1, 'row')} looked up again"
