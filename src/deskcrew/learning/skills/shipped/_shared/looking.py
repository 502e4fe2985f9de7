"""What is in files, for programs that check what was done with them: read in another way than it was done."""

import contextlib
import csv
import datetime
import decimal
import functools
import re
from xml.etree import ElementTree

SHEET = WHERE = ""
"""The sheet of a workbook that is meant, the first if none is named; and which of its rows are, all if nothing is said."""


class _Counted(str):
    """What a cell with a number of a workbook says."""


class _Dated(str):
    """What a cell with a date of a workbook says."""


class _Worded(str):
    """What a cell with a text of a workbook says."""


def _is_book(path):
    return str(path).lower().endswith((".xlsx", ".xlsm"))


def _cell(value):
    """What a cell says."""
    match value:
        case None:
            return ""
        case True | False:
            return "TRUE" if value else "FALSE"
        case datetime.datetime():
            midnight = (value.hour, value.minute, value.second) == (0, 0, 0)
            return _Dated(f"{value:%Y-%m-%d}" if midnight else f"{value:%Y-%m-%d %H:%M:%S}")
        case int() | float():
            return _Counted(value if isinstance(value, int) else f"{value:.15g}")
        case _:
            return _Worded(value)


def _decoded(data):
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252")


def _grid(path):
    """All cells of a table as texts, without what is empty at its edges."""
    assert path.is_file(), f"there is no {path.name}"
    if _is_book(path):
        import openpyxl

        sheet = _meant_sheet(openpyxl.load_workbook(path, data_only=True))
        rows = [[_cell(cell.value) for cell in row] for row in sheet.rows]
    else:
        lines = _decoded(path.read_bytes()).splitlines(keepends=True)
        mark = sorted(";,\t|", key=lambda each: (lines[0] if lines else "").count(each))[-1]
        rows = list(csv.reader(lines, delimiter=mark))
    rows = [row for row in rows if "".join(row)]
    last = max((n for row in rows for n, cell in enumerate(row) if cell), default=-1)
    return [(row + [""] * (last + 1))[: last + 1] for row in rows]


def _meant_sheet(book):
    return next((each for each in book.worksheets if each.title == SHEET), book.worksheets[0])


@functools.lru_cache(maxsize=4)
def _other_sheets(path):
    """What the sheets of a workbook say but the one that is meant, as they are written."""
    if not _is_book(path):
        return []
    import openpyxl

    def written(sheet):
        cells = ((cell, getattr(cell.value, "text", cell.value)) for row in sheet.iter_rows() for cell in row)
        return {cell.coordinate: (cell.data_type, str(_cell(value))) for cell, value in cells if value is not None}

    with contextlib.closing(openpyxl.load_workbook(path, read_only=True)) as book:
        meant = _meant_sheet(book).title
        return [(sheet.title, written(sheet)) for sheet in book.worksheets if sheet.title != meant]


def _both(source, result):
    """The cells of a table and of one made of it: a workbook made of another has all of its other sheets."""
    before, now = _meant_rows(_grid(source)), _grid(result)
    if _is_book(result):
        assert _other_sheets(source) == _other_sheets(result), "another sheet is not as it was"
    return before, now


def _meant_rows(grid):
    return grid if not WHERE else _those_that_fit(grid)


def _place(head, name):
    return [each.strip().lower() for each in head].index(name.strip().lower())


def _list(text):
    return [part.strip() for part in text.replace(";", ",").replace("\n", ",").split(",") if part.strip()]


def _same(text):
    """A text as it is compared with others."""
    return " ".join(text.split()).lower()


def _is_code(text):
    """Whether a text looks like a number and is none: it begins with 0 or +."""
    text = text.strip()
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isdecimal() and (text[0] == "+" or (digits[0] == "0" and len(digits) > 1))


def _document_text(raw):
    """The text of a document's XML: a line ends where a paragraph does."""
    body = next(each for each in ElementTree.fromstring(raw).iter() if each.tag.endswith("}body"))
    pieces = []

    def read(element):
        pieces.append(element.text or "")
        for each in element:
            read(each)
            pieces.append(each.tail or "")
        if (tag := element.tag.rpartition("}")[2]) in ("p", "h", "br", "line-break"):
            pieces.append("\0")
        elif tag in ("tab", "s"):
            pieces.append(" ")

    read(body)
    return "".join(piece for piece in pieces if piece.strip() or "\n" not in piece).replace("\0", "\n")


