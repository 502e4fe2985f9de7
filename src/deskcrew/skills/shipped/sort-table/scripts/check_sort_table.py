import itertools


def check_sort_table(start, end, source, column, order, result):
    before, now = _grid(start / source), _grid(end / result)
    assert now[:1] == before[:1], f"the heading is {now[:1]}"
    assert sorted(now) == sorted(before), "it has not the same rows"
    at = _place(before[0], column)
    keys = _comparable([row[at] for row in now[1:]])
    filled = [key for key in keys if key is not None]
    assert keys[: len(filled)] == filled, "empty cells are not last"
    pairs = list(itertools.pairwise(filled))
    wrong = [pair for pair in pairs if (pair[0] < pair[1] if order == "descending" else pair[0] > pair[1])]
    assert not wrong, f"{wrong[0][0]} stands before {wrong[0][1]}"
    alike = {}
    for rows, there in ((before, _comparable([row[at] for row in before[1:]])), (now, keys)):
        for key, row in zip(there, rows[1:]):
            alike.setdefault(key, ([], []))[rows is now].append(row)
    assert all(was == became for was, became in alike.values()), "rows with the same value changed their order"
    return True, f"{len(now) - 1} rows in order"
