def check_reformat_dates(start, end, source, column, form, order, result):
    before, now = _grid(start / source), _grid(end / result)
    at = _place(before[0], column)
    rest = lambda rows: [row[:at] + row[at + 1 :] for row in rows]
    assert now[0] == before[0] and rest(now) == rest(before), "another column changed"
    days = _days([row[at] for row in before[1:]], order)
    assert days is not None, f"{column} holds what is no date"
    long = (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    )
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
    return True, f"{len(days)} dates read again"
