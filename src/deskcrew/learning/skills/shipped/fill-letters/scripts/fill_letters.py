def fill_letters(template: str, table: str, name: str, folder: str) -> str:
    """Write a letter for each row of a table: a copy of a document in which {{Heading}} is replaced by the row's value.

    template: the document with {{Heading}} in it, docx
    table: the table, csv or xlsx
    name: the heading of the column that the new files are called by
    folder: the folder for the letters
    """
    import docx

    head, *rows = _read(table)
    at, places = _column([head], name, table), []
    marks = set(re.findall(r"\{\{[^{}]+\}\}", "\n".join(each.text for each in _paragraphs(docx.Document(template)))))
    known = {f"{{{{{_said(value).strip()}}}}}": place for place, value in enumerate(head)}
    if not marks:
        raise ValueError(f"{template} has no {{{{Heading}}}} in it")
    if strange := next((mark for mark in marks if mark not in known), None):
        raise ValueError(f"{table} has no column for {strange}. It has: {', '.join(known)}")
    for row in rows:
        called = "".join("_" if each in '\\/:*?"<>|' else each for each in _said(row[at]).strip())
        if not called or called in places:
            raise ValueError(f"Two rows have the {name} {called!r}" if called else f"A row has no {name}")
        places.append(called)
        _new(Path(folder) / f"{called}.docx")
    for row, called in zip(rows, places):
        document = docx.Document(template)
        for paragraph in _paragraphs(document):
            _replaced(paragraph, {mark: _said(row[known[mark]]) for mark in marks})
        document.save(Path(folder) / f"{called}.docx")
    return f"{_counted(len(rows), 'letter')} in {folder}"
