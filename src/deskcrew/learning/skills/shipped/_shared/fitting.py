"""Which rows of a table fulfil a condition, for programs that check it."""

HOW = (
    "is", "is not", "is empty", "is not empty", "contains", "does not contain", "more than", "less than", "at least", "at most",
)  # fmt: skip


def _those_that_fit(grid):
    """The heading of a grid and the rows that are meant by WHERE."""
    begins = [f"{head.strip()} {how}" for head in grid[0] for how in HOW if head.strip()]
    begun = lambda at: [each for each in begins if f"{WHERE[at:]} ".lower().startswith(f"{each} ".lower())]
    places = [at for at in range(len(WHERE)) if WHERE[:at].endswith(" and ") or not at]
    starts = [at for at in places if begun(at)]
    assert starts[:1] == [0], f"{WHERE} is no condition"
    keep = [True] * (len(grid) - 1)
    for at, end in zip(starts, [*(at - len(" and ") for at in starts[1:]), len(WHERE)]):
        begin = max(begun(at), key=len)
        how = max((each for each in HOW if begin.endswith(f" {each}")), key=len)
        found, _ = _fitting(grid, begin[: -len(how) - 1], how, WHERE[at + len(begin) : end].strip())
        keep = [one and other for one, other in zip(keep, found)]
    return [grid[0], *(row for row, kept in zip(grid[1:], keep) if kept)]


def _of_period(value):
    """The year and the month of what somebody asked for, None for what it does not say; None if it is neither."""
    word, _, year = value.strip().lower().rpartition(" ")
    if year and not (year.isdecimal() and len(year) == 4):
        word, year = value.strip().lower(), ""
    word = word.strip().rstrip(".")
    if not word:
        return (int(year), None) if year else None
    named = {"ene": 1, "fév": 2, "mär": 3, "abr": 4, "avr": 4, "mai": 5, "juin": 6, "juil": 7, "ago": 8, "aoû": 8}
    named |= {"okt": 10, "dic": 12, "dez": 12, "déc": 12} | {name: at for at, name in enumerate(NAMED, 1)}
    month = next((at for name, at in named.items() if word.startswith(name)), None)
    return (int(year) if year else None, month) if month and word.isalpha() and len(word) <= 10 else None


def _fitting(grid, column, condition, value):
    """Whether each row below the heading of a grid fulfils a condition, if there is one, and what is said of those that
    cannot."""
    if not column:
        return [True] * (len(grid) - 1), ""
    at = _place(grid[0], column)
    raw = [row[at] for row in grid[1:]]
    if value and " or " in value and _same(value) not in map(_same, raw):
        several, said = zip(*(_fitting(grid, column, condition, one) for one in value.split(" or ")))
        return [all(each) if "not" in condition else any(each) for each in zip(*several)], said[0]
    cells, like = [_same(text) for text in raw], _same(value or "")
    if condition.endswith("empty") or "contain" in condition:
        found = [not cell if condition.endswith("empty") else like in cell for cell in cells]
        return [each != ("not" in condition) for each in found], ""
    exact, period = condition in ("is", "is not"), _of_period(value)
    if period and _are_most(raw, [_day(text) or _day(text, month_first=True) for text in raw]) and any(cells):
        what, limit = "date", tuple(part or 0 for part in period)
        assert exact or period[0], f"{value} is of any year"
        days = _some_days(raw)
        keys = [day and (day.year if period[0] else 0, day.month if period[1] else 0) for day in days]
        assert _are_most(cells, keys), f"{grid[0][at]} cannot be compared with {value}"
    else:
        limit, keys, what = _measured(raw, cells, like, value, exact)
        assert exact or _are_most(cells, keys), f"{grid[0][at]} cannot be compared with {value}"
    order = [None if key is None else (key > limit) - (key < limit) for key in keys]
    admitted = {
        "is": (0,),
        "is not": (-1, 1, None),
        "more than": (1,),
        "less than": (-1,),
        "at least": (0, 1),
        "at most": (-1, 0),
    }
    return [each in admitted[condition] for each in order], "" if exact else _without(keys.count(None), what, grid[0][at])


def _measured(raw, cells, like, value, exact):
    """What the cells of a column are compared with, what they are as that, and what that is called."""
    limit = _amount(value, raw)
    day = _day(value) or _day(value, month_first=True)
    if exact and any(map(_is_code, [value, *raw])):
        return like, cells, "value"
    if limit is not None:
        return limit, _some_amounts(raw), "number"
    if day is not None:
        month_first, both = _month_first(raw), {_day(value), _day(value, month_first=True)} - {None}
        slashed = [text for text in raw if re.match(r"\s*\d{1,2}[-/ ]\d{1,2}[-/ ]\d", text)]
        assert slashed or len(both) == 1, f"{value} can be two days"
        return _day(value, month_first) or _day(value, not month_first), _some_days(raw), "date"
    assert exact or not [key for key, _ in _in_order(raw) if key == 0], f"{value} is a text, and the column is not"
    return like, [cell or None for cell in cells], "value"
