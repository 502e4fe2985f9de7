def filter_rows(source: str, column: str, condition: str, value: str, result: str) -> str:
    """Keep the rows of a table in which a column fulfils a condition.

    source: the table, csv or xlsx
    column: the heading of the column
    condition: what must hold
    value: the text, number, date, month or year to compare with
    result: the new file
    """
    head, *rows = _read(source)
    holds, passed = _fulfil(head, rows, column, condition, value, source)
    kept = [row for row, held in zip(rows, holds) if held]
    left = _write(result, [head, *kept], source)
    looked = _counted(len(rows), "row")
    told = f"{len(kept)} of {looked} kept{passed}{left}" if kept else f"No row fits; {looked} looked at{passed}{left}"
    return f"{told}\n{_rows_said([map(_said, row) for row in kept])}"
