def table_from_page(source: str, number: int, result: str) -> str:
    """Save a table of a web page that was saved as a file.

    source: the page, html
    number: which table, counted from the top; the first if left out
    result: the new file, csv or xlsx
    """
    import lxml.html

    tables, number = lxml.html.fromstring(_text(source)).xpath("//table[not(.//table)]"), number or 1
    if not 1 <= number <= len(tables):
        raise ValueError(f"{source} has {_counted(len(tables), 'table')}, and no table {number}")
    rows = []
    for line in tables[number - 1].xpath(".//tr"):
        row = []
        for cell in line.xpath("./th|./td"):
            span = int(cell.get("colspan", "1")) if cell.get("colspan", "1").isdigit() else 1
            row += [" ".join(cell.text_content().split()), *[""] * (span - 1)]
        rows.append(_row(row))
    left = _write(result, _written(rows), "")
    return f"{_counted(len(rows), 'row')} in {result}{left}"
