"""What is in files, for programs that check what was done with them: read in another way than it was done."""

import csv
import datetime
import decimal
import re
from xml.etree import ElementTree


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
            return (
                f"{value:%Y-%m-%d}"
                if (value.hour, value.minute, value.second) == (0, 0, 0)
                else f"{value:%Y-%m-%d %H:%M:%S}"
            )
        case float():
            return f"{value:.15g}"
        case _:
            return f"{value}"


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

        sheet = openpyxl.load_workbook(path, data_only=True).worksheets[0]
        rows = [[_cell(cell.value) for cell in row] for row in sheet.rows]
    else:
        lines = _decoded(path.read_bytes()).splitlines(keepends=True)
        mark = sorted(";,\t|", key=lambda each: (lines[0] if lines else "").count(each))[-1]
        rows = list(csv.reader(lines, delimiter=mark))
    rows = [row for row in rows if "".join(row)]
    last = max((n for row in rows for n, cell in enumerate(row) if cell), default=-1)
    return [(row + [""] * (last + 1))[: last + 1] for row in rows]


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


def _amounts(texts):
    """Texts as numbers, '' as None; None for all if one is no number."""
    stripped = ["".join(each for each in text if each not in " \u00a0\u202f€$£¥%'").replace("−", "-") for text in texts]
    decimal_mark = "."
    for text in stripped:
        dot, comma = text.rfind("."), text.rfind(",")
        if dot >= 0 and comma >= 0:
            decimal_mark = "." if dot > comma else ","
            break
        at = max(dot, comma)
        if at >= 0 and text.count(text[at]) == 1 and len(text) - at - 1 != 3:
            decimal_mark = text[at]
            break
    other = "," if decimal_mark == "." else "."
    try:
        return [decimal.Decimal(t.replace(other, "").replace(decimal_mark, ".")) if t else None for t in stripped]
    except decimal.InvalidOperation:
        return None


NAMED = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _day(text, month_first=False):
    """A text as a date; None if it is none."""
    text = text.strip().lower()
    numbers = [int(each) for each in re.findall(r"\d+", text.split("t")[0] if re.match(r"\d{4}-\d\d-\d\dt", text) else text)]
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


def _days(texts, order=None):
    """Texts as dates, '' as None; None for all if one is no date."""
    second = [int(found[1]) for t in texts if (found := re.match(r"\s*\d{1,2}[-/](\d{1,2})[-/]\d{2,4}\s*$", t))]
    month_first = order == "month first" or (not order and any(each > 12 for each in second))
    days = [_day(text, month_first) if text.strip() else None for text in texts]
    return days if all(day or not text.strip() for day, text in zip(days, texts)) else None


def _comparable(texts, order=None):
    """Texts as what they are compared by, '' as None."""
    return _amounts(texts) or _days(texts, order) or [text.strip().lower() or None for text in texts]


def _untouched(start, end, path):
    """Whether a file is what it was."""
    before, now = start / path, end / path
    return now.is_file() and before.read_bytes() == now.read_bytes()


def _same_grid(now, wanted):
    for number, (row, other) in enumerate(zip(now, wanted), 1):
        assert row == other, f"row {number} is {row}, not {other}"
    assert len(now) == len(wanted), f"there are {len(now)} rows, not {len(wanted)}"


def _near(one, other):
    """Whether two numbers are the same but for rounding."""
    if one is None or other is None:
        return one is other
    return abs(one - other) <= decimal.Decimal("0.00000001") * max(1, abs(other))


def _worked_out(told, texts, path):
    """Numbers that were worked out from ``texts``, '' as None: written as those are, or as numbers of a workbook."""
    if _is_book(path):
        return [decimal.Decimal(text) if text else None for text in told]
    numbers = _amounts([*texts, *told])
    assert numbers is not None, "not all of it is numbers"
    return numbers[len(texts) :]
