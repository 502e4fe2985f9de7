"""Files of the kinds that questions come with, the same bytes for the same content."""

from __future__ import annotations

import csv
import io
import math
import re
import string
import subprocess
import zipfile
from array import array
from collections.abc import Iterable, Sequence

import docx
import openpyxl
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

RATE = 16_000
"""Samples of sound a second."""
THEN = (2026, 1, 1, 0, 0, 0)
"""When all files in archives are from."""
_PARENTHESIS, _ESCAPED = re.compile(r"([()\\])"), r"\\\1"
"""What a string of a PDF file must not hold as it is."""

_MARKS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- "
    "-. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)  # fmt: skip
MORSE = dict(zip(string.ascii_uppercase, _MARKS.split(), strict=True))
KEYS = {key: (row, column) for row, keys in zip((697, 770, 852, 941), ("123", "456", "789", "*0#"), strict=True)
        for key, column in zip(keys, (1209, 1336, 1477), strict=True)}  # fmt: skip


def zipped(entries: Iterable[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name, THEN)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return made.getvalue()


def settled(document: bytes) -> bytes:
    """An office document without the time at which it was written."""
    with zipfile.ZipFile(io.BytesIO(document)) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    stamp = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")
    return zipped((name, stamp.sub(rb"\g<1>2026-01-01T00:00:00Z", content)) for name, content in entries)


def workbook(**sheets: Sequence[Sequence[object]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    made = io.BytesIO()
    book.save(made)
    return settled(made.getvalue())


def letter(title: str, before: Sequence[str], table: Sequence[Sequence[str]], after: Sequence[str]) -> bytes:
    document = docx.Document()
    document.add_heading(title)
    for paragraph in before:
        document.add_paragraph(paragraph)
    grid = document.add_table(rows=0, cols=len(table[0]), style="Table Grid")
    for row in table:
        for cell, text in zip(grid.add_row().cells, row, strict=True):
            cell.text = text
    for paragraph in after:
        document.add_paragraph(paragraph)
    made = io.BytesIO()
    document.save(made)
    return settled(made.getvalue())


def pages(*texts: Sequence[str]) -> bytes:
    """A PDF file of these pages, each a list of lines."""
    writer = PdfWriter()
    named = {"Type": "Font", "Subtype": "Type1", "BaseFont": "Courier", "Encoding": "WinAnsiEncoding"}
    font = DictionaryObject({NameObject(f"/{key}"): NameObject(f"/{value}") for key, value in named.items()})
    for lines in texts:
        page = writer.add_blank_page(595, 842)
        fonts = DictionaryObject({NameObject("/F"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        shown = "".join(f"({_PARENTHESIS.sub(_ESCAPED, line)}) '\n" for line in lines)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F 11 Tf 16 TL 60 780 Td\n{shown}ET".encode("cp1252"))
        page[NameObject("/Contents")] = stream
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


def picture(image: Image.Image) -> bytes:
    made = io.BytesIO()
    image.save(made, "PNG", optimize=True)
    return made.getvalue()


def table_of(rows: Iterable[Sequence[object]]) -> bytes:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue().encode()


def tone(seconds: float, *frequencies: float) -> list[float]:
    """Samples of -1 to 1; silence where there is no frequency. It fades in and out, so that it does not click."""
    count, fade = round(seconds * RATE), RATE // 200
    return [
        sum(math.sin(2 * math.pi * each * at / RATE) for each in frequencies)
        / (2 * len(frequencies) or 1)
        * min(1.0, at / fade, (count - at) / fade)
        for at in range(count)
    ]


def mp3(samples: Sequence[float]) -> bytes:
    raw = array("h", (round(each * 30_000) for each in samples))
    given = ("-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", "-", "-flags:a", "+bitexact", "-fflags", "+bitexact")
    command = ("ffmpeg", "-v", "error", *given, "-c:a", "libmp3lame", "-b:a", "32k", "-f", "mp3", "-")
    return subprocess.run(command, input=raw.tobytes(), capture_output=True, check=True).stdout


def morse(word: str) -> list[float]:
    """A word in capital letters as an operator sends it."""
    unit, sound = 0.1, tone(0.5)
    for letter in word:
        for mark in MORSE[letter]:
            sound += tone(unit if mark == "." else 3 * unit, 700) + tone(unit)
        sound += tone(2 * unit)
    return sound


def dialled(digits: str) -> list[float]:
    """A number on a telephone with keys: two tones each."""
    sound = tone(0.4)
    for digit in digits:
        sound += tone(0.15, *KEYS[digit]) + tone(0.1)
    return sound
