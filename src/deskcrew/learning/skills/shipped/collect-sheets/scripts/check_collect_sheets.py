def check_collect_sheets(start, end, files, result):
    import openpyxl

    book = openpyxl.load_workbook(end / result)
    paths = _meant(start, files)
    assert len(book.sheetnames) == len(paths), f"the sheets are {book.sheetnames}"
    for title, path in zip(book.sheetnames, paths):
        name = pathlib.Path(path).stem
        assert len(title) == len(name[:31]) and all(a == b or a == "_" for a, b in zip(title, name)), (
            f"{path} became {title}"
        )
        was = _grid(start / path)
        now = [[_cell(cell.value) for cell in row] for row in book[title].rows]
        assert now[:1] == was[:1] and len(now) == len(was), f"{title} has other rows"
        for at, head in enumerate(was[0]):
            a, b = [row[at] for row in was[1:]], [row[at] for row in now[1:]]
            code = any(map(_is_code, a))
            assert a == b or (not code and (x := _amounts(a)) and x == _amounts(b)), f"{title}, {head}: {b}"
    return True, f"{len(paths)} sheets with the same values"
