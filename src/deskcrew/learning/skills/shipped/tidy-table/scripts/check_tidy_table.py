def check_tidy_table(start, end, source, result):
    before, now = _both(start / source, end / result)
    clean = [[type(cell)(" ".join(cell.split())) for cell in row] for row in before]
    columns = [column for column in zip(*clean) if any(column)]
    _same_grid(now, _kept([list(row) for row in zip(*columns) if any(row)], result))
    return True, f"{_counted(len(now) - 1, 'row')} and {_counted(len(now[0]), 'column')}"
