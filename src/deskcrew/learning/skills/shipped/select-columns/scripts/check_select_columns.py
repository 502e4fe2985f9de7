def check_select_columns(start, end, source, columns, result):
    before, now = _grid(start / source), _grid(end / result)
    turned = {cells[0].strip().lower(): cells for cells in zip(*before)}
    wanted = [turned[name.lower()] for name in _list(columns)]
    kept = [row for row in zip(*wanted) if any(row)]
    assert list(zip(*now)) == list(zip(*kept)), f"the columns are {now[0]}, with other values"
    return True, f"{len(wanted)} columns as they were"
