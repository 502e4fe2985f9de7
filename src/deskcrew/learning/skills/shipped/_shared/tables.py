"""Tables as people have them: text with any separator, or a sheet of a workbook."""

import csv
import difflib
import io
import re
import unicodedata
from datetime import date, datetime
from decimal import Context, Decimal
from functools import lru_cache
from pathlib import Path

BOOKS = (".xlsx", ".xlsm")
SHEET = WHERE = ""
"""The sheet of a workbook that is read, the first if none is named; and the conditions that the rows which count fulfil."""
LEFT = []
"""What is to be said of rows that could not be compared."""
SAY_ORDER = "Say it with order of reformat-dates: day first or month first"
MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
]  # fmt: skip


class Written(str):
    """A value as it is written in a text file; ``column``: the Texts that it is one of."""

    __slots__ = ("column",)


class Row(list):
    """The values of a row. ``at``: where it was, from 1; 0 for a new one."""

    at = 0


def _row(values, at=0):
    row = Row(values)
    row.at = at
    return row


def _text(path):
    data = Path(path).read_bytes()
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            pass
    raise ValueError(f"{path} is no text file")


def _separator(text):
    counts = {each: text.split("\n", 1)[0].count(each) for each in ",;\t|"}
    return max(counts, key=lambda each: counts[each])


def _read(path):
    """The rows, the heading first, all equally long. Values of text files are Written."""
    if Path(path).suffix.lower() in BOOKS:
        import openpyxl

        sheet = _sheet(openpyxl.load_workbook(path, data_only=True), path)
        rows = [_row(values, at) for at, values in enumerate(sheet.iter_rows(values_only=True), 1)]
        formulas = _sheet(openpyxl.load_workbook(path))
        for row in formulas.iter_rows():
            for cell in row:
                if cell.data_type == "f" and rows[cell.row - 1][cell.column - 1] is None:
                    raise ValueError(f"{cell.coordinate} of {path} was never calculated: open and save it once")
    elif SHEET:
        raise ValueError(f"{path} is no workbook, so it has no sheet {SHEET!r}")
    else:
        text = _text(path)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        rows = [_row(values, at) for at, values in enumerate(lines, 1)]
        _check_width(rows, path)
    rows = [row for row in rows if any(value not in (None, "") for value in row)]
    if not rows:
        raise ValueError(f"{path} is empty")
    width = max(at + 1 for row in rows for at, value in enumerate(row) if value not in (None, ""))
    book = Path(path).suffix.lower() in BOOKS
    rows = [_row([*row, *[None if book else ""] * width][:width], row.at) for row in rows]
    rows = _that_fit(rows, path) if WHERE else rows
    return rows if book else _written(rows)


def _sheet(book, path=""):
    """The sheet of a workbook that is meant. ``path``: set if it must be there."""
    if path and SHEET not in ("", *book.sheetnames):
        raise ValueError(f"{path} has no sheet {SHEET!r}. It has: {', '.join(book.sheetnames)}")
    return book[SHEET] if SHEET in book.sheetnames else book.worksheets[0]


def _check_width(rows, path):
    """Raise ValueError for a row with more values than there are headings: most often a value has the separator in it."""
    head = next((row for row in rows if any(row)), [])
    for row in rows:
        if any(row[len(head) :]):
            raise ValueError(
                f"row {row.at} of {path} has {_counted(len(row), 'value')} for {_counted(len(head), 'heading')}: "
                "a value with the separator in it needs quotation marks"
            )