@functools.lru_cache(maxsize=1 << 18, typed=True)
def _ways(text):
    """What a text is as a number, by the mark before its decimals, and its unit."""
    if isinstance(text, _Counted):
        return dict.fromkeys(".,", decimal.Decimal(text)), ""
    left = "".join(" " if each.isspace() else each for each in text.strip()).replace("−", "-").replace("’", "'")
    unit = next((u for u in ("€", "$", "£", "¥", "₹", "%", "EUR", "USD", "GBP", "CHF") if u in left), "")
    sign = "-" if left.startswith("-") else ""
    before, found, after = left.lstrip("+-").strip().partition(unit or "\0")
    if before.strip() and after.strip():
        return {}, ""
    left = before.strip() or after.strip()
    sign = "-" if left.startswith("-") else sign
    left, _, power = left.lstrip("+-").strip().lower().partition("e")
    ways = {}
    for mark, other in (".,", ",."):
        whole, found, decimals = left.partition(mark)
        between = next((each for each in (other, " ", "'") if each in whole), other)
        first, *more = whole.split(between)
        grouped = not more or (1 <= len(first) <= 3 and first[0] != "0" and all(len(each) == 3 for each in more))
        digits = first + "".join(more)
        if grouped and (digits + decimals).isdecimal() and (decimals or not found):
            ways[mark] = decimal.Decimal(f"{sign}{digits}.{decimals}e{power or 0}")
    return ways, {"€": "EUR", "£": "GBP"}.get(unit, unit) if ways else ""


def _decimal_mark(texts, order_only=False):
    """The mark before the decimals of a column: "" if it has none; it fails where nothing in the column shows which it is."""
    ways = [each for text in texts if (each := _ways(text)[0])]
    sure = {*".,"}.intersection(*ways) if ways else {"."}
    assert sure, "some decimals are behind a comma, some behind a point"
    twofold = [text for text in texts if len({*_ways(text)[0].values()}) == 2]
    if len(sure) == 1 or not twofold:
        return "" if len(sure) == 2 else min(sure)
    used = {mark for mark in ".," if any(mark in text for text in twofold)}
    lengths = {len(text) for text in texts if text.isdecimal()}
    plain = lengths and max(lengths) == 3
    assert len(used) == 1 and (plain or (order_only and len(twofold) == len(ways))), f"{twofold[0]} can be two numbers"
    return "," if "." in used else "."


def _some_amounts(texts, order_only=False):
    """Texts as numbers, None for what is none."""
    mark = _decimal_mark(texts, order_only) or "."
    units = {unit for ways, unit in map(_ways, texts) if ways}
    assert len(units) < 2 or (len(units) == 2 and "" in units and "%" not in units), f"these are {sorted(units)}"
    return [_ways(text)[0].get(mark) for text in texts]


def _are_most(texts, found):
    """Whether something was found in more than half of the cells that hold anything."""
    return len(found) - found.count(None) > sum(1 for text in texts if text.strip()) / 2 or not any(map(str.strip, texts))


def _amounts(texts):
    """Texts as numbers, None for what is none; None for all if most are none."""
    found = _some_amounts(texts)
    return found if _are_most(texts, found) else None


def _amount(text, texts):
    """What was said as a number, among those of a column; None if it is none."""
    ways, unit = _ways(text)
    units = {each for each in (_ways(one)[1] for one in texts) if each}
    assert not unit or unit in units or (not units and unit != "%"), f"{text} is in another unit"
    mark, values = _decimal_mark(texts), {*ways.values()}
    if len(values) < 2:
        return min(values, default=None)
    if max(values, key=abs) % 10:
        assert mark, f"{text} can be two numbers"
        return ways[mark]
    assert not mark or ways[mark] == max(values, key=abs), f"{text} can be two numbers"
    return max(values, key=abs)


NAMED = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _day(text, month_first=False):
    """A text as a date; None if it is none."""
    text = text.strip().lower()
    numbers = [int(each) for each in re.findall(r"\d+", text[:10] if text[4:5] == "-" and text[10:11] == "t" else text)]
    word = re.search(r"[a-z]{3,}", text)
    try:
        if word and re.fullmatch(r"(\d{1,2}\.? ?)?[a-z]{3,9}\.? ?(\d{1,2},? ?)?\d{4}", text):
            return datetime.date(numbers[-1], NAMED.index(word[0][:3]) + 1, numbers[0] if len(numbers) == 2 else 1)
        if word or not re.fullmatch(r"\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}(?:[t ][\d:.]+)?", text):
            return None
        if numbers[0] > 31:
            return datetime.date(*numbers[:3])
        a, b, year = numbers[:3]
        a, b = (b, a) if month_first and "." not in text else (a, b)
        return datetime.date(year if year > 99 else 2000 + year, b, a)
    except ValueError:
        return None


def _month_first(texts, order=None):
    """Whether 03/04/2026 is in March, which some date of a column must show."""
    if order:
        return order == "month first"
    pairs = [re.match(r"\s*(\d{1,2})[-/ ](\d{1,2})[-/ ](\d{2}|\d{4})\s*$", text) for text in texts]
    both = [(int(pair[1]), int(pair[2])) for pair in pairs if pair]
    large = [pair for pair in both if max(pair) > 12 and min(pair) <= 12]
    assert len({pair[0] > 12 for pair in large}) < 2, "some have their day first, some their month"
    assert large or all(a == b for a, b in both), "each of its dates can be two days"
    return bool(large) and large[0][1] > 12


def _some_days(texts, order=None):
    """Texts as dates, None for what is none."""
    month_first = _month_first(texts, order)
    return [_day(text, month_first) if text.strip() else None for text in texts]


