def check_join_columns(start, end, source, columns, separator, name, result):
    before, now = _both(start / source, end / result)
    wide, mark = len(before[0]), separator or " "
    places = [_place(before[0], each) for each in _list(columns)]
    _same_grid([row[:wide] for row in now], _kept(before, result))
    assert now[0][wide:] == [name], f"the heading is {now[0]}"
    for was, row in zip(before[1:], now[1:]):
        told = ""
        for at in places:
            told += (mark if told and was[at].strip() else "") + was[at].strip()
        assert ([*row, ""])[wide] == told, f"{row[wide]!r} is not {told!r}"
    return True, f"{_counted(len(now) - 1, 'value')} compared"
