def check_split_column(start, end, source, column, separator, names, result):
    before, now = _both(start / source, end / result)
    at, heads, mark = _place(before[0], column), [each.strip() for each in names.split(",")], separator or " "
    wanted = [before[0][:at] + heads + before[0][at + 1 :]]
    for was in before[1:]:
        pieces = [each.strip() for each in was[at].strip().split(mark)]
        tail = mark.join(was[at].strip().split(mark)[len(heads) - 1 :]).strip()
        parts = (pieces[: len(heads) - 1] + [tail] + [""] * len(heads))[: len(heads)]
        wanted.append(was[:at] + parts + was[at + 1 :])
    wide = len(wanted[0])
    _same_grid([row + [""] * (wide - len(row)) for row in now], _kept(wanted, result))
    return True, f"{_counted(len(now) - 1, 'value')} compared"
