def check_fill_empty_cells(start, end, source, column, value, result):
    raw, now = _both(start / source, end / result)
    at, filled = _place(raw[0], column), 0
    full = [row[:] for row in raw]
    for number in range(1, len(raw)):
        if not raw[number][at].strip():
            full[number][at] = value if value is not None else full[number - 1][at] if number > 1 else raw[number][at]
            filled += full[number][at] != ""
    kept, new = _kept(raw, result), _kept(full, result)
    for number, (row, was) in enumerate(zip(kept, raw)):
        if number and not was[at].strip():
            row[at] = new[number][at] if value is not None else kept[number - 1][at] if number > 1 else row[at]
    _same_grid(now, kept)
    assert filled, "nothing was filled"
    return True, f"{_counted(filled, 'cell')} compared"
