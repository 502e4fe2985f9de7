"""Copies of a file with the mistakes that are typical of its kind: a row that is missing, there twice or in another place, a
value in the wrong row or column, a date a day later, a number without its decimals, a text that breaks off.

A check that says all that a file holds must notice each of them. Of other checks that cannot be asked: whoever wrote them
may have left open in what order something is. Mistakes are deterministic, as all alterations are.
"""

from __future__ import annotations

import copy
import csv
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Any, TypeGuard, TypeVar

from PIL import Image, ImageChops, ImageOps, ImageStat

from deskcrew.actions.documents import opened_pdf
from deskcrew.environments.pictures import DECODED, FORMATS
from deskcrew.evidence.altering import LARGEST, altered_text
from deskcrew.evidence.damaging import saved, spread, unreadable

Grid = list[list[object]]
T = TypeVar("T")
Mistakes = Iterator[tuple[str, bytes]]
_MARKS = ";,\t|"
_BLOCKS = ("VEVENT", "VTODO", "VCARD")
_VISIBLE = 64
"""The mean difference of two pictures' colours, of 255, from which anybody sees it."""
_MOST_ROWS = 1000
"""The maximum number of rows, lines or entries: copies of larger files would take longer than the check of the result."""


def mistakes(path: str, now: bytes) -> Mistakes:
    """Yield the file with one mistake each, as pairs of name and content. Nothing for files that cannot be taken apart."""
    if len(now) > LARGEST:
        return
    try:
        for what, content in _MAKERS.get(PurePosixPath(path).suffix.lower(), _texts)(now):
            if content != now:
                yield what, content
    except unreadable():
        return


