import re


def rename_photos_by_date(folder: str) -> str:
    """Rename photos by the time when they were taken, such as 2026-03-14 15.09.26.jpg.

    folder: the folder of the photos; the whole workspace if left out
    """
    from PIL import Image

    pairs, names = [], set()
    for each in _within(folder, deep=False):
        if each.suffix.lower() not in (".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".png"):
            continue
        with Image.open(each) as image:
            exif = image.getexif()
            told = str(exif.get_ifd(0x8769).get(0x9003) or exif.get(0x0132) or "")
        if not (found := re.match(r"(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)", told)):
            continue
        year, month, day, *time = found.groups()
        name, number = f"{year}-{month}-{day} {'.'.join(time)}", 2
        while (full := f"{name}{f' ({number})' if number > 2 else ''}{each.suffix}".lower()) in names:
            number += 1
        names.add(full)
        pairs.append((each, each.with_name(full.replace(f"({number})", f"({number - 1})") if number > 2 else full)))
    if not pairs:
        raise ValueError(f"No photo in {folder or 'the folder'} says when it was taken")
    _moved(pairs)
    return f"{_counted(len(pairs), 'photo')} renamed"