def _said(value):
    """A value as text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == datetime.min.time() else value.isoformat(" ")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _column(rows, name, path="the table"):
    """The place of a column by its heading, or by its letter where none is called so."""
    heads = [_said(value).strip().casefold() for value in rows[0]]
    wanted = name.strip().casefold()
    if heads.count(wanted) > 1:
        raise ValueError(f"{path} has two columns {name!r}: rename one")
    if wanted in heads:
        return heads.index(wanted)
    listed = ", ".join(_said(value) for value in rows[0])
    near = difflib.get_close_matches(wanted, heads, n=1)
    meant = f" Did you mean {_said(rows[0][heads.index(near[0])])}?" if near else ""
    raise ValueError(f"{path} has no column {name!r}.{meant} It has: {listed}")


def _columns(rows, names, path="the table"):
    return [_column(rows, name, path) for name in names.replace(";", ",").replace("\n", ",").split(",") if name.strip()]


def _new(path):
    place = Path(path)
    if place.exists():
        raise ValueError(f"There is already {path}: choose another name")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _write(result, rows, like, columns=None, forms=None):
    """A new table, with the separator or the formatting of the file ``like``, if any. ``columns``: where each column was, None
    for a new one. What is Written is a number or a date in a workbook, if its column shows that it is. ``forms``: how dates are shown in some columns of it. Returns what is to be
    said of those that could be two."""
    place, books = _new(result), [Path(each).suffix.lower() in BOOKS for each in (result, like)]
    if not books[0]:
        first = _text(like) if like and not books[1] else ","
        mark = "\t" if place.suffix.lower() == ".tsv" else _separator(first)
        with place.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=mark, lineterminator="\r\n" if "\r\n" in first else "\n")
            writer.writerows([[_said(value) for value in row] for row in rows])
        return "".join(LEFT)
    import openpyxl

    book = openpyxl.load_workbook(like) if books[1] else openpyxl.Workbook()
    sheet = _sheet(book)
    if books[1] and sheet.merged_cells.ranges:
        raise ValueError(f"{like} has merged cells: split them first")
    looks = {(cell.row, cell.column): cell._style for row in sheet.iter_rows() for cell in row}
    sheet.delete_rows(1, sheet.max_row)
    for number, row in enumerate(rows, 1):
        for at, value in enumerate(row):
            was = columns[at] if columns is not None else at
            cell = sheet.cell(number, at + 1, _cell(value))
            if (look := looks.get((row.at, was + 1) if was is not None else ())) is not None:
                cell._style = look
            if number > 1 and forms and at in forms:
                cell.number_format = forms[at]
    book.save(place)
    return "".join(LEFT) + _left_open(rows)


_SLASHED = re.compile(r"(\d{1,2})[-/ ](\d{1,2})[-/ ]\d{2,4}")


class Column(list):
    """The values of a column, each with the number of its row in ``at``."""

    def __init__(self, rows, place):
        super().__init__(row[place] for row in rows)
        self.at = [row.at for row in rows]


@lru_cache(maxsize=1 << 18, typed=True)
def _figure(value, mark):
    """A value as a number, with ``mark`` before its decimals, and its unit: a currency, "%" or ""; None if it is no number."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Decimal(str(value)), ""
    text = " ".join(_said(value).replace("−", "-").replace("’", "'").split())
    unit = "".join(each for each in text if each == "%" or unicodedata.category(each) == "Sc")
    bare = "".join(each for each in text if each not in unit).strip()
    if unit and (len(unit) > 1 or not (text.lstrip("+- ").startswith(unit) or text.endswith(unit))):
        return None
    for code in ("EUR", "USD", "GBP", "CHF"):
        if not unit and (bare.startswith(code) or bare.endswith(code)):
            unit, bare = code, bare.removeprefix(code).removesuffix(code).strip()
    other = "," if mark == "." else "."
    shape = rf"([-+]?) ?((?:\d+|[1-9]\d{{0,2}}(?:([{other} '])\d{{3}})(?:\3\d{{3}})*)?)(?:\{mark}(\d+))?([eE][-+]?\d+)?"
    if not (found := re.fullmatch(shape, bare)) or not (found[2] or found[4]):
        return None
    whole = "".join(each for each in found[2] if each.isdecimal())
    return Decimal(f"{found[1]}{whole}.{found[4] or 0}{found[5] or ''}"), {"€": "EUR", "£": "GBP"}.get(unit, unit)


def _open(values):
    """The values that are other numbers with a comma before the decimals than with a point: 1,200."""
    return [each for each in values if _figure(each, ",") != _figure(each, ".") and all(_figure(each, m) for m in ",.")]


