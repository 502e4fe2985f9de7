def check_rotate_pdf_pages(start, end, source, turn, pages, result):
    import pypdf

    before, now = (pypdf.PdfReader(path).pages for path in (start / source, end / result))
    assert len(before) == len(now), f"it has {len(now)} pages"
    ranges = [[int(n) for n in re.findall(r"\d+", part)] for part in (pages or "").split(",") if part.strip()]
    count = 0
    for number, (was, page) in enumerate(zip(before, now), 1):
        turned = not ranges or any(some[0] <= number <= some[-1] for some in ranges)
        wanted = (was.rotation + turned * {"right": 90, "left": -90, "upside down": 180}[turn]) % 360
        assert page.rotation % 360 == wanted, f"page {number} is turned by {page.rotation}"
        raw = lambda p: p.get_contents().get_data().split() if p.get_contents() else []
        assert (page.extract_text(), list(page.mediabox), raw(page)) == (was.extract_text(), list(was.mediabox), raw(was)), (
            f"page {number} shows something else"
        )
        count += turned
    _same_but(start, end, result)
    return True, f"{count} pages"
