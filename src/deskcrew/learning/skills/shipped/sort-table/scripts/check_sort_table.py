import itertools


def check_sort_table(start, end, source, result, **by):
    before, now = _both(start / source, end / result)
    assert now[:1] == before[:1], f"the heading is {now[:1]}"
    kept = _kept(before, result)
    _same_grid(sorted(now), sorted(kept))
    ways = [(by["column"], by["order"]), (by["then"], by["then_order"])][: 1 + bool(by["then"])]
    there, keys = (_keys_of(rows, [name for name, _ in ways]) for rows in (before, now))
    for one, two in itertools.pairwise(keys):
        for (kind, value), (next_kind, following), (_, way) in zip(one, two, ways):
            assert kind <= next_kind, f"{value or 'an empty cell'} stands before {following}"
            if (kind, value) != (next_kind, following):
                down = value > following if kind == next_kind and way == "descending" else None
                assert down or kind < next_kind or (down is None and value < following), f"{value} stands before {following}"
                break
    alike = {}
    for rows, found in ((kept, there), (now, keys)):
        for key, row in zip(found, rows[1:]):
            alike.setdefault(key, ([], []))[rows is now].append(row)
    assert all(was == became for was, became in alike.values()), "rows with the same value changed their order"
    return True, f"{_counted(len(now) - 1, 'row')} in order"


def _keys_of(rows, names):
    """What each row below the heading is put in order by."""
    places = [_place(rows[0], name) for name in names]
    return list(zip(*(_in_order([row[at] for row in rows[1:]]) for at in places)))
