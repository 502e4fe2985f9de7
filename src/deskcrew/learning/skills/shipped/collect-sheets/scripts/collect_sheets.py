def collect_sheets(files: str, result: str) -> str:
    """Put several tables into one workbook, a sheet for each file.

    files: the tables in their order: names or patterns, separated by commas, such as *.csv
    result: the new workbook, xlsx
    """
    import openpyxl

    if Path(result).suffix.lower() != ".xlsx":
        raise ValueError(f"{result} must end in .xlsx")
    book, paths, left = openpyxl.Workbook(), _files(files), ""
    book.remove(book.active)
    for path in paths:
        title = "".join("_" if each in "[]:*?/\\" else each for each in path.stem)[:31]
        if title.casefold() in (each.casefold() for each in book.sheetnames):
            raise ValueError(f"Two sheets would be called {title!r}: rename a file")
        rows = _read(path)
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append([_cell(value) for value in row])
        left += _left_open(rows)
    book.save(_new(result))
    return f"{_counted(len(paths), 'sheet')} in {result}{left}"
