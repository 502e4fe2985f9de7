def check_merge_pdfs(start, end, files, result):
    wanted = [page for path in _meant(start, files) for page in _pages(start / path)]
    now = _pages(end / result)
    assert len(now) == len(wanted), f"{_counted(len(now), 'page')}, not {len(wanted)}"
    for number, (one, other) in enumerate(zip(now, wanted), 1):
        assert one == other, f"page {number} is another one"
    _same_but(start, end, result)
    return True, f"{_counted(len(now), 'page')} compared"
