"""Tables as people have them: text with any separator, or the first sheet of a workbook."""

import csv
import difflib
import io
import re
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


def _number(text, comma):
    text = "".join(each for each in _said(text) if not each.isspace() and each not in "€$£¥%'").replace("−", "-")
    text = text.replace(".", "").replace(",", ".") if comma else text.replace(",", "")
    return Decimal(text) if re.fullmatch(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?", text) else None


def _has_comma(values):
    """Whether the decimals of a column are behind a comma."""
    for text in map(_said, values):
        marks = "".join(each for each in text if each in ".,")
        if len(set(marks)) == 2:
            return marks[-1] == ","
        if len(marks) == 1 and sum(map(str.isdecimal, text.split(marks)[1])) != 3:
            return marks == ","
    return False


def _numbers(values):
    """The numbers of a column, None for an empty cell. Raises ValueError for what is none."""
    comma, found = _has_comma(values), []
    for value in values:
        number = None if _said(value).strip() == "" else _number(value, comma)
        if number is None and _said(value).strip():
            raise ValueError(f"{_said(value)!r} is not a number")
        found.append(number)
    return found


def _date(value, day_first):
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
        raise ValueError(f"{text!r} is not a date")
    try:
        return date(year + 2000 if year < 100 else year, month, day)
    except ValueError:
        raise ValueError(f"{text!r} is not a date") from None


def _dates(values, order=None):
    """The dates of a column, None for an empty cell. ``order``: "day first" or "month first", for 03/04/2026; None: as the
    column shows. Raises ValueError for what is none."""
    texts = [_said(value).strip() for value in values]
    parts = [re.fullmatch(r"(\d{1,2})[-/](\d{1,2})[-/]\d{2,4}", text) for text in texts]
    day_first = order != "month first" if order else not any(int(found[2]) > 12 for found in parts if found)
    return [_date(value, day_first) if text else None for value, text in zip(values, texts)]


def _is_code(text):
    """Whether a text looks like a number and is none: it begins with 0 or +."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isdecimal() and (text[0] == "+" or (digits[0] == "0" and len(digits) > 1))


def _keys(values, order=None):
    """What a column is compared by: numbers, or dates, or texts; None for an empty cell."""
    for read in (_numbers, lambda some: _dates(some, order)):
        try:
            return read(values)
        except ValueError:
            pass
    return [_said(value).strip().casefold() or None for value in values]


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
