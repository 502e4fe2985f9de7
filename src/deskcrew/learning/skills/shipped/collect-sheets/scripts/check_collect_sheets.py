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
        was = _kept(_grid(start / path), result)
        now = [[_cell(cell.value) for cell in row] for row in book[title].rows]
        _same_grid(now, was)
    return True, f"{_counted(len(paths), 'sheet')} with the same values"