def _mark(column, sizes=True):
    """What stands before the decimals of a column; None where nothing does or could. Its values tell: one that only fits
    a comma or only a point, or whole numbers below 1000 without a mark beside 1,200. Raises ValueError where they leave
    it open, which does not matter without ``sizes`` if every value does: they have the same order then."""
    numbers = [each for each in column if _figure(each, ",") or _figure(each, ".")]
    fits = [mark for mark in ".," if all(_figure(each, mark) for each in numbers)]
    where = lambda value: f"{_said(value)!r} in row {column.at[column.index(value)]}"
    if not fits:
        two = [next(each for each in numbers if not _figure(each, mark)) for mark in ".,"]
        raise ValueError(f"{where(two[0])} has its decimals behind a comma, {where(two[1])} behind a point")
    unsure = _open(numbers)
    if len(fits) == 1 or not unsure:
        return fits[0] if len(fits) == 1 else None
    marks = {each for value in unsure for each in _said(value) if each in ".,"}
    digits = [len(text) for each in numbers if (text := _said(each)).isdecimal()]
    if len(marks) == 1 and ((3 in digits and max(digits) == 3) or (not sizes and len(unsure) == len(numbers))):
        return "," if marks == {"."} else "."
    ways = " or ".join(f"{_figure(unsure[0], mark)[0].normalize():f}" for mark in ".,")
    raise ValueError(f"{where(unsure[0])} can be {ways}: no other value of the column says which. Write one with decimals")


def _figures(column, sizes=True):
    """The numbers of a column and the unit that they have, None for what is no number."""
    mark = _mark(column, sizes) or "."
    found = [_figure(value, mark) for value in column]
    units = {}
    for pair, value, at in zip(found, column, column.at):
        if pair:
            units.setdefault(pair[1], f"{_said(value)!r} in row {at}")
    if "%" not in units:
        units.pop("", None)
    if len(units) > 1:
        raise ValueError(f"{' and '.join([*units.values()][:2])} are not in the same unit")
    return [pair and pair[0] for pair in found], next(iter(units), "")


def _all_read(column, found, kind):
    for value, read, at in zip(column, found, column.at):
        if read is None and _said(value).strip():
            raise ValueError(f"{_said(value)!r} in row {at} is not a {kind}")
    return found


def _mostly_read(column, found, kind):
    """What was read of a column, None where nothing was. Raises ValueError unless most of what it holds was read."""
    filled = sum(1 for value in column if _said(value).strip())
    return found if 2 * sum(each is not None for each in found) > filled else _all_read(column, found, kind)


def _numbers(column):
    """The numbers of a column, None for what is none. Raises ValueError if it does not mostly hold numbers."""
    return _mostly_read(column, _figures(column)[0], "number")


def _amount(text, column):
    """A number that somebody asked for, to be used with those of a column: None if it is none. 1,000 is a thousand unless the
    column says otherwise. Raises ValueError where its unit or its mark is another one than the column's."""
    ways = [_figure(text, mark) for mark in ".,"]
    if not any(ways):
        return None
    _, unit = _figures(column)
    (number, own), mark = next(filter(None, ways)), _mark(column)
    if own and own != unit and (unit or own == "%"):
        raise ValueError(f"{text!r} is not in the unit of the column: {unit or 'none'}")
    if all(ways) and ways[0] != ways[1]:
        large = max((each[0] for each in ways), key=abs)
        by_column = _figure(text, mark)[0] if mark else None
        round_ = large % 10 == 0
        if (round_ and by_column not in (None, large)) or not (round_ or mark):
            raise ValueError(
                f"{text!r} can be {ways[0][0].normalize():f} or {ways[1][0].normalize():f}: write it without a mark"
            )
        number = large if round_ else by_column
    return number


