"""Files with one thing in them altered: what evidence must notice, or it is evidence of nothing but that a file is there.

An alteration is small and of the file's own kind: a number is another number, a line is gone, a letter is another one, a
cell or a paragraph says something else. What it is does not depend on chance: the same file is always altered the same way.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import TypeVar

from docx import Document
from openpyxl import load_workbook
from openpyxl.cell.cell import Cell

T = TypeVar("T")

LARGEST = 4 << 20
"""Bytes of the largest file that is altered."""
GARBAGE = b"banana\n"
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")


def altered(path: str, before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Alterations of what is new in a file, each with its name. ``before``: its content at the start, None for a new file.

    Nothing for a file that is as it was, is empty or is larger than :data:`LARGEST`; where its kind is not known, or
    nothing in it can be altered, all of it is replaced.
    """
    if before == now or not now or len(now) > LARGEST:
        return
    make = {".xlsx": _sheets, ".xlsm": _sheets, ".docx": _paragraphs}.get(PurePosixPath(path).suffix.lower(), _lines)
    found = list(make(before, now))
    yield from found
    if not found:
        yield "other content", GARBAGE


def _lines(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        old = set((before or b"").decode("utf-8-sig", "replace").splitlines())
        lines = now.decode("utf-8").splitlines(keepends=True)
    except UnicodeDecodeError:
        return
    new = [number for number, line in enumerate(lines) if line.strip() and line.rstrip("\r\n") not in old]
    for number in _spread(new):
        line = lines[number]
        name = f"line {number + 1}"
        for what, other in (
            ("with another number", _another(line, _DIGIT, _other_digit)),
            ("with another letter", _another(line, _LETTER, _other_letter)),
            ("left out", ""),
        ):
            if other is not None and other != line:
                yield f"{name} {what}", "".join((*lines[:number], other, *lines[number + 1 :])).encode()


def _sheets(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        old = _cells(before) if before else {}
        new = _cells(now)
        changed = [at for at, value in new.items() if value is not None and old.get(at) != value]
        for sheet, address in _spread(changed):
            book = load_workbook(io.BytesIO(now))
            cell = book[sheet][address]
            if isinstance(cell, Cell):
                value = cell.value
                cell.value = value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else f"{value}x"
                written = io.BytesIO()
                book.save(written)
                yield f"{sheet}!{address} with another value", written.getvalue()
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, OSError):
        return


def _cells(data: bytes) -> dict[tuple[str, str], object]:
    book = load_workbook(io.BytesIO(data))
    return {
        (sheet.title, cell.coordinate): cell.value
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None
    }


def _paragraphs(before: bytes | None, now: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        old = {paragraph.text for paragraph in Document(io.BytesIO(before)).paragraphs} if before else set[str]()
        texts = [paragraph.text for paragraph in Document(io.BytesIO(now)).paragraphs]
        for number in _spread([number for number, text in enumerate(texts) if text.strip() and text not in old]):
            document = Document(io.BytesIO(now))
            paragraph = document.paragraphs[number]
            other = _another(paragraph.text, _DIGIT, _other_digit) or _another(paragraph.text, _LETTER, _other_letter)
            paragraph.text = other or f"{paragraph.text}x"
            written = io.BytesIO()
            document.save(written)
            yield f"paragraph {number + 1} with another text", written.getvalue()
    except (zipfile.BadZipFile, KeyError, ValueError, OSError):
        return


def _spread(places: list[T], most: int = 3) -> list[T]:
    """The first, the middle and the last of them."""
    if len(places) <= most:
        return places
    return [places[0], places[len(places) // 2], places[-1]]


def _another(text: str, pattern: re.Pattern[str], other: Callable[[str], str]) -> str | None:
    """The text with the middle one of what ``pattern`` finds replaced; None where it finds nothing."""
    found = list(pattern.finditer(text))
    if not found:
        return None
    match = found[len(found) // 2]
    return text[: match.start()] + other(match.group()) + text[match.end() :]


def _other_digit(digit: str) -> str:
    return str((int(digit) + 1) % 10)


def _other_letter(letter: str) -> str:
    return {"x": "y", "X": "Y"}.get(letter, "X" if letter.isupper() else "x")
