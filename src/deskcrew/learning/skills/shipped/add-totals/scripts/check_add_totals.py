def check_add_totals(start, end, source, columns, result):
    before, now = _both(start / source, end / result)
    _same_grid(now[:-1], _kept(before, result))
    wanted = [_place(before[0], name) for name in _list(columns)] if columns else range(len(before[0]))
    totals, label, found = now[-1], False, []
    for at, told in enumerate(totals):
        cells = [row[at] for row in before[1:] if row[at].strip()]
        numeric = len([cell for cell in cells if _ways(cell)[0]])
        if at in wanted and cells and (columns or numeric > len(cells) - numeric):
            amounts = _amounts(cells)
            assert amounts is not None, f"{before[0][at]} holds what is no number"
            total = sum(each for each in amounts if each is not None)
            [said] = _worked_out([told], cells, result)
            assert _near(said, total), f"{before[0][at]}: {told}"
            found.append(f"Total of {before[0][at]}: {_amount_said(total, _decimal_mark(cells) == ',')}")
        else:
            assert told == ("" if label else "Total"), f"{before[0][at]}: {told!r}"
            label = True
    return True, "\n".join(("added up again:", *found))
