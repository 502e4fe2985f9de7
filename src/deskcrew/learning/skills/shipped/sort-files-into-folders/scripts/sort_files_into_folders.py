import re

KINDS = {
    "Pictures": "jpg jpeg png gif webp heic bmp tif tiff svg",
    "Documents": "doc docx odt rtf txt md pdf",
    "Tables": "xls xlsx xlsm ods csv tsv",
    "Presentations": "ppt pptx odp",
    "Archives": "zip tar gz 7z rar",
    "Music": "mp3 wav flac ogg m4a",
    "Videos": "mp4 mov avi mkv webm",
}


def sort_files_into_folders(folder: str, by: str) -> str:
    """Move the files of a folder into folders in it: by kind, by ending, by first letter, or by the month in their names.

    folder: the folder; the whole workspace if left out
    by: what tells them apart; a month is read from names such as 2026-03-14 trip.jpg
    """

    def goal(name):
        ending = Path(name).suffix.lower().removeprefix(".")
        if by == "kind":
            return next((kind for kind, some in KINDS.items() if ending in some.split()), "Others")
        if by == "ending":
            return ending or "none"
        if by == "first letter":
            return name[0].upper()
        found = re.search(r"(?<!\d)((?:19|20)\d\d)[-_.]?(0[1-9]|1[0-2])(?!\d{3,})", name)
        return f"{found[1]}-{found[2]}" if found else None

    pairs = [
        (each, Path(folder or ".") / into / each.name) for each in _within(folder, deep=False) if (into := goal(each.name))
    ]
    if not pairs:
        raise ValueError(f"There is nothing to sort in {folder or 'the folder'}")
    _moved(pairs)
    folders = {str(new.parent) for _, new in pairs}
    return f"{_counted(len(pairs), 'file')} moved into {_counted(len(folders), 'folder')}"
