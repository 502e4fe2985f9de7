def resize_pictures(files: str, longest: int, side: str, folder: str) -> str:
    """Make pictures smaller, so that their longer side, width or height has at most so many pixels.

    files: the pictures: names or patterns, separated by commas, such as photos/*.jpg
    longest: the most pixels of that side
    side: which side, the longer one if left out
    folder: the folder for the smaller ones, which have the same names
    """
    from PIL import Image, ImageOps

    if longest < 1:
        raise ValueError("A picture needs at least one pixel")
    some = _files(files)
    places = [_free(Path(folder) / each.name) for each in some]
    if len(set(places)) < len(places):
        raise ValueError("Two pictures have the same name: do them one folder after the other")
    for each, place in zip(some, places):
        with Image.open(each) as image:
            small, kind = ImageOps.exif_transpose(image), image.format
            most = [longest if side in (None, "", one) else size for one, size in zip(("width", "height"), small.size)]
            small.thumbnail(most, Image.Resampling.LANCZOS)
            small.save(place, kind, quality=92)
    return f"{_counted(len(some), 'picture')} resized and saved in {folder}"
