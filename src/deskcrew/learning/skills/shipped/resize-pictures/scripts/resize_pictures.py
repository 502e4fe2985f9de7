def resize_pictures(files: str, longest: int, folder: str) -> str:
    """Make pictures smaller, so that their longer side has at most so many pixels.

    files: the pictures: names or patterns, separated by commas, such as photos/*.jpg
    longest: the pixels of the longer side
    folder: the folder for the smaller ones, which have the same names
    """
    from PIL import Image, ImageOps

    if longest < 1:
        raise ValueError("The longer side needs at least one pixel")
    some = _files(files)
    places = [_free(Path(folder) / each.name) for each in some]
    if len(set(places)) < len(places):
        raise ValueError("Two pictures have the same name: do them one folder after the other")
    for each, place in zip(some, places):
        with Image.open(each) as image:
            small, kind = ImageOps.exif_transpose(image), image.format
            small.thumbnail((longest, longest), Image.Resampling.LANCZOS)
            small.save(place, kind, quality=92)
    return f"{_counted(len(some), 'picture')} resized and saved in {folder}"