def _days(texts, order=None):
    """Texts as dates, '' as None; None for all if one is no date."""
    days = _some_days(texts, order)
    return days if all(day or not text.strip() for day, text in zip(days, texts)) else None


def _time(text):
    """The time of day that a text says behind a date of the form 2026-12-31."""
    found = re.match(r"\d{4}\D\d{1,2}\D\d{1,2}[T ]([\d:]+)", text.strip())
    return (*(int(part) for part in found[1].split(":")), 0, 0)[:3] if found else (0, 0, 0)


def _in_order(texts):
    """What a column is put in order by: the kind of each cell, 0 for the numbers or dates, 1 for other texts, 2 for nothing,
    and its value."""
    numbers, days = _some_amounts(texts, order_only=True), _some_days(texts)
    days = [(day, _time(text)) if day and number is None else None for number, day, text in zip(numbers, days, texts)]
    counted = any(number is not None for number in numbers)
    assert not counted or not any(days), "it has numbers and dates"
    found = numbers if counted else days
    return [
        (0, value) if value is not None else (1, _same(text)) if text.strip() else (2, "")
        for value, text in zip(found, texts)
    ]


def _untouched(start, end, path):
    """Whether a file is what it was."""
    before, now = start / path, end / path
    return now.is_file() and before.read_bytes() == now.read_bytes()


def _same_grid(now, wanted):
    for number, (row, other) in enumerate(zip(now, wanted), 1):
        assert row == other, f"row {number} is {row}, not {other}"
        of_book = any(type(cell) is not str for cell in row)
        wrong = [cell for cell, like in zip(row, other) if of_book and cell and type(like) not in (str, type(cell))]
        assert not wrong, f"{wrong[0]} in row {number} is kept as another kind of value"
    assert len(now) == len(wanted), f"it has {_counted(len(now), 'row')}, not {len(wanted)}"


def _kept(grid, path):
    """A grid as a file holds it: in a workbook the texts of a text file are numbers or dates, if all with digits in their
    column are."""
    if not _is_book(path):
        return grid
    columns = [_kept_column(head, list(cells)) for head, *cells in zip(*grid)]
    return grid[:1] + [list(row) for row in zip(*columns)]


def _kept_column(head, cells):
    told = [text for text in cells if type(text) in (str, _Worded) and any(sign.isdecimal() for sign in text)]
    named = any(
        word in f" {head.lower()} "
        for word in ("phone", "fon ", "fono ", " tel ", " tel.", " mobil", " móvil", " movil", " handy", " fax")
    )
    found = {} if named or all(_in_threes(text) for text in told) else _meanings(told)
    return [(found.get(text) or _Worded(text)) if type(text) is str else text for text in cells]


def _names(text):
    """Whether a text is no number although it has the digits of one: 007, +49 30, 12E4, or of sixteen digits."""
    bare = text.strip()
    digits = [each for each in bare if each.isdecimal()]
    exponent = bare.lower().count("e") == 1 and bare.lower().replace("e", "").isdecimal()
    zero = bare.lstrip("-")[:1] == "0" and bare.lstrip("-")[1:2].isdecimal()
    return bare[0] == "+" or zero or exponent or (len(digits) > 15 and "." not in bare and "," not in bare)


def _in_threes(text):
    parts = text.strip().split(" ")
    return len(parts) > 1 and all(len(part) == 3 and part.isdecimal() for part in parts)


def _meanings(told):
    """What texts are in a workbook, if all of them are numbers or all dates."""
    try:
        if all(_ways(text)[0] for text in told):
            pairs = zip(told, _amounts(told))
            return (
                {}
                if any(_ways(text)[1] or _names(text) for text in told)
                else {text: _plainly(amount) for text, amount in pairs}
            )
        days = _days(told)
    except AssertionError:
        return {}
    whole = [re.match(r"(?=.*\d\D+\d)(.*\d{4}|\d\d[./]\d\d[./]\d\d$)", text) for text in told]
    if not days or not all(whole):
        return {}
    return {text: _cell(datetime.datetime.combine(day, datetime.time(*_time(text)))) for text, day in zip(told, days) if day}


def _plainly(amount):
    """A number as a cell of a workbook says it."""
    short = decimal.Context(prec=15).create_decimal(amount)
    return _cell(int(short) if short == int(short) else float(short))


def _near(one, other):
    """Whether two numbers are the same but for rounding."""
    if one is None or other is None:
        return one is other
    return abs(one - other) <= decimal.Decimal("0.00000001") * max(1, abs(other))


def _worked_out(told, texts, path):
    """Numbers that were worked out from ``texts``, '' as None: written as those are, or as numbers of a workbook."""
    if _is_book(path):
        assert all(isinstance(text, _Counted) for text in told if text), f"{told} are not all numbers"
    mark = "." if _is_book(path) else _decimal_mark(texts) or "."
    assert mark == "." or not any("." in text for text in told), f"{told} has points"
    return [decimal.Decimal(text.replace(mark, ".")) if text else None for text in told]
