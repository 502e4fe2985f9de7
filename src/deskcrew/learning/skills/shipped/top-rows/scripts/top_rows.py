def top_rows(source: str, column: str, count: int, end_of: str, result: str) -> str:
    """Keep the rows of a table with the largest or smallest values in a column, the first of them on top.

    source: the table, csv or xlsx
    column: the heading of the column, none for the first or last rows
    count: how many rows to keep, 1 if left out
    end_of: largest if left out; first or last as they stand
    result: the new file
    """
    head, *rows = _read(source)
    count = 1 if count is None else count
    if count < 1:
        raise ValueError("Keep at least one row")
    if bool(column) == (end_of in ("first", "last")):
        raise ValueError("Name a column, or say that the first or last rows are meant: end_of")
    if not column:
        kept = rows[-count:] if end_of == "last" else rows[:count]
        left = _write(result, [head, *kept], source)
        told = f"The {end_of} {len(kept)} of {_counted(len(rows), 'row')} kept{left}"
        return f"{told}\n{_rows_said([map(_said, row) for row in kept])}"
    at = _column([head], column, source)
    values = Column(rows, at)
    keys, kind = _ranks(values)
    if kind == "text":
        raise ValueError(f"{column} holds neither numbers nor dates")
    pairs = [(key, row) for key, row in zip(_mostly_read(values, keys, kind), rows) if key is not None]
    pairs.sort(key=lambda pair: pair[0], reverse=end_of != "smallest")
    left = _write(result, [head, *(row for _, row in pairs[:count])], source)
    read = _order_read(values) if kind == "date" else ""
    told = (
        f"{min(count, len(pairs))} of {_counted(len(rows), 'row')} kept{read}{_left_out(values, head[at], keys, kind)}{left}"
    )
    return f"{told}\n{_rows_said([map(_said, row) for _, row in pairs[:count]])}"
