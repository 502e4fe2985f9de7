def join_tables(source: str, other: str, key: str, result: str) -> str:
    """Look up the rows of a table in another one by a column that both have, and add what that says.

    source: the table that gets more columns, csv or xlsx
    other: the table in which these are looked up, csv or xlsx
    key: the heading of the column that both have
    result: the new file
    """
    (head, *rows), (added, *more) = _read(source), _read(other)
    at, there = _column([head], key, source), _column([added], key, other)
    found = {}
    for row in more:
        name = _plain(row[there])
        if name in found:
            raise ValueError(f"{other} has {_said(row[there])!r} twice in {key}")
        found[name] = [value for place, value in enumerate(row) if place != there]
    rest = [value for place, value in enumerate(added) if place != there]
    made = [_row([*head, *rest], head.at)]
    made += [_row([*row, *found.get(_plain(row[at]), [None] * len(rest))], row.at) for row in rows]
    left = _write(result, made, source, [*range(len(head)), *[None] * len(rest)])
    missed = sum(_plain(row[at]) not in found for row in rows)
    return f"{_counted(len(rows) - missed, 'row')} found in {other}, {missed} not{left}"
