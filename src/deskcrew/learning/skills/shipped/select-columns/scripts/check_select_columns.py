def check_select_columns(start, end, source, columns, do, result):
    before, now = _both(start / source, end / result)
    turned = [(cells[0].strip().lower(), cells) for cells in zip(*_kept(before, result))]
    named = [name.lower() for name in _list(columns)]
    left = [cells for name, cells in turned if name not in named]
    wanted = left if do == "leave out" else [dict(turned)[name] for name in named]
    kept = [row for row in zip(*wanted) if any(row)]
    _same_grid(now, [list(row) for row in kept])
    return True, f"{_counted(len(wanted), 'column')} compared"
