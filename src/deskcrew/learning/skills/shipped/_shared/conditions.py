"""Which rows of a table fulfil a condition."""

SAID_MONTHS = "jan ene,feb fév,mar mär,apr abr avr,may mai,jun juin,jul juil,aug ago aoû,sep,oct okt,nov,dec dic dez déc"
CONDITIONS = (
    "is not empty", "is empty", "does not contain", "contains", "is not", "is", "more than", "less than", "at least", "at most",
)  # fmt: skip


def _that_fit(rows, source):
    """The rows that fulfil WHERE, such as "Town is Oslo or Rome and Fee more than 40"."""
    head, *rows = rows
    held = [_fulfil(head, rows, *condition, source) for condition in _conditions(head)]
    LEFT.extend(left for _, left in held)
    kept = [row for row, *holds in zip(rows, *(holds for holds, _ in held)) if all(holds)]
    if not kept:
        raise ValueError(f"No row of {source} fits: {WHERE}")
    return [head, *kept]


def _conditions(head):
    """The column, the condition and the value of each part of WHERE."""
    found = []
    for piece in WHERE.split(" and "):
        names = [
            name
            for each in head
            if (name := _said(each).strip()) and f"{piece} ".casefold().startswith(f"{name.casefold()} ")
        ]
        name = max(names, key=len, default="")
        rest = piece[len(name) :].strip()
        how = next((each for each in CONDITIONS if f"{rest} ".casefold().startswith(f"{each} ")), "")
        if name and how:
            found.append([name, how, rest[len(how) :].strip() or None])
        elif found and found[-1][2]:
            found[-1][2] += f" and {piece}"
        else:
            raise ValueError(
                f"{piece!r} is no column with a condition, such as {_said(head[0])} is x: {', '.join(CONDITIONS)}"
            )
    return found


def _fulfil(head, rows, heading, condition, value, source):
    """Whether each of ``rows`` fulfils a condition on a column, if there is one, and what is to be said of those that
    cannot."""
    if not heading:
        return [True] * len(rows), ""
    at = _column([head], heading, source)
    if value is None and "empty" not in condition:
        raise ValueError(f"Say what it {condition}: value")
    texts, column = [_plain(row[at]) for row in rows], Column(rows, at)
    some = [] if value is None or _plain(value) in texts else value.split(" or ")
    if len(some) > 1:
        each = [_fulfil(head, rows, heading, condition, one, source) for one in some]
        fits = all if "not" in condition else any
        return [fits(held) for held in zip(*(holds for holds, _ in each))], each[0][1]
    if "empty" in condition:
        return [(text == "") == (condition == "is empty") for text in texts], ""
    if "contain" in condition:
        return [(_plain(value) in text) == (condition == "contains") for text in texts], ""
    keys, limit, kind = _compared(column, value, strict=condition not in ("is", "is not"))
    tests = {
        "is": lambda key: key == limit,
        "is not": lambda key: key != limit,
        "more than": lambda key: key is not None and key > limit,
        "less than": lambda key: key is not None and key < limit,
        "at least": lambda key: key is not None and key >= limit,
        "at most": lambda key: key is not None and key <= limit,
    }
    read = _order_read(column) if kind == "date" and condition in [*tests][2:] else ""
    left = _left_out(column, head[at], keys, kind) if condition in [*tests][2:] else ""
    return [tests[condition](key) for key in keys], f"{read}{left}"


def _date_among(value, column):
    """A date that somebody asked for, in the order of those of a column; None if it is none."""
    if not any(_date(value, way) for way in (True, False)):
        return None
    day_first = _day_first(column)
    if day_first is None and _two_ways(value):
        raise ValueError(f"{_can_be(value)}: write it as 2026-12-31")
    return _date(value, day_first is not False) or _date(value, day_first is False)


def _period(value):
    """A month, a year, or both, that somebody asked for: its year and its month, None for what it does not say."""
    found = re.fullmatch(r"(?:([^\W\d_]{3,10})\.?)?(?: |^|$)(\d{4})?", _plain(value))
    if not found or not any(found.groups()):
        return None
    months = [
        at for at, names in enumerate(SAID_MONTHS.split(","), 1) if found[1] and found[1].startswith(tuple(names.split()))
    ]
    return None if found[1] and not months else (found[2] and int(found[2]), *(months or [None]))


def _compared(column, value, strict):
    """A column and a value as they are compared, and as what: as numbers or dates if the value is one, and else as texts,
    None for an empty cell. ``strict``: most of the column must be of that kind, and the rest is None; if not, codes such
    as 007 are texts. Dates are compared with a month or a year by these alone."""
    texts = [_plain(each) or None for each in column]
    dated = sum(1 for each in column if _date(each, True) or _date(each, False))
    if (period := _period(value)) and 2 * dated > sum(map(bool, texts)):
        if strict and not period[0]:
            raise ValueError(f"Say the year of {value}, too")
        parts = [None if day is None else (period[0] and day.year, period[1] and day.month) for day in _days(column)]
        return _mostly_read(column, parts, "date"), period, "date"
    if not strict and any(_is_code(each or "") for each in (_plain(value), *texts)):
        return texts, _plain(value), "value"
    if (limit := _amount(value, column)) is not None:
        keys, kind = _figures(column)[0], "number"
    elif (limit := _date_among(value, column)) is not None:
        keys, kind = _days(column), "date"
    else:
        ranks, kind = _ranks(column) if strict else ([], "text")
        if kind != "text":
            at = next(at for at, each in enumerate(ranks) if each is not None)
            raise ValueError(f"{value!r} is no {kind}, but {_said(column[at])!r} in row {column.at[at]} is one")
        return texts, _plain(value), "value"
    if strict:
        return _mostly_read(column, keys, kind), limit, kind
    return [text if key is None else key for key, text in zip(keys, texts)], limit, kind
