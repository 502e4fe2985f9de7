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
    for key in set(filled):
        of_it = lambda rows: [r for r in rows[1:] if r in now and key == keys[now[1:].index(r)]]
        assert of_it(before) == of_it(now), f"rows with {key} changed their order"
    return True, f"{len(now) - 1} rows in order"
