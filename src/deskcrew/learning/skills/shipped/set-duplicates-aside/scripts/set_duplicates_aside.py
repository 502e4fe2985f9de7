import hashlib


def set_duplicates_aside(folder: str, aside: str) -> str:
    """Move files that are there once more with the same content into a folder of their own; the first of each stays.

    folder: the folder to look through, with the folders in it; the whole workspace if left out
    aside: the folder for what is there once more
    """
    top, seen, pairs = Path(folder or "."), set(), []
    for each in _within(folder):
        if Path(aside) in each.parents:
            continue
        key = hashlib.sha256(each.read_bytes()).digest()
        if key in seen:
            pairs.append((each, Path(aside) / each.relative_to(top)))
        seen.add(key)
    if not pairs:
        raise ValueError(f"No two files in {folder or 'the folder'} are the same")
    _moved(pairs)
    return f"{_counted(len(pairs), 'file')} moved to {aside}"
