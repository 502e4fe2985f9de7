def check_split_pdf(start, end, source, pages, folder):
    before = _in(start, folder)
    new = sorted((path for path in _in(end, folder) if path not in before), key=_padded)
    stem = os.path.splitext(os.path.basename(source))[0]
    assert all(_is_part(path, stem, n, ".pdf") for n, path in enumerate(new, 1)), f"they are {new}"
    parts = [_pages(end / folder / path) for path in new]
    assert [page for part in parts for page in part] == _pages(start / source), "together they are not the PDF"
    count = pages or 1
    assert all(len(part) == count for part in parts[:-1]) and 0 < len(parts[-1]) <= count, "the parts have other lengths"
    return True, f"{_counted(len(parts), 'part')}, together the whole"
