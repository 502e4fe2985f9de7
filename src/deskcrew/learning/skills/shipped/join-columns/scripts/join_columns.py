def join_columns(source: str, columns: str, separator: str, name: str, result: str) -> str:
    """Put the values of several columns of a table together into a new column at its end.

    source: the table, csv or xlsx
    columns: the headings of the columns in their order, separated by commas
    separator: what stands between the values; a blank if left out
    name: the heading of the new column
    result: the new file
    """
    head, *rows = _read(source)
    if _plain(name) in map(_plain, head):
        raise ValueError(f"{source} has a column {name!r} already")
    places, mark = _columns([head], columns, source), separator or " "
    made = [_row([*row, mark.join(filter(None, (_said(row[at]).strip() for at in places)))], row.at) for row in rows]
    left = _write(result, [_row([*head, name], head.at), *made], source, [*range(len(head)), places[0]])
    return f"{_counted(len(rows), 'value')} in {name}{left}"
