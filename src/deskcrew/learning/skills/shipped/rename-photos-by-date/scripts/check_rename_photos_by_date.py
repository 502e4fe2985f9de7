def check_rename_photos_by_date(start, end, folder):
    from PIL import Image

    before, now = _in(start, folder, deep=False), _in(end, folder, deep=False)
    left, count = dict(now), 0
    for name in sorted(before, key=_padded):
        data, stamp, ending = before[name], None, os.path.splitext(name)[1].lower()
        if ending in (".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".png"):
            exif = Image.open(start / (folder or ".") / name).getexif()
            inner = exif.get_ifd(34665)
            stamp = inner.get(36867, exif.get(306))
        if not stamp:
            assert left.pop(name, None) == data, f"{name} says no time, and was changed"
            continue
        day, time = str(stamp).split(" ")
        base = day.replace(":", "-") + " " + time.replace(":", ".")
        fit = sorted((each for each in left if _is_copy(each, base, ending)), key=lambda each: (len(each), each))
        assert fit and left.pop(fit[0]) == data, f"{name} of {stamp} has another name"
        count += 1
    assert not left, f"{sorted(left)[0]} should not be there"
    assert count, "no photo has a time"
    return True, f"{_counted(count, 'photo')} compared with the times taken"
