def check_split_column(start, end, source, column, separator, names, result):
    before, now = _grid(start / source), _grid(end / result)
    at, heads, mark = _place(before[0], column), [each.strip() for each in names.split(",")], separator or " "
    last = at + len(heads)
    assert len(before) == len(now), "it has other rows"
    for number, (was, row) in enumerate(zip(before, now)):
        row = row + [""] * (len(was) - 1 + len(heads) - len(row))
        parts = row[at:last]
        assert row[:at] + row[last:] == was[:at] + was[at + 1 :], f"row {number + 1} has other values"
        if number == 0:
            assert parts == heads, f"the headings are {parts}"
            continue
        pieces = [each.strip() for each in was[at].strip().split(mark)]
        tail = mark.join(was[at].strip().split(mark)[len(heads) - 1 :]).strip()
        assert parts == (pieces[: len(heads) - 1] + [tail] + [""] * len(heads))[: len(heads)], f"{was[at]} became {parts}"
    return True, f"{len(now) - 1} values"
