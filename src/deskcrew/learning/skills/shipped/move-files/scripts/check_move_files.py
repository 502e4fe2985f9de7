def check_move_files(start, end, folder, files, into):
    before, now, top = _tree(start), _tree(end), f"{folder}/" if folder else ""
    some = _meant(start, ", ".join(top + each.strip().removeprefix(top) for each in _apart(files or "*")))
    wanted = {path: data for path, data in before.items() if path not in some}
    for path in some:
        new = os.path.normpath(os.path.join(into, os.path.basename(path)))
        assert new not in wanted, f"{new} is there twice"
        wanted[new] = before[path]
    assert now == wanted, f"{sorted(now.keys() ^ wanted.keys())[:1]} is in the wrong place, or a file changed"
    return True, f"{_counted(len(some), 'file')}, each in {into}"
