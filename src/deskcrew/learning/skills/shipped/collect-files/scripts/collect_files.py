def collect_files(files: str, folder: str) -> str:
    """Copy files from several folders into one.

    files: which files: names or patterns, separated by commas, such as **/*.pdf
    folder: the folder for the copies; of files with the same name all but the first get a number
    """
    some = [each for each in _files(files) if Path(folder) not in each.parents]
    place, taken, pairs = _folder(folder), set(), []
    for each in some:
        name, number = each.name, 2
        while name.casefold() in taken or (place / name).exists():
            name, number = f"{each.stem} ({number}){each.suffix}", number + 1
        taken.add(name.casefold())
        pairs.append((each, place / name))
    for each, goal in pairs:
        goal.write_bytes(each.read_bytes())
    return f"{_counted(len(pairs), 'file')} copied to {folder}"
