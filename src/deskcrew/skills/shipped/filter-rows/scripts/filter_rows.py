def filter_rows(source: str, column: str, condition: str, value: str, result: str) -> str:
    """Keep the rows of a table in which a column fulfils a condition.

    source: the table, csv or xlsx
    column: the heading of the column
    condition: what must hold
    value: the text, number or date to compare with
    result: the new file
    """
    head, *rows = _read(source)
    at = _column([head], column, source)
    if value is None and "empty" not in condition:
        raise ValueError(f"Say what it {condition}: value")
    texts = [_plain(row[at]) for row in rows]
    if condition in ("is empty", "is not empty"):
        holds = [(text == "") == (condition == "is empty") for text in texts]
    elif "contain" in condition:
        holds = [(_plain(value) in text) == (condition == "contains") for text in texts]
    else:
        *keys, limit = _keys([*(row[at] for row in rows), value])
        tests = {
            "is": lambda key: key == limit,
            "is not": lambda key: key != limit,
            "more than": lambda key: key is not None and key > limit,
            "less than": lambda key: key is not None and key < limit,
            "at least": lambda key: key is not None and key >= limit,
            "at most": lambda key: key is not None and key <= limit,
        }
        holds = [tests[condition](key) for key in keys]
    kept = [row for row, held in zip(rows, holds) if held]
    _write(result, [head, *kept], source)
    return f"{len(kept)} of {len(rows)} rows kept"
