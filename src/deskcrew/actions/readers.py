"""The text of a document by its type, and single cells of tables (C25; COLA promises pdf and raises on it).

Files may come from anywhere: no reader follows a reference, resolves an entity or runs a macro, and each is bounded by the
size of what it unpacks. A damaged file is the model's problem, not ours: ActionError.
"""

from __future__ import annotations

import csv
import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import docx
import docx.text.paragraph
import openpyxl
import pypdf
import pypdf.errors
from openpyxl.utils import column_index_from_string
from openpyxl.utils.exceptions import InvalidFileException
from PIL import Image, UnidentifiedImageError

from deskcrew.environments.holding import READ
from deskcrew.errors import ActionError

MAX_TEXT = 200_000
"""Characters returned; a note says what is missing."""
MAX_FILE = 64 << 20
"""Bytes of the largest file that is opened."""
MAX_UNPACKED = 256 << 20
"""Bytes that the parts of an office document may unpack to."""
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, InvalidFileException, UnidentifiedImageError, ElementTree.ParseError, OSError,
    pypdf.errors.PyPdfError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError,
    RecursionError, EOFError, NotImplementedError, MemoryError,
)  # fmt: skip
"""What parsers raise on damaged files: whatever their authors did not think of."""
_ADDRESS = re.compile(r"(?:(?P<sheet>.+)!)?\$?(?P<column>[A-Z]{1,3})\$?(?P<row>[1-9][0-9]{0,6})")
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def read(path: Path) -> str:
    """The text of a file. Raises ActionError for what cannot be read, OSError for what cannot be opened."""
    reader = READERS.get(path.suffix.lower())
    content = _content(path)
    if reader is None:
        return _capped(iter((_plain(content, path.name),)))
    with _told(path):
        return _capped(reader(content))


def cell(path: Path, address: str) -> str | None:
    """The value of one cell (``B2``, ``Sheet2!B2``; without a sheet the first) of an xlsx or csv file, '' of an empty one.

    None where it cannot be looked at: another kind of file, or a formula that no program has calculated and stored. A
    number or date is given as it is stored, not in its cell's format. Raises ActionError for an address or a sheet that
    is not there and for a damaged file, OSError for what cannot be opened.
    """
    match = _ADDRESS.fullmatch(address.strip())
    if match is None:
        raise ActionError(f"{address!r} is no cell; write it as B2 or Sheet2!B2.")
    sheet = (match["sheet"] or "").strip("'")
    column, row = column_index_from_string(match["column"]), int(match["row"])
    match path.suffix.lower():
        case ".xlsx" | ".xlsm":
            with _told(path):
                return _xlsx_cell(_content(path), sheet, row, column)
        case ".csv" | ".tsv" if not sheet:
            return _csv_cell(_plain(_content(path), path.name), row, column)
        case ".csv" | ".tsv":
            raise ActionError(f"{path.name} has no sheets; write {match['column']}{row}.")
        case _:
            return None


def _content(path: Path) -> bytes:
    descriptor = os.open(path, READ)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise ActionError(f"{path.name} is not a file; it cannot be read.")
    with open(descriptor, "rb") as file:
        if status.st_size > MAX_FILE:
            size = status.st_size >> 20
            raise ActionError(f"{path.name} is {size} MiB; files over {MAX_FILE >> 20} MiB cannot be read whole.")
        return file.read()


@contextmanager
def _told(path: Path) -> Generator[None]:
    """What a parser raises on a damaged file, worded for the model."""
    try:
        yield
    except _DAMAGED as error:
        problem = " ".join(str(error).split())[:200] or type(error).__name__
        raise ActionError(f"{path.name} cannot be read as {path.suffix.lower()[1:]}: {problem}.") from error


def _capped(pieces: Iterator[str]) -> str:
    kept: list[str] = []
    length = 0
    for piece in pieces:
        kept.append(piece)
        length += len(piece)
        if length > MAX_TEXT:
            return "".join(kept)[:MAX_TEXT] + f"\n[cut here: only the first {MAX_TEXT} characters are shown]"
    return "".join(kept)


