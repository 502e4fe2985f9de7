def check_compare_folders(start, end, folder, other, result):
    one, two, now = _in(start, folder), _in(start, other), _grid(end / result)
    assert now[0] == ["file", "difference"], f"the heading is {now[0]}"
    told = {row[0]: row[1] for row in now[1:]}
    assert len(told) == len(now) - 1, "a file is listed twice"
    for path in {*one, *two}:
        a, b = one.get(path), two.get(path)
        wanted = None if a == b else "different" if None not in (a, b) else f"only in {other if a is None else folder}"
        assert told.pop(path, None) == wanted, f"{path}: {wanted}"
    assert not told, f"{next(iter(told))} is in neither"
    assert [row[0] for row in now[1:]] == sorted((row[0] for row in now[1:]), key=_padded), "they are not in order"
    return True, f"{_counted(len({*one, *two}), 'file')} compared"
