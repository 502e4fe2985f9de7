def check_filter_rows(start, end, source, column, condition, value, result):
    before, now = _grid(start / source), _grid(end / result)
    at = _place(before[0], column)
    cells = [_same(row[at]) for row in before[1:]]
    like, told = _same(value or ""), ""
    if condition.endswith("empty") or "contain" in condition:
        found = [not cell if condition.endswith("empty") else like in cell for cell in cells]
        keep = [each != ("not" in condition) for each in found]
    else:
        raw = [row[at] for row in before[1:]]
        limit, exact = _amount(value, raw), condition in ("is", "is not")
        day = _day(value) or _day(value, month_first=True)
        what = "number" if limit is not None else "date" if day is not None else "value"
        if exact and any(map(_is_code, [value, *raw])):
            limit, keys = like, cells
        elif limit is not None:
            keys = _some_amounts(raw)
        elif day is not None:
            month_first, both = _month_first(raw), {_day(value), _day(value, month_first=True)} - {None}
            slashed = [text for text in raw if re.match(r"\s*\d{1,2}[-/ ]\d{1,2}[-/ ]\d", text)]
            assert slashed or len(both) == 1, f"{value} can be two days"
            limit, keys = _day(value, month_first) or _day(value, not month_first), _some_days(raw)
        else:
            limit, keys = like, [cell or None for cell in cells]
            assert exact or not [key for key, _ in _in_order(raw) if key == 0], f"{value} is a text, and the column is not"
        assert exact or _are_most(cells, keys), f"{before[0][at]} cannot be compared with {value}"
        told = "" if exact else _without(keys.count(None), what, before[0][at])
        order = [None if key is None else (key > limit) - (key < limit) for key in keys]
        admitted = {
            "is": (0,),
            "is not": (-1, 1, None),
            "more than": (1,),
            "less than": (-1,),
            "at least": (0, 1),
            "at most": (-1, 0),
        }
        keep = [each in admitted[condition] for each in order]
    head, *rows = _kept(before, result)
    _same_grid(now, [head] + [row for row, kept in zip(rows, keep) if kept])
    return True, f"{_counted(len(now) - 1, 'row')}, all that fit{told}"
