def combine_tables(files: str, result: str) -> str:
    """Put the rows of several tables together into one; columns are matched by their headings.

    files: the tables in their order: names or patterns, separated by commas, such as *.csv
    result: the new file
    """
    tables = [_read(path) for path in _files(files)]
    heads = {}
    for table in tables:
        for value in table[0]:
            heads.setdefault(_plain(value), value)
    rows = []
    for head, *some in tables:
        places = {_plain(value): at for at, value in enumerate(head)}
        if len(places) < len(head):
            raise ValueError("A table has two columns with the same heading: rename one")
        rows += [_row([row[places[each]] if each in places else None for each in heads]) for row in some]
    left = _write(result, [_row(heads.values()), *rows], str(_files(files)[0]))
    return f"{_counted(len(rows), 'row')} from {_counted(len(tables), 'table')} in {result}{left}"
