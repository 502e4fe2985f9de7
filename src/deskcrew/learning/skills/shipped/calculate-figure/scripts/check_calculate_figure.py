def check_calculate_figure(start, end, source, operation, figures, result, **condition):
    before, now = _meant_rows(_grid(start / source)), _grid(end / result)
    at = _place(before[0], figures)
    texts = [row[at] for row in before[1:]]
    keep = _fitting(before, **condition)[0]
    amounts = _amounts(texts)
    assert amounts is not None, f"{before[0][at]} holds no numbers"
    some = sorted(amount for amount, fits in zip(amounts, keep) if fits and amount is not None)
    total = decimal.Decimal(0)
    for amount in some:
        total += amount
    wanted = {"sum": total, "average": total / len(some), "smallest": some[0], "largest": some[-1]}[operation]
    title = f"{operation} of {before[0][at]}"
    assert [row[0] for row in now[:1]] == [title] and len(now) == 2 and len(now[0]) == 1, f"it is {now}"
    assert _near(_worked_out(now[1], texts, result)[0], wanted), f"it says {now[1][0]}, not {wanted}"
    comma = _decimal_mark(texts) == ","
    told = f"{operation.capitalize()} of {before[0][at]}: {_amount_said(wanted, comma)}"
    return True, f"{told} ({_counted(len(some), 'row')}{f' of {len(texts):,}' if condition['column'] else ''})"
