def check_split_table(start, end, source, column, folder):
    before = _grid(start / source)
    at = _place(before[0], column)
    wanted = {}
    for row in before[1:]:
        name = row[at].strip()
        for mark in '\\/:*?"<>|':
            name = name.replace(mark, "_")
        key = name.strip(". ").lower() or "empty"
        wanted[key] = [*wanted.get(key, before[:1]), row]
    there = set(_in(start, folder))
    now = {path: _both(start / source, end / folder / path)[1] for path in _in(end, folder) if path not in there}
    by = {path.removesuffix(pathlib.Path(source).suffix).lower(): grid for path, grid in now.items()}
    assert by.keys() == wanted.keys(), f"the files are {sorted(now)}"
    for name, grid in by.items():
        last = max(n for row in wanted[name] for n, cell in enumerate(row) if cell)
        _same_grid(grid, [row[: last + 1] for row in wanted[name]])
    return True, f"{_counted(len(now), 'file')} with {_counted(len(before) - 1, 'row')} in all"
