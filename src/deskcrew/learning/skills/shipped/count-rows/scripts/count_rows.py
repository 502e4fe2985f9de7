def count_rows(source: str, column: str, condition: str, value: str, result: str) -> str:
    """Count the rows of a table, all or those in which a column fulfils a condition.

    source: the table, csv or xlsx
    column: the heading of the column of the condition
    condition: what must hold
    value: the text, number, date, month or year to compare with
    result: the new file
    """
    head, *rows = _read(source)
    holds, passed = _fulfil(head, rows, column, condition, value, source)
    count = sum(holds)
    _write(result, [_row(["rows"]), _row([count])], "")
    return f"{_counted(count, 'row')} of {len(rows):,}\n{passed.removeprefix('; ')}" if column else _counted(count, "row")
