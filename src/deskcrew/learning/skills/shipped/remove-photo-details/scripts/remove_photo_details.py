def remove_photo_details(files: str, folder: str) -> str:
    """Save pictures without the details that cameras add, such as place, time and device.

    files: the pictures: names or patterns, separated by commas, such as *.jpg
    folder: the folder for the copies, which have the same names
    """
    from PIL import Image, ImageOps

    some = _files(files)
    places = [_free(Path(folder) / each.name) for each in some]
    if len(set(places)) < len(places):
        raise ValueError("Two pictures have the same name: do them one folder after the other")
    for each, place in zip(some, places):
        with Image.open(each) as image:
            turned = image.getexif().get(0x0112, 1) != 1
            clean = ImageOps.exif_transpose(image) if turned else image
            how = {
                "quality": 95 if turned or image.format != "JPEG" else "keep",
                "exif": b"",
                "icc_profile": image.info.get("icc_profile"),
            }
            for name in [name for name in clean.info if name not in ("icc_profile", "transparency", "jfif")]:
                clean.info.pop(name)
            clean.save(place, image.format, **how)
    return f"{_counted(len(some), 'picture')} without details in {folder}"
