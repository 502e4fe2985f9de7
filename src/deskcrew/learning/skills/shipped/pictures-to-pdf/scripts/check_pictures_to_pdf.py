def check_pictures_to_pdf(start, end, files, result):
    import io

    import pypdf
    from PIL import Image

    paths, pages = _meant(start, files), pypdf.PdfReader(end / result).pages
    assert len(pages) == len(paths), f"it has {_counted(len(pages), 'page')}, not {len(paths)}"
    for path, page in zip(paths, pages):
        with Image.open(start / path) as image:
            turns = {3: 180, 6: 270, 8: 90}.get(image.getexif().get(0x0112), 0)
            base = Image.new("RGBA", image.size, (255, 255, 255, 255))
            was = Image.alpha_composite(base, image.convert("RGBA")).convert("RGB").rotate(turns, expand=True)
        assert page.rotation == 0 and len(page.images) == 1, f"the page of {path} shows something else"
        now = Image.open(io.BytesIO(page.images[0].data)).convert("RGB")
        assert now.size == was.size, f"{path} has {now.size} pixels"
        wide, high = page.mediabox.width, page.mediabox.height
        assert abs(float(wide) * was.height - float(high) * was.width) < 2 * max(was.size), f"{path} is stretched"
        assert _difference(now, was) < 8, f"{path} looks different"
    _same_but(start, end, result)
    return True, f"{_counted(len(pages), 'page')} compared with the pictures"
