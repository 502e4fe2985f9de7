def check_sum_column_by_group(start, end, source, group, column, result, **how):
    before, now = _both(start / source, end / result)
    count, operation = how["count"], how["operation"] or "sum"
    by, at = _place(before[0], group), _place(before[0], column)
    name = lambda row: _same(row[by])
    counted = operation == "count"
    amounts = (
        [decimal.Decimal(1) if row[at] else None for row in before[1:]]
        if counted
        else _amounts([row[at] for row in before[1:]])
    )
    order = list(dict.fromkeys(map(name, before[1:])))
    assert amounts is not None, f"{before[0][at]} holds no numbers"
    assert now[0] == [before[0][by], f"{operation} of {before[0][at]}"], f"the heading is {now[0]}"
    assert len(now) - 1 == min(count or len(order), len(order)), "the groups are other ones"
    of_group, found = {}, []
    for amount, each, cells in zip(amounts, before[1:], _kept(before, result)[1:]):
        of_group.setdefault(name(each), []).append((amount, cells[by]))
    texts = [] if counted else [row[at] for row in before[1:]]
    if count:
        largest = _largest_groups(of_group, operation)
        order = [_same(row[0]) for row in now[1:]]
        assert (
            len({*order}) == len(order) and [largest[key] for key in order] == sorted(largest.values())[::-1][: len(order)]
        )
    for key, row, told in zip(order, now[1:], _worked_out([row[1] for row in now[1:]], texts, result)):
        assert row[0] in [named for _, named in of_group[key]], f"{row[0]} is no group"
        some = sorted(amount for amount, _ in of_group[key] if amount is not None)
        total = decimal.Decimal(0)
        for amount in some:
            total += amount
        wanted = {
            "sum": some and total,
            "count": total,
            "average": some and total / len(some),
            "smallest": some and some[0],
            "largest": some and some[-1],
        }[operation]
        assert _near(told, None if wanted == [] else wanted), f"{row[0]}: {row[1]}, not {wanted}"
        found.append((row[0], None if wanted == [] else wanted))
    comma = bool(texts) and _decimal_mark(texts) == ","
    said = _amounts_said(f"{operation.capitalize()} of {before[0][at]}", found, comma)
    return True, f"{_counted(len(order), 'group')} worked out again:\n{said}"


def _largest_groups(of_group, operation):
    """What the groups are ranked by."""
    work = {"sum": sum, "count": len, "average": lambda some: sum(some) / len(some), "smallest": min, "largest": max}
    some = {key: [amount for amount, _ in pairs if amount is not None] for key, pairs in of_group.items()}
    return {key: (1, work[operation](each)) if each else (0, 0) for key, each in some.items()}
