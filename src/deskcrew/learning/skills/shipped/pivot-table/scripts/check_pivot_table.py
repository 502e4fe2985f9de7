def check_pivot_table(start, end, source, rows, columns, values, operation, result):
    before, now = _both(start / source, end / result)
    down, across, at = (_place(before[0], name) for name in (rows, columns, values))
    texts = [row[at] for row in before[1:]]
    amounts = [decimal.Decimal(1) if text else None for text in texts] if operation == "count" else _amounts(texts)
    heads = sorted({row[across].strip() for row in before[1:]})
    names = list(dict.fromkeys(row[down].strip() for row in before[1:]))
    assert now[0] == [before[0][down], *heads], f"the heading is {now[0]}"
    assert [row[0] for row in now[1:]] == names, "the rows are other ones"
    of_cell = {}
    for amount, each in zip(amounts, before[1:]):
        if amount is not None:
            of_cell.setdefault((each[down].strip(), each[across].strip()), []).append(amount)
    for row in now[1:]:
        told = _worked_out(row[1:], [] if operation == "count" else texts, result)
        for head, said in zip(heads, told):
            some = of_cell.get((row[0], head))
            assert _near(said, sum(some) if some else None), f"{row[0]}, {head}: {said}"
    return True, f"{_counted(len(names) * len(heads), 'cell')} worked out again"