def _instant(value, day_first):
    """A value as a point in time, midnight if it says none; None if it is no date."""
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    text, clock = _said(value).strip(), None
    if found := re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?))?", text):
        (year, month, day), clock = map(int, found.groups()[:3]), found[4]
    elif found := re.fullmatch(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{2,4})", text):
        first, second, year = map(int, found.groups())
        day, month = (first, second) if day_first or "." in text else (second, first)
    elif found := re.fullmatch(r"(\d{1,2})?\.? ?([A-Za-z]{3,9})\.? ?(\d{1,2})?,? (\d{4})", text):
        one, name, other, year = found.groups()
        month = next((at for at, each in enumerate(MONTHS, 1) if each.startswith(name.lower())), 0)
        day, year = int(one or other or 1), int(year)
    else:
        return None
    try:
        return datetime(
            year + 2000 if year < 100 else year, month, day, *(int(float(part)) for part in (clock or "0").split(":"))
        )
    except ValueError:
        return None


def _date(value, day_first):
    """A value as a date; None if it is none."""
    return (moment := _instant(value, day_first)) and moment.date()


def _two_ways(value):
    """The days that a value can be, if it says neither by its form nor by its numbers which of two is the month."""
    found = _SLASHED.fullmatch(_said(value).strip())
    days = [_date(value, day_first) for day_first in (True, False)] if found else []
    return days if all(days) and days[:1] != days[1:] else []


def _can_be(value, at=None):
    where = f" in row {at}" if at else ""
    return f"{_said(value)!r}{where} can be {' or '.join(f'{day.day} {MONTHS[day.month - 1].capitalize()}' for day in _two_ways(value))}"


def _day_first(column, order=None):
    """Whether 03/04/2026 is in April, by ``order`` ("day first" or "month first") or as the column shows; None if it has no
    such date. Raises ValueError where nothing tells."""
    if order:
        return order == "day first"
    shown, unsure = {}, None
    for value, at in zip(column, column.at):
        if _SLASHED.fullmatch(_said(value).strip()):
            ways = [way for way in (True, False) if _date(value, way)]
            if len(ways) == 1:
                shown.setdefault(ways[0], f"{_said(value)!r} in row {at}")
            elif _two_ways(value):
                unsure = unsure or _can_be(value, at)
    if len(shown) == 2:
        raise ValueError(f"{shown[True]} has its day first, {shown[False]} its month")
    if unsure and not shown:
        raise ValueError(f"{unsure}, and no other date of the column says which. {SAY_ORDER}")
    return next(iter(shown), None)


def _days(column, order=None):
    """The dates of a column, None for what is none. ``order``: as for :func:`_day_first`."""
    day_first = _day_first(column, order) is not False
    return [_date(value, day_first) for value in column]


def _dates(column, order=None):
    """The dates of a column, None for an empty cell. Raises ValueError for what is none."""
    return _all_read(column, _days(column, order), "date")


