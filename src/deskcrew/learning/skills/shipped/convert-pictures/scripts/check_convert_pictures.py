def check_convert_pictures(start, end, files, form, folder):
    from PIL import Image

    paths = _meant(start, files)
    new = {path for path in _in(end, folder) if path not in _in(start, folder)}
    names = {path: f"{os.path.splitext(os.path.basename(path))[0]}.{form}" for path in paths}
    assert new == set(names.values()), f"the new files are {sorted(new)}"
    for path, name in names.items():
        was, now = Image.open(start / path), Image.open(end / folder / name)
        wanted = {"jpg": "JPEG", "tif": "TIFF", "png": "PNG", "webp": "WEBP", "gif": "GIF", "bmp": "BMP"}[form]
        assert now.format == wanted, f"{name} is {now.format}"
        turns = {3: 180, 6: 270, 8: 90}.get(was.getexif().get(0x0112), 0)
        views = []
        for image, turn in ((was, turns), (now, 0)):
            image = image.convert("RGBA").rotate(turn, expand=True)
            views.append(Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB"))
        assert views[0].size == views[1].size, f"{name} has {views[1].size} pixels"
        limit = 25 if form == "gif" else 8
        assert _difference(*views) < limit, f"{name} looks different"
    return True, f"{_counted(len(paths), 'picture')} compared"
