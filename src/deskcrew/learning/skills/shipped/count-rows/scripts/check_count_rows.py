def check_count_rows(start, end, source, column, condition, value, result):
    before, now = _meant_rows(_grid(start / source)), _grid(end / result)
    keep, told = _fitting(before, column, condition, value)
    found = [row for row, fits in zip(before[1:], keep) if fits]
    _same_grid(now, [["rows"], [_Counted(len(found))]])
    return True, f"{_counted(len(found), 'row')} of {len(before) - 1:,}\n{told}" if column else _counted(len(found), "row")
