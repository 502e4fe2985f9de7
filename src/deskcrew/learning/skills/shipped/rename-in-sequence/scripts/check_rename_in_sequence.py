def check_rename_in_sequence(start, end, folder, files, name):
    before, now, top = _tree(start), _tree(end), f"{folder}/" if folder else ""
    some = _meant(start, ", ".join(top + each.strip().removeprefix(top) for each in _apart(files or "*")))
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    stem, first = (stem, digits) if digits and int(digits) < 2 else (f"{name}_", "1")
    wanted = {path: data for path, data in before.items() if path not in some}
    for number, path in enumerate(some, int(first)):
        new = os.path.join(os.path.dirname(path), f"{stem}{str(number).zfill(len(first))}{os.path.splitext(path)[1]}")
        assert new not in wanted, f"{new} is there twice"
        wanted[new] = before[path]
    assert now == wanted, f"{sorted(now.keys() ^ wanted.keys())[:1]} is called otherwise, or a file changed"
    return True, f"{_counted(len(some), 'file')} with a new name"
