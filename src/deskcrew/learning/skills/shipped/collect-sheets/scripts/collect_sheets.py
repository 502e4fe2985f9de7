def collect_sheets(files: str, result: str) -> str:
    """Put several tables into one workbook, a sheet for each file.

    files: the tables in their order: names or patterns, separated by commas, such as *.csv
    result: the new workbook, xlsx
    """
    import openpyxl

    if Path(result).suffix.lower() != ".xlsx":
        raise ValueError(f"{result} must end in .xlsx")
    book, paths = openpyxl.Workbook(), _files(files)
    book.remove(book.active)
    for path in paths:
        title = "".join("_" if each in "[]:*?/\\" else each for each in path.stem)[:31]
        if title.casefold() in (each.casefold() for each in book.sheetnames):
            raise ValueError(f"Two sheets would be called {title!r}: rename a file")
        rows = _read(path)
        columns = [_typed(Column(rows[1:], at)) for at in range(len(rows[0]))]
        sheet = book.create_sheet(title)
        for row in (rows[0], *zip(*columns)):
            sheet.append([None if value == "" else value for value in row])
    book.save(_new(result))
    return f"{len(paths)} sheets"


def _typed(values):
    """A column as numbers where all of it is, without a unit; what begins with 0 is no number but a code."""
    if any(_is_code(_said(value).strip()) for value in values):
        return values
    try:
        numbers = [_told(number, False, "a.xlsx") for number in _numbers(values)]
        return values if _figures(values)[1] else numbers
    except ValueError:
        return values
