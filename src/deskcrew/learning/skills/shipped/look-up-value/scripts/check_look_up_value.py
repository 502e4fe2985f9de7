def check_look_up_value(start, end, source, column, value, wanted, result):
    before, now = _both(start / source, end / result)
    at, to = _place(before[0], column), _place(before[0], wanted)
    found = [n for n, row in enumerate(before) if n and _same(row[at]) == _same(value)]
    assert found, f"nothing is called {value}"
    kept = _kept(before, result)
    _same_grid(now, [[kept[n][at], kept[n][to]] for n in (0, *found)])
    told = [f"{before[n][at]}: {before[n][to] or 'nothing'}" for n in found]
    return True, f"{before[0][to]} of {_several_said(told)}"
