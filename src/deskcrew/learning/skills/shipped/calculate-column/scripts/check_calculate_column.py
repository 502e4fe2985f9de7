def check_calculate_column(start, end, source, first, operation, second, name, result):
    before, now = _both(start / source, end / result)
    wide = len(before[0])
    assert now[0] == before[0] + [name], f"the heading is {now[0]}"
    _same_grid([row[:wide] for row in now], _kept(before, result))
    heads = [cell.strip().lower() for cell in before[0]]
    two = second.strip().lower()
    one = [row[heads.index(first.strip().lower())] for row in before[1:]]
    other = [row[heads.index(two)] if two in heads else second for row in before[1:]]
    a, b = _amounts(one), _amounts(other) if two in heads else [_amount(second, one)] * len(one)
    texts = one if _decimal_mark(one) else other if two in heads else [str(b[0]) if "." in _ways(second)[0] else second]
    divides = ("divided by", "percent of") if two in heads else ("divided by",)
    for row, x, y, told in zip(now[1:], a, b, _worked_out([row[wide] for row in now[1:]], texts, result)):
        if x is None or y is None or (y == 0 and operation in divides):
            assert told is None, f"{row} has a value"
            continue
        # the inverse operation leads back
        back = {
            "plus": lambda: told - y == x,
            "minus": lambda: told + y == x,
            "times": lambda: _near(told, x * y),
            "divided by": lambda: _near(told * y, x),
            "percent of": lambda: _near(told * y / 100, x) if two in heads else _near(told * 100, x * y),
        }
        assert told is not None and back[operation](), f"{x} {operation} {y} is not {told}"
    return True, f"{_counted(len(now) - 1, 'value')} worked out again"
