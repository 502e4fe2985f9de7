def split_workbook(source: str, folder: str) -> str:
    """Save each sheet of a workbook as a csv file.

    source: the workbook, xlsx
    folder: the folder for the new files, which are called like the sheets
    """
    import openpyxl

    book = openpyxl.load_workbook(source, data_only=True)
    titles = [sheet.title for sheet in book.worksheets]
    names = ["".join(each if each.isalnum() or each in "_ .()-" else "_" for each in title) for title in titles]
    places = [_free(Path(folder) / f"{name}.csv") for name in names]
    for sheet, place in zip(book.worksheets, places):
        rows = [[_said(value) for value in row] for row in sheet.iter_rows(values_only=True)]
        with place.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(row for row in rows if any(row))
    return f"{_counted(len(places), 'sheet')} saved in {folder}"
