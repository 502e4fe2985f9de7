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
        keys, limit, kind = _compared(Column(rows, at), value, strict=condition not in ("is", "is not"))
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
    compared = condition in ("more than", "less than", "at least", "at most")
    read = _order_read(Column(rows, at)) if compared and kind == "date" else ""
    passed = read + _left_out(Column(rows, at), head[at], keys, kind) if compared else ""
    left = _write(result, [head, *kept], source)
    looked = _counted(len(rows), "row")
    told = f"{len(kept)} of {looked} kept" if kept else f"No row fits; {looked} looked at"
    return f"{told}{passed}{left}"


def _date_among(value, column):
    """A date that somebody asked for, in the order of those of a column; None if it is none."""
    if not any(_date(value, way) for way in (True, False)):
        return None
    day_first = _day_first(column)
    if day_first is None and _two_ways(value):
        raise ValueError(f"{_can_be(value)}: write it as 2026-12-31")
    return _date(value, day_first is not False) or _date(value, day_first is False)


def _compared(column, value, strict):
    """A column and a value as they are compared, and as what: as numbers or dates if the value is one, and else as texts,
    None for an empty cell. ``strict``: most of the column must be of that kind, and the rest is None; if not, codes such
    as 007 are texts."""
    texts = [_plain(each) or None for each in column]
    if not strict and any(_is_code(each or "") for each in (_plain(value), *texts)):
        return texts, _plain(value), "value"
    if (limit := _amount(value, column)) is not None:
        keys, kind = _figures(column)[0], "number"
    elif (limit := _date_among(value, column)) is not None:
        keys, kind = _days(column), "date"
    else:
        ranks, kind = _ranks(column) if strict else ([], "text")
        if kind != "text":
            at = next(at for at, each in enumerate(ranks) if each is not None)
            raise ValueError(f"{value!r} is no {kind}, but {_said(column[at])!r} in row {column.at[at]} is one")
        return texts, _plain(value), "value"
    if strict:
        return _mostly_read(column, keys, kind), limit, kind
    return [text if key is None else key for key, text in zip(keys, texts)], limit, kind
