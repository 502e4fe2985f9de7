def convert_pictures(files: str, form: str, folder: str) -> str:
    """Save pictures in another format.

    files: the pictures: names or patterns, separated by commas, such as *.webp
    form: the format
    folder: the folder for the new pictures
    """
    from PIL import Image, ImageOps

    some = _files(files)
    own = {"jpg": (".jpg", ".jpeg"), "tif": (".tif", ".tiff")}.get(form, (f".{form}",))
    if all(each.suffix.lower() in own for each in some):
        raise ValueError(f"{some[0]} is a {form} already" if len(some) == 1 else f"all of {files} are {form} already")
    places = [_free(Path(folder) / f"{each.stem}.{form}") for each in some]
    if len(set(places)) < len(places):
        raise ValueError("Two pictures would have the same name: do them one after the other")
    for each, place in zip(some, places):
        with Image.open(each) as image:
            whole = ImageOps.exif_transpose(image)
            if form in ("jpg", "bmp"):
                whole = whole.convert("RGBA")
                page = Image.new("RGB", whole.size, "white")
                page.paste(whole, mask=whole.getchannel("A"))
                whole = page
            whole.save(place, {"jpg": "JPEG", "tif": "TIFF"}.get(form, form.upper()), quality=92)
    return f"{_counted(len(some), 'picture')} saved as {form} in {folder}"