def _plain(content: bytes, name: str) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:8192]:
        known = ", ".join(sorted(kind[1:] for kind in READERS))
        raise ActionError(f"{name} is not text. Besides text, these can be read: {known}.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _unpackable(content: bytes) -> io.BytesIO:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > MAX_UNPACKED:
            raise ValueError(f"it unpacks to more than {MAX_UNPACKED >> 20} MiB")
    return io.BytesIO(content)


def _xlsx(content: bytes) -> Iterator[str]:
    """Every sheet as CSV; a formula without a stored value as the formula."""
    values = openpyxl.load_workbook(_unpackable(content), read_only=True, data_only=True)
    formulas = openpyxl.load_workbook(_unpackable(content), read_only=True, data_only=False)
    for sheet in values.worksheets:
        yield f"[sheet {sheet.title}]\n"
        rows: Any = zip(sheet.iter_rows(values_only=True), formulas[sheet.title].iter_rows(values_only=True), strict=False)
        for row, written in rows:
            cells = [formula if value is None else value for value, formula in zip(row, written, strict=False)]
            while cells and cells[-1] is None:
                cells.pop()
            yield _csv_line(["" if cell is None else str(cell) for cell in cells])


def _xlsx_cell(content: bytes, sheet: str, row: int, column: int) -> str | None:
    found: list[Any] = []
    for calculated in (True, False):
        book = openpyxl.load_workbook(_unpackable(content), read_only=True, data_only=calculated)
        pages = {page.title: page for page in book.worksheets}
        if sheet and sheet not in pages:
            raise ActionError(f"There is no sheet {sheet!r}; there are: {', '.join(pages)}.")
        page = pages[sheet] if sheet else book.worksheets[0]
        found.append(page.cell(row, column).value)
    value, written = found
    if value is None:
        return "" if written is None else None
    return str(value).upper() if isinstance(value, bool) else str(value)


def _csv_cell(text: str, row: int, column: int) -> str:
    # Spreadsheets write semicolons where the decimal point is a comma.
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    line = next(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), row - 1, None), list[str]())
    return line[column - 1] if column <= len(line) else ""


def _docx(content: bytes) -> Iterator[str]:
    for block in docx.Document(_unpackable(content)).iter_inner_content():
        if isinstance(block, docx.text.paragraph.Paragraph):
            yield block.text + "\n"
        else:
            for row in block.rows:
                yield _csv_line([cell.text for cell in row.cells])


def _pdf(content: bytes) -> Iterator[str]:
    document = pypdf.PdfReader(io.BytesIO(content))
    if document.is_encrypted and not document.decrypt(""):
        raise ActionError("The PDF is protected by a password.")
    for number, page in enumerate(document.pages, start=1):
        text = page.extract_text().strip()
        yield f"[page {number}]\n{text or '(no text on this page; it may be a scanned picture)'}\n"


def _image(content: bytes) -> Iterator[str]:
    with Image.open(io.BytesIO(content)) as picture:
        yield f"{picture.format} picture, {picture.width} x {picture.height} pixels. Its content cannot be read as text.\n"


def _opendocument(content: bytes) -> Iterator[str]:
    """Paragraphs, headings and table rows of a LibreOffice text, spreadsheet or presentation."""
    with zipfile.ZipFile(_unpackable(content)) as archive:
        root = ElementTree.fromstring(archive.read("content.xml"))
    yield from _blocks(root)


def _blocks(node: ElementTree.Element) -> Iterator[str]:
    for child in node:
        if child.tag == f"{_TABLE}table":
            yield f"[table {child.get(f'{_TABLE}name', '')}]\n"
            yield from _blocks(child)
        elif child.tag == f"{_TABLE}table-row":
            cells: list[str] = []
            for cell in child:
                # Empty cells to the sheet's edge are one cell with a huge repeat count.
                repeated = min(int(cell.get(f"{_TABLE}number-columns-repeated", "1")), 256)
                cells += ["\n".join("".join(part.itertext()) for part in cell.iter(f"{_TEXT}p"))] * repeated
            while cells and not cells[-1]:
                cells.pop()
            if cells:
                yield _csv_line(cells)
        elif child.tag in {f"{_TEXT}p", f"{_TEXT}h"}:
            yield "".join(child.itertext()) + "\n"
        else:
            yield from _blocks(child)


def _pptx(content: bytes) -> Iterator[str]:
    with zipfile.ZipFile(_unpackable(content)) as archive:
        names = [name for name in archive.namelist() if name.startswith("ppt/slides/slide") and name.endswith(".xml")]
        for number, name in enumerate(sorted(names, key=lambda name: (len(name), name)), start=1):
            yield f"[slide {number}]\n"
            for paragraph in ElementTree.fromstring(archive.read(name)).iter(f"{_DRAWING}p"):
                if text := "".join(part.text or "" for part in paragraph.iter(f"{_DRAWING}t")):
                    yield text + "\n"


def _csv_line(cells: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


READERS: dict[str, Callable[[bytes], Iterator[str]]] = {
    ".xlsx": _xlsx, ".xlsm": _xlsx, ".docx": _docx, ".pdf": _pdf, ".pptx": _pptx,
    ".odt": _opendocument, ".ods": _opendocument, ".odp": _opendocument,
    ".png": _image, ".jpg": _image, ".jpeg": _image, ".gif": _image, ".bmp": _image, ".webp": _image,
}  # fmt: skip
"""Everything that is not plain text, by suffix."""
