def check_resize_pictures(start, end, files, longest, side, folder):
    from PIL import Image

    paths = _meant(start, files)
    new = {path for path in _in(end, folder) if path not in _in(start, folder)}
    assert new == {os.path.basename(path) for path in paths}, f"the new files are {sorted(new)}"
    for path in paths:
        was, now = Image.open(start / path), Image.open(end / folder / os.path.basename(path))
        assert now.format == was.format, f"{path} became {now.format}"
        turns = {3: 180, 6: 270, 8: 90}.get(was.getexif().get(0x0112), 0)
        whole = was.convert("RGBA").rotate(turns, expand=True)
        at = whole.size.index(max(whole.size)) if not side else int(side == "height")
        factor = min(1, longest / whole.size[at])
        wanted = [max(1, side * factor) for side in whole.size]
        assert all(abs(a - b) < 1 for a, b in zip(now.size, wanted)), f"{path} has {now.size} pixels, not {wanted}"
        assert factor == 1 or now.size[at] == longest, f"that side of {path} has {_counted(now.size[at], 'pixel')}"
        other = whole.resize(now.size, Image.Resampling.BOX).convert("RGB")
        assert _difference(now.convert("RGBA").convert("RGB"), other) < 12, f"{path} looks different"
    return True, f"{_counted(len(paths), 'picture')} compared with the large ones"
