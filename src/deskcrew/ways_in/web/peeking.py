"""Previews of the files that a run made, shown beside their links."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from deskcrew.actions.readers import READERS, damage_told, read_content
from deskcrew.actions.tables import SEPARATORS, delimiter_of
from deskcrew.errors import ActionError
from deskcrew.ways_in.report.text import clean, one_line
from deskcrew.ways_in.web.run_files import ListedFiles, opened
from deskcrew.ways_in.web.run_view import ShownRun

FILES, LINES, COLUMNS, LONGEST = 5, 6, 8, 120
"""The maximum number of files with a preview, of lines and columns in it, and of characters of a line or cell."""
PLAIN, WHOLE = 1 << 16, 4 << 20
"""The number of bytes that are read of a text, and the maximum size of a document or workbook, in bytes."""
BOOKS = (".xlsx", ".ods")
DOCUMENTS = (*BOOKS, ".docx", ".odt", ".pdf", ".html")
TABLES = {".csv": "", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class Peek:
    """The beginning of a file. ``rows``: the rows of a table, the heading first; ``lines``: the lines of any other text;
    ``more``: whether the file has more; ``sheet``: the name of the workbook's sheet that is shown, the first."""

    rows: tuple[tuple[str, ...], ...] = ()
    lines: tuple[str, ...] = ()
    more: bool = False
    sheet: str = ""


def peeks(files: ListedFiles, run: ShownRun) -> dict[str, Peek]:
    """The previews of the files of a run that has ended, by path; only for files that contain text. Blocking."""
    if run.outcome is None or run.row.imported or not run.current:
        return {}
    made = [each.path for each in files.made if not each.gone][:FILES]
    found = ((path, _peek(Path(run.started.workspace), path)) for path in made)
    return {path: peek for path, peek in found if peek is not None}


def _peek(root: Path, path: str) -> Peek | None:
    kind = Path(path).suffix.casefold()
    if (file := opened(root, path)) is None:
        return None
    with file:
        if kind in DOCUMENTS and os.fstat(file.fileno()).st_size > WHOLE:
            return None
        data = file.read(WHOLE if kind in DOCUMENTS else PLAIN)
    if kind in BOOKS:
        return _book(Path(path), data)
    try:
        text = read_content(Path(path), data) if kind in DOCUMENTS else data.decode("utf-8-sig", "replace")
    except ActionError:
        return None
    if "\0" in text or not text.strip():
        return None
    lines = text.splitlines()
    if kind in TABLES:
        mark = TABLES[kind] or delimiter_of(lines[0], SEPARATORS)
        return Peek(_rows(csv.reader(lines, delimiter=mark)), more=len(lines) > LINES)
    return Peek(lines=tuple(map(_short, lines[:LINES])), more=len(lines) > LINES)


def _book(path: Path, data: bytes) -> Peek | None:
    """The beginning of a workbook's first sheet."""
    try:
        with damage_told(path):
            first, *others = READERS[path.suffix.casefold()](data)
            sheets = 1 + sum(each.kind != "notes" for each in others)
            lines = list(islice(first.lines, LINES + 1))
    except ActionError:
        return None
    # A date without a time is read as midnight; the sheet shows the date alone.
    rows = ([cell.removesuffix(" 00:00:00") for cell in row] for row in csv.reader(lines))
    return Peek(_rows(rows), more=sheets > 1 or len(lines) > LINES, sheet=_short(first.name)) if lines else None


def _rows(rows: Iterable[list[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(_short, row[:COLUMNS])) for row in islice(rows, LINES))


def _short(text: str) -> str:
    return one_line(clean(text), LONGEST)
