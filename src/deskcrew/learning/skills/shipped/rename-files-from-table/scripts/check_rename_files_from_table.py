def check_rename_files_from_table(start, end, table, old, new, folder):
    grid = _grid(start / table)
    was, becomes = _place(grid[0], old), _place(grid[0], new)
    before, now = _in(start, folder), _in(end, folder)
    wanted = dict(before)
    moved = {}
    for row in grid[1:]:
        name, other = row[was].strip(), row[becomes].strip()
        ending = os.path.splitext(name)[1]
        moved[os.path.join(os.path.dirname(name), other + ("" if other.endswith(ending) else ending))] = wanted.pop(name)
    wanted |= moved
    assert now == wanted, f"{sorted(now.keys() ^ wanted.keys())[:1]} is wrong, or a file has another content"
    return True, f"{_counted(len(moved), 'file')} compared with the table"
