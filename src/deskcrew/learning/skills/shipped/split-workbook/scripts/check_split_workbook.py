def check_split_workbook(start, end, source, folder):
    import openpyxl

    book = openpyxl.load_workbook(start / source, data_only=True)
    new = sorted(path for path in _in(end, folder) if path not in _in(start, folder))
    names = {
        "".join(each if each.isalnum() or each in "_ .()-" else "_" for each in title) + ".csv": title
        for title in book.sheetnames
    }
    assert new == sorted(names), f"the files are {new}"
    for name, title in names.items():
        rows = [[_cell(cell.value) for cell in row] for row in book[title].rows]
        with open(end / folder / name, encoding="utf-8", newline="") as file:
            assert [*csv.reader(file)] == [row for row in rows if any(row)], f"{name} has other values"
    return True, f"{_counted(len(names), 'sheet')} compared"
