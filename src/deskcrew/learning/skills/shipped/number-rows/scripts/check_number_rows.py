def check_number_rows(start, end, source, name, first, result):
    before, now = _both(start / source, end / result)
    _same_grid([row[1:] for row in now], _kept(before, result))
    count = 1 if first is None else first
    assert now[0][0] == name, f"the heading is {now[0][0]}"
    for row in now[1:]:
        assert row[0] == str(count) and type(row[0]) is not _Worded, f"{row[0]} is not {count}"
        count += 1
    return True, f"numbered up to {count - 1}"
