def move_files(folder: str, files: str, into: str) -> str:
    """Move files into another folder.

    folder: the folder in which they are; the whole workspace if left out
    files: which files in it: a pattern such as *.jpg, or names; all if left out
    into: the folder for them, new or already there
    """
    some = [each for each in _files_in(folder, files) if each.parent != Path(into)]
    if not some:
        raise ValueError(f"They are all in {into} already")
    goal = _folder(into)
    _moved([(each, goal / each.name) for each in some])
    return f"{_counted(len(some), 'file')} moved into {into}"
