def check_combine_tables(start, end, files, result):
    paths = _meant(start, files)
    _, now = _both(start / paths[0], end / result)
    grids = [_kept(_grid(start / path), result) for path in paths]
    heads = list(dict.fromkeys(cell.strip().lower() for grid in grids for cell in grid[0]))
    assert [cell.strip().lower() for cell in now[0]] == heads, f"the headings are {now[0]}"
    assert {*now[0]} <= {cell for grid in grids for cell in grid[0]}, "a heading is new"
    wanted = []
    for grid in grids:
        for row in grid[1:]:
            told = dict(zip((cell.strip().lower() for cell in grid[0]), row))
            wanted.append([told.get(head, "") for head in heads])
    _same_grid(now[1:], wanted)
    return True, f"{_counted(len(wanted), 'row')} from {_counted(len(paths), 'table')}"