def _in_sequence(parts: Sequence[T], noun: str, *, ordered: bool = True) -> Iterator[tuple[str, list[T]]]:
    """Mistakes in which parts there are and, if they are ``ordered``, where."""
    if not 0 < len(parts) <= _MOST_ROWS:
        return
    yield f"the last {noun} left out", [*parts[:-1]]
    yield f"the first {noun} left out", [*parts[1:]]
    yield f"the last {noun} twice", [*parts, parts[-1]]
    others = [at for at in range(1, len(parts)) if parts[at] != parts[at - 1]]
    if ordered and others:
        at = others[len(others) // 2]
        yield f"{noun}s {at} and {at + 1} interchanged", [*parts[: at - 1], parts[at], parts[at - 1], *parts[at + 1 :]]
        yield f"the {noun}s in the opposite order", [*reversed(parts)]


def _texts(now: bytes) -> Mistakes:
    lines = now.decode().splitlines(keepends=True)
    said = [line if line.endswith("\n") else f"{line}\n" for line in lines if line.strip()]
    for what, made in _in_sequence(said, "line"):
        yield what, "".join(made).encode()
    if said:
        last = said.pop().rstrip()
        yield "its last text broken off", "".join((*said, last[: len(last) // 2])).encode()


def _tables(now: bytes) -> Mistakes:
    text = now.decode("utf-8-sig")
    mark = max(_MARKS, key=text.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=mark))
    for what, made in _in_grid([list[object](row) for row in rows]):
        written = io.StringIO(newline="")
        csv.writer(written, delimiter=mark, lineterminator="\n").writerows(made)
        yield what, written.getvalue().encode()


def _sheets(now: bytes) -> Mistakes:
    from openpyxl import load_workbook

    names = load_workbook(io.BytesIO(now)).sheetnames
    for name in dict.fromkeys((names[0], names[-1])):
        rows: Grid = [[cell.value for cell in row] for row in load_workbook(io.BytesIO(now))[name].iter_rows()]
        for what, made in _in_grid(rows):
            book: Any = load_workbook(io.BytesIO(now))
            for number, row in enumerate([*made, [None] * len(rows[0])][: len(rows) + 1], 1):
                for column, value in enumerate(row, 1):
                    book[name].cell(number, column).value = value
            yield f"{name}: {what}", saved(book.save)
    if len(names) > 1:
        book = load_workbook(io.BytesIO(now))
        del book[names[-1]]
        yield f"{names[-1]} left out", saved(book.save)


def _in_grid(rows: Grid) -> Iterator[tuple[str, Grid]]:
    """Mistakes in a table with a heading."""
    if not rows or len(rows) > _MOST_ROWS:
        return
    head, *body = rows
    yield "the heading left out", body
    yield "the heading twice", [head, head, *body]
    for what, made in _in_sequence(body, "row"):
        yield what, [head, *made]
    columns = [list(each) for each in zip(*body, strict=False)]
    if several := [at for at, values in enumerate(columns) if any(value != values[0] for value in values)]:
        at = several[-1]
        lower = [columns[at][-1], *columns[at][:-1]]
        yield f"column {at + 1} a row lower", [head, *(_with(row, at, new) for row, new in zip(body, lower, strict=True))]
    if len(columns) > 1 and columns[-1] != columns[-2]:
        yield "the values of the last two columns interchanged", [head, *([*row[:-2], *row[:-3:-1]] for row in body)]
    yield from _in_cells(head, body)


def _in_cells(head: list[object], body: Grid) -> Iterator[tuple[str, Grid]]:
    """Mistakes in one cell: the first that can have each of them."""
    for what, change in _IN_CELLS.items():
        for number, at in ((number, at) for number, row in enumerate(body) for at in range(len(row))):
            if (other := change(body[number][at])) is not None:
                made = [*body[:number], _with(body[number], at, other), *body[number + 1 :]]
                yield f"row {number + 2}, column {at + 1} {what}", [head, *made]
                break


def _with(row: Sequence[object], at: int, value: object) -> list[object]:
    return [*row[:at], value, *row[at + 1 :]]


def _day_later(value: object) -> object:
    if isinstance(value, datetime | date):
        return value + timedelta(days=1)
    try:
        return (date.fromisoformat(value[:10]) + timedelta(days=1)).isoformat() + value[10:] if _said(value) else None
    except ValueError:
        return None


def _said(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip())


def _without_decimals(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value % 1 else None
    if not isinstance(value, str):
        return None
    whole, mark, decimals = value.replace(",", ".").partition(".")
    figures = whole.lstrip("-").isdecimal() and decimals.isdecimal() and bool(decimals.strip("0"))
    return whole if mark and figures else None


def _without_sign(value: object) -> object:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return -value or None
    return value[1:] if _said(value) and value[0] in "-+" and value[1:2].isdecimal() else None


def _without_zeros(value: object) -> object:
    return value.lstrip("0") if _said(value) and value.isdecimal() and value[0] == "0" and value.strip("0") else None


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


_IN_CELLS: dict[str, Callable[[object], object]] = {
    "a day later": _day_later,
    "without its decimals": _without_decimals,
    "with the other sign": _without_sign,
    "without the zeros in front": _without_zeros,
    "as a text": _as_text,
    "empty": lambda value: "" if _said(value) or isinstance(value, int | float) else None,
}


def _entries(now: bytes) -> Mistakes:
    """Calendars and contact cards: whole entries, whose order says nothing, and days."""
    lines = now.decode().splitlines(keepends=True)
    begins = [at for at, line in enumerate(lines) if line.strip().upper() in {f"BEGIN:{kind}" for kind in _BLOCKS}]
    ends = [at + 1 for at, line in enumerate(lines) if line.strip().upper() in {f"END:{kind}" for kind in _BLOCKS}]
    entries = ["".join(lines[begin:end]) for begin, end in zip(begins, ends, strict=False)]
    if not entries:
        return
    top, bottom = "".join(lines[: begins[0]]), "".join(lines[ends[-1] :])
    for what, made in _in_sequence(entries, "entry", ordered=False):
        yield what, "".join((top, *made, bottom)).encode()
    for number, line in enumerate(lines):
        name, _, value = line.partition(":")
        if name.partition(";")[0].upper() in ("DTSTART", "BDAY") and value[:8].isdecimal():
            later = (datetime.strptime(value[:8], "%Y%m%d") + timedelta(days=1)).strftime("%Y%m%d")
            yield (
                f"line {number + 1} a day later",
                "".join((*lines[:number], f"{name}:{later}{value[8:]}", *lines[number + 1 :])).encode(),
            )
            return


def _paragraphs(now: bytes) -> Mistakes:
    from docx import Document

    count = len([each for each in Document(io.BytesIO(now)).paragraphs if each.text.strip()])
    for what, order in _in_sequence(range(count), "paragraph"):
        document = Document(io.BytesIO(now))
        there: list[Any] = [each._p for each in document.paragraphs if each.text.strip()]  # pyright: ignore[reportPrivateUsage]
        for element in [copy.deepcopy(there[at]) for at in order]:
            there[0].addprevious(element)
        for element in there:
            element.getparent().remove(element)
        yield what, saved(document.save)


def _pages(now: bytes) -> Mistakes:
    import pypdf
    from pypdf.generic import ContentStream, NameObject

    there = opened_pdf(now).pages
    texts = [page.extract_text() for page in there]
    looks = [(text, page.mediabox, page.rotation) for text, page in zip(texts, there, strict=True)]

    for what, order in _in_sequence(range(len(there)), "page"):
        if [looks[at] for at in order] != looks and order:
            made = pypdf.PdfWriter()
            for at in order:
                made.add_page(there[at])
            yield what, saved(made.write)
    for number in spread([at for at, text in enumerate(texts) if text.strip()]):
        made = pypdf.PdfWriter(clone_from=io.BytesIO(now))
        page = made.pages[number]
        content = ContentStream(page.get_contents(), made)
        operations = list(content.operations)
        shown = [at for at, (_, operator) in enumerate(operations) if operator in (b"Tj", b"TJ")]
        for what, others in _last_text(operations, shown):
            content.operations = others
            page[NameObject("/Contents")] = content
            yield f"page {number + 1} {what}", saved(made.write)


def _last_text(
    operations: Sequence[tuple[Any, bytes]], shown: Sequence[int]
) -> Iterator[tuple[str, list[tuple[Any, bytes]]]]:
    """A page's operations with its last text left out or altered. ``shown``: the indices of those that show a text."""
    from pypdf.generic import TextStringObject

    for at in shown[-1:]:
        operands, operator = operations[at]
        yield "without its last text", [*operations[:at], *operations[at + 1 :]]
        said = operands[0] if operator == b"Tj" and isinstance(operands[0], str) else ""
        for what, other in altered_text(said):
            yield what, [*operations[:at], ([TextStringObject(other)], operator), *operations[at + 1 :]]


def _archives(now: bytes) -> Mistakes:
    with zipfile.ZipFile(io.BytesIO(now)) as opened:
        members = [(name, opened.read(name)) for name in opened.namelist() if not name.endswith("/")]

    def written(made: Sequence[tuple[str, bytes]]) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in made:
                archive.writestr(name, data)
        return stream.getvalue()

    if not members:
        return
    (name, data), *others = reversed(members)
    yield f"{name} under another name", written([*others, (f"{name}x", data)])
    yield f"{name} with one more letter", written([*others, (name, data + b"x")])
    if other := next((each for each in others if each[1] != data), None):
        rest = [each for each in others if each is not other]
        yield f"{name} and {other[0]} with each other's content", written([*rest, (name, other[1]), (other[0], data)])


def _pictures(now: bytes) -> Mistakes:
    with Image.open(io.BytesIO(now), formats=DECODED) as image:
        spot = image.convert("RGB")
        box = (0, 0, max(1, image.width // 3), max(1, image.height // 3))
        spot.paste(ImageOps.invert(spot.crop(box)), box)
        made = {
            "mirrored": image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
            "upside down": image.transpose(Image.Transpose.ROTATE_180),
            "with a corner in other colours": spot,
        }
        for what, other in made.items():
            corner = box if other is spot else (0, 0, *image.size)
            pair = (each.convert("RGB").crop(corner) for each in (image, other))
            if max(ImageStat.Stat(ImageChops.difference(*pair)).mean) >= _VISIBLE:
                yield what, saved(partial(other.save, format=image.format, exif=image.getexif()))


_MAKERS: dict[str, Callable[[bytes], Mistakes]] = {
    ".csv": _tables, ".tsv": _tables, ".xlsx": _sheets, ".xlsm": _sheets, ".docx": _paragraphs, ".pdf": _pages,
    ".zip": _archives, ".ics": _entries, ".vcf": _entries, **dict.fromkeys(FORMATS, _pictures),
}  # fmt: skip
"""What makes the mistakes by suffix; other files are texts."""
