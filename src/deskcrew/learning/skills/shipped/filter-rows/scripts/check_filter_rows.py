def check_filter_rows(start, end, source, column, condition, value, result):
    before, now = _both(start / source, end / result)
    keep, told = _fitting(before, column, condition, value)
    head, *rows = _kept(before, result)
    _same_grid(now, [head] + [row for row, kept in zip(rows, keep) if kept])
    return (
        True,
        f"{_counted(len(now) - 1, 'row')}, all that fit{told}:\n{_rows_said([row for row, kept in zip(before[1:], keep) if kept])}",
    )
