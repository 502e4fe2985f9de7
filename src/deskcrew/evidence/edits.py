"""The edits that made a file out of an older one: undone one at a time, and described as a diff.

A new file is compared with the file at the start whose content is most similar, a changed file with itself.
"""

from __future__ import annotations

import difflib
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from deskcrew.actions import readers
from deskcrew.actions.sections import damaged
from deskcrew.errors import ActionError
from deskcrew.evidence.altering import LARGEST, cells
from deskcrew.evidence.damaging import saved, spread
from deskcrew.evidence.rewriting import rewritten

MOST_EDITS = 6
"""Maximum number of edits of a file that are undone, one at a time."""
MOST_COMPARED = 20
"""Maximum number of older files that a new one is compared with."""
_MOST_LINES = 4000
_ALIKE = 0.5
"""The share of its lines that a file must have from another one to count as made from it."""

Edit = tuple[str, Sequence[str], Sequence[str], int, int]
"""An edit: its kind (replace, insert, delete); the old and the new lines; the start and end of the new lines."""


def nearest(path: str, content: bytes, older: Mapping[str, Callable[[], bytes]]) -> str:
    """The path of the older file of the same kind that shares the most lines with a new one; '' if none has half of its
    lines. ``older``: functions that return the older contents, by path."""
    suffix = PurePosixPath(path).suffix.lower()
    mine = _lines_of(path, content)
    found = ("", _ALIKE)
    for other in [each for each in older if PurePosixPath(each).suffix.lower() == suffix][:MOST_COMPARED] if mine else ():
        theirs = set(_lines_of(other, older[other]()))
        share = sum(line in theirs for line in mine) / len(mine)
        found = max(found, (other, share), key=lambda one: one[1])
    return found[0]


def undone(path: str, before: bytes, now: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the file with one of its edits undone, as pairs of name and content. Nothing if it is too large or damaged."""
    maker = _MAKERS.get(PurePosixPath(path).suffix.lower(), _texts)
    if max(len(before), len(now)) > LARGEST:
        return
    try:
        for what, content in maker(before, now):
            if content not in (before, now):
                yield what, content
    except damaged():
        return


def told(path: str, before: bytes, now: bytes) -> str:
    """What differs in the text of a file: lines with - were there before, lines with + are there now. '' if it is very
    long."""
    pair = (_lines_of(path, before), _lines_of(path, now))
    if max(map(len, pair)) > _MOST_LINES:
        return ""
    return "\n".join(list(difflib.unified_diff(*pair, lineterm="", n=0))[2:])


def _lines_of(path: str, content: bytes) -> list[str]:
    try:
        return [line for line in readers.read_content(Path(path), content).splitlines() if line.strip()]
    except ActionError:
        return []


def _edits(old: Sequence[str], new: Sequence[str]) -> Sequence[Edit]:
    """The edits between two texts, a sample if there are many. If as many lines came as went, each is one edit."""
    if max(len(old), len(new)) > _MOST_LINES:
        return ()
    found: list[Edit] = []
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "replace" and i2 - i1 == j2 - j1:
            found += [(kind, old[i1 + n : i1 + n + 1], new[j1 + n : j1 + n + 1], j1 + n, j1 + n + 1) for n in range(i2 - i1)]
        elif kind != "equal":
            found.append((kind, old[i1:i2], new[j1:j2], j1, j2))
    return spread(found, MOST_EDITS)


def _texts(before: bytes, now: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        old, new = (data.decode("utf-8").splitlines(keepends=True) for data in (before, now))
    except UnicodeDecodeError:
        return
    for kind, was, became, start, end in _edits(old, new):
        if _bare(was) == _bare(became):
            continue  # quotation marks, blanks and the like, which programs write as they do
        yield f"line {start + 1} {_WORDS[kind]}", "".join((*new[:start], *was, *new[end:])).encode()


def _bare(lines: Sequence[str]) -> str:
    text = "".join(lines)
    text = text.lower() if text.startswith("<?xml") else text
    return "".join(filter(str.isalnum, text))


def _documents(before: bytes, now: bytes) -> Iterator[tuple[str, bytes]]:
    from docx import Document

    def paragraphs(document: Any) -> list[Any]:
        inside = (cell for table in document.tables for row in table.rows for cell in row.cells)
        return [*document.paragraphs, *(each for cell in inside for each in cell.paragraphs)]

    old, new = ([each.text for each in paragraphs(Document(io.BytesIO(data)))] for data in (before, now))
    for kind, was, _, start, end in _edits(old, new):
        document = Document(io.BytesIO(now))
        there = paragraphs(document)
        if start == len(there):
            document.add_paragraph("\n".join(was))
        elif kind == "delete":
            there[start].insert_paragraph_before("\n".join(was))
        else:
            there[start].text = "\n".join(was)
            for each in there[start + 1 : end]:
                each.text = ""
        yield f"paragraph {start + 1} {_WORDS[kind]}", saved(document.save)


def _slides(before: bytes, now: bytes) -> Iterator[tuple[str, bytes]]:
    from pptx import Presentation

    def paragraphs(made: Any) -> list[Any]:
        shapes = (shape for slide in made.slides for shape in slide.shapes if shape.has_text_frame)
        return [paragraph for shape in shapes for paragraph in shape.text_frame.paragraphs]

    old, new = (
        ["".join(run.text for run in each.runs) for each in paragraphs(Presentation(io.BytesIO(data)))]
        for data in (before, now)
    )
    for kind, was, _, start, _ in _edits(old, new):
        made = Presentation(io.BytesIO(now))
        runs = paragraphs(made)[start].runs if kind == "replace" and start < len(new) else ()
        if runs:
            runs[0].text = "\n".join(was)
            for run in runs[1:]:
                run.text = ""
            yield f"text {start + 1} {_WORDS[kind]}", saved(made.save)


def _sheets(before: bytes, now: bytes) -> Iterator[tuple[str, bytes]]:
    old, new = cells(before), cells(now)
    changed = [at for at, value in new.items() if isinstance(old.get(at), int | float | str) and old[at] != value]
    for sheet, address in spread(changed, MOST_EDITS):
        was: Any = old[sheet, address]
        if (made := rewritten(now, sheet, address, was)) is not None:
            yield f"{sheet}!{address} as it was", made


_WORDS = {"replace": "as it was", "insert": "not added", "delete": "not removed"}
_MAKERS = {".docx": _documents, ".pptx": _slides, ".xlsx": _sheets, ".xlsm": _sheets}
