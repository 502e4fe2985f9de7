def check_compare_tables(start, end, source, other, key, result):
    (one, now), two = _both(start / source, end / result), _grid(start / other)
    by = []
    for grid in (one, two):
        at = _place(grid[0], key)
        by.append(
            {
                (" ".join(row[at].split()).lower(), head.strip().lower()): (row[at], cell)
                for row in grid[1:]
                for head, cell in zip(grid[0], row)
            }
        )
    ids = [{name for name, _ in some} for some in by]
    wanted = {(name, "gone", "", "", "") for name in ids[0] - ids[1]} | {
        (name, "new", "", "", "") for name in ids[1] - ids[0]
    }
    for name in ids[0] & ids[1]:
        for head in {each.strip().lower() for each in one[0] + two[0]} - {key.strip().lower()}:
            was, is_ = (some.get((name, head), ("", ""))[1] for some in by)
            wanted |= {(name, "changed", head, was, is_)} if was != is_ else set()
    width = max(len(row) for row in now)
    assert now[0] == [key, "difference", "column", "before", "now"][:width], f"the heading is {now[0]}"
    told = [row + [""] * (5 - width) for row in now[1:]]
    said = {(" ".join(row[0].split()).lower(), row[1], row[2].strip().lower(), row[3], row[4]) for row in told}
    names = {name for some in by for name, _ in some.values()} | set(one[0] + two[0])
    assert all(row[0] in names and row[2] in names | {""} for row in told), "a name is another one"
    assert said == wanted and len(said) == len(told), f"{sorted(said ^ wanted)[:1]}"
    rows, heads = [[name for name, _ in some] for some in by], [each.strip().lower() for each in one[0] + two[0]]
    order = [
        (
            kind != "gone",
            rows[kind != "gone"].index(" ".join(name.split()).lower()),
            head and heads.index(head.strip().lower()),
        )
        for name, kind, head, *_ in told
    ]
    assert order == sorted(order), "they are not in order"
    return True, f"{_counted(len(said), 'difference')} found again"
