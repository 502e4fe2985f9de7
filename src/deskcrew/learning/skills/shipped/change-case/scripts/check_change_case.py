def check_change_case(start, end, source, columns, case, result):
    before, now = _both(start / source, end / result)
    chosen = [_place(before[0], name) for name in _list(columns)] if columns else range(len(before[0]))
    lower, upper = (case == "small letters"), (case == "capitals")

    def wanted(text):
        if isinstance(text, (_Counted, _Dated)):
            return text
        new = "".join(
            each.lower() if lower else each.upper() if upper or not (n and text[n - 1].isalpha()) else each.lower()
            for n, each in enumerate(text)
        )
        return _Worded(new) if isinstance(text, _Worded) else new

    rows = [[wanted(text) if n in chosen else text for n, text in enumerate(row)] for row in before[1:]]
    assert rows != before[1:], f"it is written in {case} already"
    _same_grid(now, before[:1] + rows if _is_book(source) else _kept(before[:1] + rows, result))
    return True, f"{_counted(len(rows), 'row')} compared"
