def number_files(folder: str, files: str, first: int) -> str:
    """Put running numbers before the names of the files in a folder, in the order of their names.

    folder: the folder; the whole workspace if left out
    files: a pattern for those that are numbered, such as *.jpg; all if left out
    first: the number of the first file; 1 if left out
    """
    patterns = [part.strip() for part in _apart(files or "*")]
    some = [each for each in _within(folder, deep=False) if any(map(each.match, patterns))]
    if not some:
        raise ValueError(f"There is no file {files or ''} in {folder or 'the folder'}")
    first = 1 if first is None else first
    width = max(2, len(str(first + len(some) - 1)))
    _moved([(each, each.with_name(f"{number:0{width}} {each.name}")) for number, each in enumerate(some, first)])
    return f"{_counted(len(some), 'file')} numbered"
