def check_make_folders(start, end, source, column, folder):
    if column:
        grid = _grid(start / source)
        names = [row[_place(grid[0], column)] for row in grid[1:]]
    else:
        names = _decoded((start / source).read_bytes()).split("\n")
    clean = {"".join("_" if mark in '\\/:*?"<>|' else mark for mark in name).strip(". \r\t") for name in names} - {""}
    top = os.path.normpath(folder or ".")
    below = lambda side: {each.name for each in (side / top).iterdir() if each.is_dir()} if (side / top).is_dir() else set()
    new = {name for name in below(end) - below(start) if not name.startswith(".")}
    assert new == clean, f"the new folders are {sorted(new)}"
    assert not [path for path in _in(end, folder) if path not in _in(start, folder)], "there is a new file"
    return True, f"{_counted(len(new), 'new folder')}"
