import zipfile


def zip_files(files: str, result: str) -> str:
    """Pack files into a zip archive.

    files: which files: names, folders or patterns, separated by commas, such as reports/*.pdf
    result: the new archive, zip
    """
    if Path(result).suffix.lower() != ".zip":
        raise ValueError(f"{result} must end in .zip")
    some = []
    for name in [files] if Path(files).exists() else _apart(files):
        name = name.strip()
        some += _within(name) if name and Path(name).is_dir() else _files(name) if name else []
    if not some:
        raise ValueError("There is nothing to pack")
    some = [*dict.fromkeys(some)]
    with zipfile.ZipFile(_free(result), "w", zipfile.ZIP_DEFLATED) as made:
        for each in some:
            made.write(each)
    return f"{_counted(len(some), 'file')} packed"
