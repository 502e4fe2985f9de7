def check_remove_photo_details(start, end, files, folder):
    from PIL import Image

    paths = _meant(start, files)
    new = {path for path in _in(end, folder) if path not in _in(start, folder)}
    assert new == {os.path.basename(path) for path in paths}, f"the new files are {sorted(new)}"
    for path in paths:
        was, now = Image.open(start / path), Image.open(end / folder / os.path.basename(path))
        assert now.format == was.format, f"{path} became {now.format}"
        assert not dict(now.getexif()), f"{path} still has {dict(now.getexif())}"
        data = (end / folder / os.path.basename(path)).read_bytes()
        assert b"Exif\0\0" not in data and b"eXIf" not in data and b"ns.adobe.com/xap" not in data, (
            f"{path} still has details"
        )
        whole = was.convert("RGB").rotate({3: 180, 6: 270, 8: 90}.get(was.getexif().get(0x0112), 0), expand=True)
        assert whole.size == now.size, f"{path} has {now.size} pixels"
        assert _difference(whole, now.convert("RGB")) < 5, f"{path} looks different"
    return True, f"{_counted(len(paths), 'picture')} without details"
