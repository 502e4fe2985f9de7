def compare_tables(source: str, other: str, key: str, result: str) -> str:
    """List what differs between an old and a new version of a table: rows that are new or gone, and values that changed.

    source: the old table, csv or xlsx
    other: the new table, csv or xlsx
    key: the heading of the column that tells the rows apart
    result: the new file with one line for each difference
    """
    tables = []
    for path in (source, other):
        head, *rows = _read(path)
        at = _column([head], key, path)
        found = {}
        for row in rows:
            if _plain(row[at]) in found:
                raise ValueError(f"{path} has {_said(row[at])!r} twice in {key}")
            values = {_plain(name): _said(value) for name, value in zip(head, row)}
            found[_plain(row[at])] = (_said(row[at]), values)
        tables.append((head, found))
    (head, old), (heads, new) = tables
    lines = [[told, "gone", "", "", ""] for name, (told, _) in old.items() if name not in new]
    for name, (told, values) in new.items():
        if name not in old:
            lines.append([told, "new", "", "", ""])
            continue
        for column in {_plain(each): _said(each) for each in (*head, *heads)}.items():
            was, now = old[name][1].get(column[0], ""), values.get(column[0], "")
            if was != now and column[0] != _plain(key):
                lines.append([told, "changed", column[1], was, now])
    _write(result, [_row(each) for each in ([key, "difference", "column", "before", "now"], *lines)], source, [None] * 5)
    return f"{_counted(len(lines), 'difference')} listed in {result}"
