def select_columns(source: str, columns: str, do: str, result: str) -> str:
    """Keep some columns of a table, in the order given, or leave them out.

    source: the table, csv or xlsx
    columns: the headings of the columns, separated by commas
    do: what becomes of these columns
    result: the new file
    """
    rows = _read(source)
    places = _columns(rows, columns, source)
    if do == "leave out":
        places = [at for at in range(len(rows[0])) if at not in places]
        if not places:
            raise ValueError(f"{source} has no other columns")
    left = _write(result, [_row([row[at] for at in places], row.at) for row in rows], source, places)
    return f"{_counted(len(places), 'column')} in {result}{left}"
