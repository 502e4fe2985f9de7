def check_merge_pdfs(start, end, files, result):
    import pypdf

    def seen(path):
        return [
            (p.extract_text(), tuple(p.mediabox), p.rotation, p.get_contents().get_data() if p.get_contents() else b"")
            for p in pypdf.PdfReader(path).pages
        ]

    wanted = [page for path in _meant(start, files) for page in seen(start / path)]
    now = seen(end / result)
    assert len(now) == len(wanted), f"{len(now)} pages, not {len(wanted)}"
    for number, (one, other) in enumerate(zip(now, wanted), 1):
        assert one[:3] == other[:3], f"page {number} is another one"
        assert one[3].split() == other[3].split(), f"page {number} shows something else"
    _same_but(start, end, result)
    return True, f"{len(now)} pages"
