def table_from_document(source: str, number: int, result: str) -> str:
    """Save a table in a document as a csv file or workbook.

    source: the document, docx
    number: which table, counted from the top; the first if left out
    result: the new file, csv or xlsx
    """
    import docx

    tables, number = docx.Document(source).tables, number or 1
    if not 1 <= number <= len(tables):
        raise ValueError(f"{source} has {_counted(len(tables), 'table')}, and no table {number}")
    rows = [_row(" ".join(cell.text.split()) for cell in row.cells) for row in tables[number - 1].rows]
    left = _write(result, _written(rows), "")
    return f"{_counted(len(rows), 'row')} in {result}{left}"
