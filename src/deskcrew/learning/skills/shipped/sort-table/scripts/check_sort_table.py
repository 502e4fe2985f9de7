import itertools


def check_sort_table(start, end, source, column, order, result):
    before, now = _both(start / source, end / result)
    assert now[:1] == before[:1], f"the heading is {now[:1]}"
    kept = _kept(before, result)
    _same_grid(sorted(now), sorted(kept))
    at = _place(before[0], column)
    keys = _in_order([row[at] for row in now[1:]])
    for (kind, one), (next_kind, two) in itertools.pairwise(keys):
        assert kind <= next_kind, f"{one or 'an empty cell'} stands before {two}"
        if kind == next_kind:
            assert one >= two if order == "descending" else one <= two, f"{one} stands before {two}"
    alike = {}
    for rows, there in ((kept, _in_order([row[at] for row in before[1:]])), (now, keys)):
        for key, row in zip(there, rows[1:]):
            alike.setdefault(key, ([], []))[rows is now].append(row)
    assert all(was == became for was, became in alike.values()), "rows with the same value changed their order"
    return True, f"{_counted(len(now) - 1, 'row')} in order"
