def rename_files(folder: str, find: str, replacement: str) -> str:
    """Replace a part of the names of all files in a folder.

    folder: the folder; the whole workspace if left out
    find: the part of the name to replace
    replacement: what stands there instead; the part is left out if left out
    """
    some = [each for each in _within(folder, deep=False) if find in each.name]
    if not some:
        raise ValueError(f"No file name in {folder or 'the folder'} has {find!r} in it")
    pairs = [(each, each.with_name(each.name.replace(find, replacement or ""))) for each in some]
    if empty := next((old for old, new in pairs if new.name in ("", old.suffix)), None):
        raise ValueError(f"Nothing would be left of the name {empty.name}")
    _moved(pairs)
    return f"{_counted(len(pairs), 'file')} renamed"
