def check_reformat_dates(start, end, source, column, form, order, result):
    before, now = _both(start / source, end / result)
    at = _place(before[0], column)
    rest = lambda rows: [row[:at] + row[at + 1 :] for row in rows]
    assert now[0] == before[0], f"the heading is {now[0]}"
    _same_grid(rest(now), rest(_kept(before, result)))
    days = _days([row[at] for row in before[1:]], order)
    assert days is not None, f"{column} holds what is no date"
    long = (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    )  # fmt: skip
    if _is_book(result) and "31" in form:
        assert [row[at] for row in now[1:]] == [f"{day}" if day else "" for day in days], "the days are other ones"
        assert all(type(row[at]) is _Dated for row in now[1:] if row[at]), "some are no dates"
        _shown(end / result, at, form)
        return True, f"{_counted(len(days), 'date')} read again"
    for day, row in zip(days, now[1:], strict=True):
        told = row[at]
        if day is None:
            assert not told.strip(), f"{told} was empty"
            continue
        wanted = form.replace("December", long[day.month - 1])
        for sample, value in (
            ("2026", str(day.year).zfill(4)),
            ("12", str(day.month).zfill(2)),
            ("31", str(day.day).zfill(2) if "December" not in form else str(day.day)),
        ):
            wanted = re.sub(rf"(?<!\d){sample}(?!\d)", f"<{value}>", wanted) if f"<{sample}>" not in wanted else wanted
        wanted = wanted.replace("<", "").replace(">", "")
        assert told == wanted, f"{told} is not {wanted}"
    return True, f"{_counted(len(days), 'date')} read again"


def _shown(path, at, form):
    """Whether the dates of a workbook are shown in a form."""
    import openpyxl

    sheet = openpyxl.load_workbook(path).worksheets[0]
    said = {"yyyy": "2026", "mmmm": "December", "mm": "12", "dd": "31", "d": "31"}
    for row in sheet.iter_rows(min_row=2, min_col=at + 1, max_col=at + 1):
        shown = re.sub("[a-z]+", lambda found: said.get(found[0], "?"), row[0].number_format)
        assert row[0].value is None or shown == form, f"{row[0].coordinate} is shown as {shown}"
