def rename_in_sequence(folder: str, files: str, name: str) -> str:
    """Rename files to one name with a running number, such as kitchen_1, kitchen_2, in the order of their names.

    folder: the folder; the whole workspace if left out
    files: which files in it: a pattern such as *.jpg, or names; all if left out
    name: the new name, such as kitchen, or with the first number, such as kitchen_001
    """
    some = _files_in(folder, files)
    stem = name.rstrip("0123456789")
    digits = name[len(stem) :]
    if not digits or int(digits) > 1:  # a year belongs to the name
        stem, digits = f"{name}_", "1"
    names = [f"{_as_name(stem)}{number:0{len(digits)}}" for number, _ in enumerate(some, int(digits))]
    _moved([(each, each.with_name(new + each.suffix)) for each, new in zip(some, names)])
    return f"{_counted(len(some), 'file')} renamed: {names[0]} to {names[-1]}"
