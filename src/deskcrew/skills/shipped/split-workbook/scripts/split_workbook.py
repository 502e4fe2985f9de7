def split_workbook(source: str, folder: str) -> str:
    """Save each sheet of a workbook as a csv file.

    source: the workbook, xlsx
    folder: the folder for the new files, which are called like the sheets
    """
    import openpyxl

    book = openpyxl.load_workbook(source, data_only=True)
    names = [re.sub(r"[^\w .()-]", "_", sheet.title) for sheet in book.worksheets]
    places = [_free(Path(folder) / f"{name}.csv") for name in names]
    for sheet, place in zip(book.worksheets, places):
        rows = [[_said(value) for value in row] for row in sheet.iter_rows(values_only=True)]
        with place.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(row for row in rows if any(row))
    return f"{len(places)} sheets"
