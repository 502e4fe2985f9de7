def check_replace_in_column(start, end, source, column, find, replacement, result):
    before, now = _both(start / source, end / result)
    at = _place(before[0], column) if column else None
    change = lambda cell, n: (replacement or "").join(cell.split(find)) if at in (None, n) and find in cell else cell
    wanted = before[:1] + [[change(cell, n) for n, cell in enumerate(row)] for row in before[1:]]
    wanted = [row for row in wanted if "".join(row)]
    assert wanted != before, f"there is no {find}"
    last = max(n for row in wanted for n, cell in enumerate(row) if cell)
    wanted = [row[: last + 1] for row in wanted]
    _same_grid(now, wanted if _is_book(source) else _kept(wanted, result))
    return True, f"{_counted(sum(row.count(find) for rows in before[1:] for row in rows), 'place')} compared"