def _is_code(text):
    """Whether a text looks like a number and is none: it begins with 0 or +."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isdecimal() and (text[0] == "+" or (digits[0] == "0" and len(digits) > 1))


def _ranks(column):
    """What a column is put in order by: its numbers or its dates, or its texts if it has neither; None for what is none of
    them. And what these are called."""
    numbers, day_first = _figures(column, sizes=False)[0], _day_first(column) is not False
    days = [_instant(value, day_first) for value in column]
    days = [day if number is None else None for number, day in zip(numbers, days)]
    for found, kind in ((numbers, "number"), (days, "date")):
        if any(each is not None for each in found):
            if kind == "number" and any(days):
                _all_read(column, found, kind)
            return found, kind
    return [_plain(value) or None for value in column], "text"


def _told(number, comma, result):
    """A number as a value of the file ``result``: with a comma or a point in texts."""
    if number is None:
        return None
    number = Context(prec=15).create_decimal(number)
    if Path(result).suffix.lower() in BOOKS:
        return int(number) if number == number.to_integral_value() else float(number)
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(".", ",") if comma else text


def _plain(value):
    """A text as it is compared: without blanks around it, in small letters."""
    return " ".join(_said(value).split()).casefold()


class Texts:
    """What is written in a column of a text file. ``open``: why it stays text in a workbook, if it can be two things."""

    def __init__(self, head, column):
        self.head, self.column, self.found, self.open = _said(head), column, None, ""

    def cell(self, text):
        """What one of them is in a workbook: a number or a date, if all that have digits are one."""
        if self.found is None:
            self.found = self._read()
        return self.found.get(text, text or None)

    def _read(self):
        column = Column([], 0)
        for value, at in zip(self.column, self.column.at):
            if isinstance(value, str) and any(each.isdecimal() for each in value):
                column.append(value)
                column.at.append(at)
        called = re.search(r"phone|fono?\b|\btel\b|\bmobil|\bm[oó]vil|\bhandy|\bfax", self.head.casefold())
        blanks = all(" " in value.strip() and {len(part) for part in value.split()} == {3} for value in column)
        if called or blanks:
            return {}
        try:
            numbers, unit = _figures(column)
            if all(each is not None for each in numbers):
                return (
                    {}
                    if unit or any(map(_is_name, column))
                    else {value: _told(each, False, "a.xlsx") for value, each in zip(column, numbers)}
                )
            if not all(re.match(r"(?=.*\d\D+\d)(?:.*\d{4}|\d\d[./]\d\d[./]\d\d$)", each) for each in column):
                return {}
            if not all(_date(value, True) or _date(value, False) for value in column):
                return {}
            day_first = _day_first(column) is not False
        except ValueError as error:
            self.open = str(error)
            return {}
        days = [_instant(value, day_first) for value in column]
        timed = any(day and day.time() != datetime.min.time() for day in days)
        return {value: day if timed else day.date() for value, day in zip(column, days) if day}


def _is_name(text):
    """Whether a text with digits names something instead of counting it: 007, +49, 12E4, or more digits than a number has."""
    text = text.strip()
    digits = sum(each.isdecimal() for each in text)
    return (
        text.startswith("+")
        or (text.lstrip("-")[:1] == "0" and text.lstrip("-")[1:2].isdecimal())
        or (text[:1] not in ("e", "E") and text.lower().replace("e", "", 1).isdecimal() and not text.isdecimal())
        or (digits > 15 and not {*".,"} & {*text})
    )


def _written(rows, places=None, only=None):
    """Rows, all equally long, in which the texts of some columns are Written, or of all. ``only``: in these rows alone."""
    width = max(map(len, rows), default=0)
    for row in rows:
        row += [""] * (width - len(row))
    for at in range(width) if places is None else places:
        texts = Texts(rows[0][at], Column(rows[1:], at))
        for row in rows[1:] if only is None else only:
            if isinstance(row[at], str):
                row[at] = Written(row[at])
                row[at].column = texts
    return rows


def _cell(value):
    """A value as a workbook holds it."""
    return value.column.cell(value) if isinstance(value, Written) else None if value == "" else value


def _left_open(rows):
    """What is to be said of columns that stay text because they can be read in two ways."""
    columns = {value.column: None for row in rows for value in row if isinstance(value, Written)}
    return "".join(f"; {each.head} stays text: {each.open}" for each in columns if each.open)


def _left_out(column, head, found, kind):
    """What is to be said of the rows that were left out, because nothing was ``found`` in a column."""
    none = [(_said(value), at) for value, at, each in zip(column, column.at, found) if each is None]
    odd = next((f", such as {text!r} in row {at}" for text, at in none if text.strip()), "")
    return f"{_without(len(none), kind, _said(head))}{odd}"


def _spelt(values, what):
    """What is to be said of values that are spelt in several ways, but for blanks and capital letters the same."""
    ways = {}
    for value in values:
        ways.setdefault(_plain(value), {})[" ".join(_said(value).split())] = None
    several = [" and ".join(map(repr, each)) for each in ways.values() if len(each) > 1]
    more = [_counted(len(several) - 3, "other")] if len(several) > 3 else []
    return "".join(f"; {each} {what}" for each in (*several[:3], *more))


def _order_read(column):
    """What is to be said of dates whose order only others of the column show."""
    if not any(map(_two_ways, column)):
        return ""
    return f"; dates read with the {'day' if _day_first(column) else 'month'} first"
