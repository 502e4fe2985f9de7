def check_add_totals(start, end, source, columns, result):
    before, now = _grid(start / source), _grid(end / result)
    _same_grid(now[:-1], before)
    wanted = [_place(before[0], name) for name in _list(columns)] if columns else range(len(before[0]))
    totals, label = now[-1], False
    for at, told in enumerate(totals):
        amounts = _amounts([row[at] for row in before[1:]]) if at in wanted else None
        if amounts and any(amount is not None for amount in amounts):
            [said] = _worked_out([told], [row[at] for row in before[1:]], result)
            assert _near(said, sum(amount for amount in amounts if amount is not None)), f"{before[0][at]}: {told}"
        else:
            assert told == ("" if label else "Total"), f"{before[0][at]}: {told!r}"
            label = True
    return True, f"the last row is {totals}"
