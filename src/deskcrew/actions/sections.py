"""The common form of every document: sheets, pages, slides or one text, each a sequence of lines; and the limits for
files."""

from __future__ import annotations

import csv
import io
import sqlite3
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast
from xml.etree import ElementTree

from lxml import etree as untyped  # pyright: ignore
from PIL import Image, UnidentifiedImageError

LXML = cast("Any", untyped)
"""Its package has no types."""
MAX_UNPACKED = 256 << 20
"""The maximum size of an office document's parts when unpacked."""
MAX_PART = 64 << 20
"""The maximum size of one part that is held as a tree, which takes ten times the memory."""
MAX_ENTRIES = 50_000
"""The maximum number of an archive's entries."""
Kind = Literal["text", "sheet", "table", "page", "slide"]


@dataclass(frozen=True, slots=True)
class Section:
    """A sheet, a table of a database, a page, a slide, or a whole document without those.

    ``name``: the sheet's or table's name, '' for a table without one, or the number of the page. ``lines``: read as they are
    consumed, which can be done once; each is a row as CSV with ``delimiter``, else a line or a paragraph.
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
    def heading(self) -> str:
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True, slots=True)
class Document:
    """A file's content. ``source``: its text as it is in the file, None for files that are not text."""

    name: str
    sections: tuple[Section, ...]
    source: str | None = None
    rendered: bool = False
    """Whether the sections differ from the source: what a page looks like, not its markup."""


def unpackable(content: bytes, *, part: int = MAX_PART) -> io.BytesIO:
    """The bytes of an archive that may be unpacked whole. Raises ValueError if it is too large, BadZipFile."""
    with archive(content) as opened:
        sizes = [info.file_size for info in opened.infolist()]
        if sum(sizes) > MAX_UNPACKED:
            raise ValueError(f"it unpacks to more than {MAX_UNPACKED >> 20} MiB")
        if max(sizes, default=0) > part:
            raise ValueError(f"a part of it unpacks to more than {part >> 20} MiB")
    return io.BytesIO(content)


def archive(content: bytes) -> zipfile.ZipFile:
    """A zip archive with an acceptable number of entries. Raises ValueError, BadZipFile."""
    # Counted before it is opened: every entry becomes an object then.
    if content.count(b"PK\x01\x02") > MAX_ENTRIES:
        raise ValueError(f"it has more than {MAX_ENTRIES} entries")
    return zipfile.ZipFile(io.BytesIO(content))


def csv_line(cells: list[str], delimiter: str = ",") -> str:
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter, lineterminator="").writerow(cells)
    return line.getvalue()


_DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile, zlib.error, UnidentifiedImageError, ElementTree.ParseError, LXML.LxmlError, csv.Error,
    Image.DecompressionBombError, Image.DecompressionBombWarning, OSError, ValueError, TypeError, LookupError,
    AttributeError, ArithmeticError, AssertionError, RecursionError, EOFError, NotImplementedError, MemoryError, SyntaxError,
    sqlite3.Error,
)  # fmt: skip
_OF_LIBRARIES = (("openpyxl.utils.exceptions", "InvalidFileException"), ("pypdf.errors", "PyPdfError"))


def damaged() -> tuple[type[Exception], ...]:
    """What parsers raise on damaged files: whatever their authors did not think of.

    Call it only in ``except damaged():``: a library that is not loaded raises nothing.
    """
    return (*_DAMAGED, *loaded(_OF_LIBRARIES))


def loaded(errors: Iterable[tuple[str, str]]) -> Iterator[type[Exception]]:
    """Of errors, each by its module and its name, those whose module is loaded. To load the libraries for documents takes
    longer than to read most of these, and most runs read none."""
    for module, name in errors:
        if module in sys.modules:
            yield getattr(sys.modules[module], name)
