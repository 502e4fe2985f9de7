def check_rotate_pdf_pages(start, end, source, turn, pages, result):
    before, now = _pages(start / source), _pages(end / result)
    assert len(before) == len(now), f"it has {_counted(len(now), 'page')}"
    ranges = [_numbers_in(part) for part in (pages or "").split(",") if part.strip()]
    count = 0
    for number, (was, page) in enumerate(zip(before, now), 1):
        turned = not ranges or any(some[0] <= number <= some[-1] for some in ranges)
        turn_now = (was[2] + turned * {"right": 90, "left": -90, "upside down": 180}[turn]) % 360
        assert page[2] == turn_now, f"page {number} is turned by {page[2]}"
        assert page[:2] + page[3:] == was[:2] + was[3:], f"page {number} shows something else"
        count += turned
    _same_but(start, end, result)
    return True, f"{_counted(count, 'page')} turned, all else as it was"
