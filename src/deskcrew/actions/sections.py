"""The common form of documents: sheets, pages, slides or a single text, each a sequence of lines; and limits for files."""

from __future__ import annotations

import csv
import importlib
import io
import re
import sqlite3
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple
from xml.etree import ElementTree

from PIL import Image, UnidentifiedImageError

from deskcrew.facts.legible import counted

MAX_UNPACKED = 256 << 20
"""Maximum size of an office document's parts when unpacked, in bytes."""
MAX_PART = 64 << 20
"""Maximum size of one part that is held as a tree, which takes ten times the memory."""
MAX_ENTRIES = 50_000
"""Maximum number of an archive's entries."""
Kind = Literal["text", "sheet", "table", "page", "slide", "letter", "chapter", "notes"]
BESIDE = "[beside the text]"
"""The line above the notes on a document."""
MOST_NOTES = 40
"""Maximum number of notes of one kind that are shown; of further ones only their number is."""


@dataclass(frozen=True, slots=True)
class Section:
    """A sheet, a table of a database, a page, a slide, a mailbox's letter, a book's chapter, or a whole document without any
    of these; or notes: comments, links, hidden content.

    ``name``: the sheet's or table's name, '' for a table without one, or the number of the page. ``lines``: read as they are
    consumed, only once; each is a row as CSV with ``delimiter``, or a line or paragraph.
    """

    kind: Kind
    name: str
    lines: Iterator[str]
    delimiter: str = ","

    @property
    def tabular(self) -> bool:
        """Whether its lines are rows."""
        return self.kind in ("sheet", "table")

    @property
    def numbered(self) -> bool:
        """Whether it is one of several parts with a number for a name."""
        return self.kind in ("page", "slide", "letter", "chapter")

    @property
    def heading(self) -> str:
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True, slots=True)
class Document:
    """A file's content. ``source``: its text exactly as in the file, None for files that are not text."""

    name: str
    sections: tuple[Section, ...]
    source: str | None = None
    notes: tuple[str, ...] = ()
    """Notes on what is beside the text, one line each."""
    rendered: bool = False
    """Whether the sections differ from the source: a page as it looks, not its markup."""
    encoded: bool = False
    """Whether the source is only for programs, so that checks examine the sections as well."""


def unpackable(content: bytes, *, part: int = MAX_PART) -> io.BytesIO:
    """The bytes of an archive that may be unpacked whole. Raises ValueError if it is too large, BadZipFile if damaged."""
    with archive(content) as opened:
        sizes = [info.file_size for info in opened.infolist()]
        if sum(sizes) > MAX_UNPACKED:
            raise ValueError(f"it unpacks to more than {MAX_UNPACKED >> 20} MiB")
        if max(sizes, default=0) > part:
            raise ValueError(f"a part of it unpacks to more than {part >> 20} MiB")
    return io.BytesIO(content)


_MAIN = re.compile(
    rb"application/vnd\.(?:openxmlformats-officedocument\.(wordprocessing|presentation)ml|ms-(word|powerpoint))"
    rb"\.(?:document|presentation|template|slideshow)(?:\.macroEnabled(?:Template)?)?\.main\+xml"
)
_PLAIN = {b"w": b"wordprocessingml.document", b"p": b"presentationml.presentation"}


def plain_document(content: bytes) -> io.BytesIO:
    """A document or presentation that may be unpacked whole. A template, or one with macros, is turned into one without:
    libraries open no others. Raises what :func:`unpackable` raises."""
    given, types = unpackable(content), "[Content_Types].xml"
    with zipfile.ZipFile(given) as old:
        was = old.read(types)
        now = _MAIN.sub(
            lambda match: b"application/vnd.openxmlformats-officedocument.%s.main+xml" % _PLAIN[(match[1] or match[2])[:1]],
            was,
        )
        if now == was:
            return io.BytesIO(content)
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as new:
            for each in old.infolist():
                new.writestr(each, now if each.filename == types else old.read(each))
    made.seek(0)
    return made


def archive(content: bytes) -> zipfile.ZipFile:
    """A zip archive. Raises ValueError if it has too many entries, BadZipFile if it is damaged."""
    # Counted before it is opened: every entry becomes an object then.
    if content.count(b"PK\x01\x02") > MAX_ENTRIES:
        raise ValueError(f"it has more than {MAX_ENTRIES} entries")
    return zipfile.ZipFile(io.BytesIO(content))


@cache
def lxml() -> Any:
    """``lxml.etree``, which has no types. Raises ImportError if the extra ``files`` is not installed."""
    return importlib.import_module("lxml.etree")


def xml(content: bytes) -> Any:
    """The root of XML from an untrusted source: nothing that it refers to is read."""
    return lxml().fromstring(content, lxml().XMLParser(resolve_entities=False, no_network=True))


class Note(NamedTuple):
    """One thing beside a document's text. ``kind``: the word for one such thing; ``where``: its place, or what it is on."""

    kind: str
    where: str
    said: str


def noted(notes: Iterable[Note], unread: Mapping[str, int] | None = None) -> Section:
    """The section of notes, one line each. ``unread``: how many things are not shown, by the word for one."""
    lines: list[str] = []
    counts: Counter[str] = Counter()
    left: Counter[str] = Counter(unread)
    for kind, where, said in notes:
        counts[kind] += 1
        if counts[kind] > MOST_NOTES:
            left[kind] += 1
        else:
            lines.append(f"[{' '.join(f'{kind} {where}'.split())}] {' '.join(said.split())}".rstrip())
    told = [counted(number, thing) for thing, number in left.items() if number]
    return Section("notes", "", iter([*lines, *([f"[not shown: {', '.join(told)}]"] if told else [])]))


def chart_titles(chart: Any) -> str:
    """The titles of a chart of an Office document and of its axes, separated by commas. ``chart``: its part, as a tree."""
    titles = ("".join(each.text or "" for each in title.iter("{*}t")) for title in chart.iter("{*}title"))
    return ", ".join(filter(None, titles))


def csv_line(cells: list[str], delimiter: str = ",") -> str:
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="").writerow(cells)
    return line.getvalue()


_DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile, zlib.error, UnidentifiedImageError, ElementTree.ParseError, csv.Error,
    Image.DecompressionBombError, Image.DecompressionBombWarning, OSError, ValueError, TypeError, LookupError,
    AttributeError, ArithmeticError, AssertionError, RecursionError, EOFError, NotImplementedError, MemoryError, SyntaxError,
    sqlite3.Error, ModuleNotFoundError,
)  # fmt: skip
_OF_LIBRARIES = (
    ("lxml.etree", "LxmlError"),
    ("openpyxl.utils.exceptions", "InvalidFileException"),
    ("pypdf.errors", "PyPdfError"),
    ("py7zr.exceptions", "ArchiveError"),
)


def damaged() -> tuple[type[Exception], ...]:
    """The exceptions that parsers raise for damaged files: anything their authors did not think of. If the extra ``files``
    is not installed, they raise one for every file.

    Call it only in ``except damaged():``: a library that is not loaded raises nothing.
    """
    return (*_DAMAGED, *loaded(_OF_LIBRARIES))


def loaded(errors: Iterable[tuple[str, str]]) -> Iterator[type[Exception]]:
    """The exception types, given by module and name, whose module is loaded. Loading the libraries for documents takes
    longer than reading most documents, and most runs read none."""
    for module, name in errors:
        if module in sys.modules:
            yield getattr(sys.modules[module], name)
