def check_extract_pdf_pages(start, end, source, pages, result):
    before, now = _pages(start / source), _pages(end / result)
    numbers = [_numbers_in(part) for part in pages.split(",")]
    order = []
    for some in numbers:
        step = 1 if some[-1] >= some[0] else -1
        order += [n - 1 for n in range(some[0], some[-1] + step, step)]
    if "not" in pages.lower():
        order = [n for n in range(len(before)) if n not in order]
    assert len(now) == len(order), f"it has {_counted(len(now), 'page')}, not {len(order)}"
    wrong = [n + 1 for n, at in enumerate(order) if now[n] != before[at]]
    assert not wrong, f"page {wrong[0]} is another one"
    _same_but(start, end, result)
    return True, f"{_counted(len(now), 'page')} compared"
