"""Tables as people have them: text with any separator, or the first sheet of a workbook."""

import csv
import difflib
import io
import re
import unicodedata
from datetime import date, datetime
from decimal import Context, Decimal
from pathlib import Path

BOOKS = (".xlsx", ".xlsm")
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]


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
    """The rows, the heading first, all equally long. Values of text files are texts."""
    if Path(path).suffix.lower() in BOOKS:
        import openpyxl

        sheet = openpyxl.load_workbook(path, data_only=True).worksheets[0]
        rows = [_row(values, at) for at, values in enumerate(sheet.iter_rows(values_only=True), 1)]
        formulas = openpyxl.load_workbook(path).worksheets[0]
        for row in formulas.iter_rows():
            for cell in row:
                if cell.data_type == "f" and rows[cell.row - 1][cell.column - 1] is None:
                    raise ValueError(f"{cell.coordinate} of {path} was never calculated: open and save it once")
    else:
        text = _text(path)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        rows = [_row(values, at) for at, values in enumerate(lines, 1)]
    rows = [row for row in rows if any(value not in (None, "") for value in row)]
    if not rows:
        raise ValueError(f"{path} is empty")
    width = max(at + 1 for row in rows for at, value in enumerate(row) if value not in (None, ""))
    empty = None if Path(path).suffix.lower() in BOOKS else ""
    return [_row([*row, *[empty] * width][:width], row.at) for row in rows]


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


def _write(result, rows, like, columns=None):
    """A new table, with the separator or the formatting of the file ``like``, if any. ``columns``: where each column was, None
    for a new one."""
    place, books = _new(result), [Path(each).suffix.lower() in BOOKS for each in (result, like)]
    if not books[0]:
        first = _text(like) if like and not books[1] else ","
        mark = "\t" if place.suffix.lower() == ".tsv" else _separator(first)
        with place.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=mark, lineterminator="\r\n" if "\r\n" in first else "\n")
            writer.writerows([[_said(value) for value in row] for row in rows])
        return
    import openpyxl

    book = openpyxl.load_workbook(like) if books[1] else openpyxl.Workbook()
    sheet = book.worksheets[0]
    if books[1] and sheet.merged_cells.ranges:
        raise ValueError(f"{like} has merged cells: split them first")
    looks = {(cell.row, cell.column): cell._style for row in sheet.iter_rows() for cell in row}
    sheet.delete_rows(1, sheet.max_row)
    for number, row in enumerate(rows, 1):
        for at, value in enumerate(row):
            was = columns[at] if columns is not None else at
            cell = sheet.cell(number, at + 1, value)
            if (look := looks.get((row.at, was + 1) if was is not None else ())) is not None:
                cell._style = look
    book.save(place)


class Column(list):
    """The values of a column, each with the number of its row in ``at``."""

    def __init__(self, rows, place):
        super().__init__(row[place] for row in rows)
        self.at = [row.at for row in rows]


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


def _numbers(column, sizes=True):
    """The numbers of a column, None for an empty cell. Raises ValueError for what is none."""
    return _all_read(column, _figures(column, sizes)[0], "number")


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


def _date(value, day_first):
    """A value as a date; None if it is none."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = _said(value).strip()
    if found := re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ][\d:.]+)?", text):
        year, month, day = map(int, found.groups())
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
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        return None


def _days(values, order=None):
    """The dates of a column, None for what is none. ``order``: "day first" or "month first", for 03/04/2026; None: as the
    column shows."""
    texts = [_said(value).strip() for value in values]
    parts = [re.fullmatch(r"(\d{1,2})[-/](\d{1,2})[-/]\d{2,4}", text) for text in texts]
    day_first = order != "month first" if order else not any(int(found[2]) > 12 for found in parts if found)
    return [_date(value, day_first) for value in values]


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
    numbers, days = _figures(column, sizes=False)[0], _days(column)
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
