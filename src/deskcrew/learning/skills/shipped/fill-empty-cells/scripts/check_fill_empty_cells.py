def check_fill_empty_cells(start, end, source, column, value, result):
    before, now = _grid(start / source), _grid(end / result)
    at, filled = _place(before[0], column), 0
    assert len(before) == len(now) and before[0] == now[0], "it has other rows"
    for number in range(1, len(now)):
        was, row = before[number], now[number]
        assert was[:at] + was[at + 1 :] == row[:at] + row[at + 1 :], f"row {number + 1} is another one"
        if was[at].strip():
            assert row[at] == was[at], f"{was[at]} became {row[at]}"
            continue
        wanted = value if value is not None else now[number - 1][at] if number > 1 else ""
        assert row[at].strip() == wanted.strip(), f"row {number + 1} holds {row[at]!r}"
        filled += row[at] != ""
    assert filled, "nothing was filled"
    return True, f"{filled} cells"
