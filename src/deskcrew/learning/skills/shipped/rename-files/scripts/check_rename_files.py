def check_rename_files(start, end, folder, find, replacement):
    before, now = _in(start, folder, deep=False), _in(end, folder, deep=False)
    wanted = {(replacement or "").join(name.split(find)): data for name, data in before.items()}
    missing = [name for name in wanted if now.get(name) != wanted[name]]
    assert not missing, f"{missing[0]} is missing, or is another file"
    assert now.keys() == wanted.keys(), f"{sorted(now.keys() - wanted.keys())[0]} should not be there"
    return True, f"{_counted(len(now), 'file')}, {len(before.keys() - now.keys())} with a new name"
