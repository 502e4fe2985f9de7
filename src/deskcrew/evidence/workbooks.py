"""What changed in a workbook, including what its text does not show: formulas, formatting, charts, pivots and settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from openpyxl.formula.tokenizer import TokenizerError
from openpyxl.formula.translate import Translator

from deskcrew.actions.readers import damage_told, notes_of
from deskcrew.errors import ActionError
from deskcrew.evidence.places import sheets
from deskcrew.evidence.places.tree import Many, PlaceNode, told
from deskcrew.facts.addresses import Cells, address_of, parse
from deskcrew.facts.excerpts import shorten

CELLS, COLUMNS = 10_000, 200
"""The maximum numbers of cells, from a sheet's top, and of columns that are compared."""
SETTINGS = ("pivots", "conditions", "pictures", "merged", "frozen", "filter", "hidden")
_TOLD = ("[merged cells ", "[chart ", "[formulas ", "[hidden sheet ")
"""The beginnings of notes on a workbook that are reported as settings, charts or cells."""
CONTENT = ("value", "formula")
TYPEFACE = ("font", "size", "colour")
"""Formatting that every cell has."""
USUAL = ("", "0", "false", "general", "General")
"""The values of settings, and of formatting other than the typeface, that nobody has chosen."""
LONGEST = 160
"""Maximum length of a cell's description, in characters."""
MOST_RANGES = 12
ROW = 5000
"""A row so far down that formulas moved there never refer to one above the first."""
Place = tuple[int, int]
"""Row and column of a cell, from 0."""


def differences(path: Path, before: bytes, now: bytes) -> list[str]:
    """What differs between two versions of the workbook at ``path``, one line each: its sheets; for each sheet charts and
    settings, then formatting, then cells; then the notes on the workbook. ``before``: b'' for a new workbook; new sheets are
    described only where their text does not show it. Raises ActionError if a version cannot be read."""
    with damage_told(path):
        start, end = ({} if not content else _pages(path, content) for content in (before, now))
        lines = [f"sheets: {', '.join(start)} -> {', '.join(end)}"] if start and [*start] != [*end] else []
        for name, page in end.items():
            lines += [f"{name}!{line}" for line in _of_sheet(start.get(name), page)]
        if start:  # of a new workbook its text shows them
            was, is_ = (
                [note for note in notes_of(path, content) if not note.startswith(_TOLD)] for content in (before, now)
            )
            lines += [f"gone: {note}" for note in was if note not in is_] + [
                f"new: {note}" for note in is_ if note not in was
            ]
        return lines


def _pages(path: Path, content: bytes) -> dict[str, PlaceNode]:
    parse_book = sheets.opendocument if path.suffix.lower() == ".ods" else sheets.excel
    found = parse_book(content).names["sheet"]()
    assert isinstance(found, Many)
    assert found.key is not None
    nodes = {found.key(part): found.node(part) for part in found.parts}
    return {name: node for name, node in nodes.items() if isinstance(node, PlaceNode)}


def _of_sheet(before: PlaceNode | None, now: PlaceNode) -> Iterator[str]:
    there, charts = (_charts(page) if page is not None else [] for page in (before, now))
    yield from (f"charts: new: {chart}" for chart in charts if chart not in there)
    yield from (f"charts: gone: {chart}" for chart in there if chart not in charts)
    for name in SETTINGS:
        was, is_ = ("; ".join(_said(page, name).split("\n")) if page is not None else "" for page in (before, now))
        if was != is_ and not (before is None and is_ in USUAL):
            yield f"{name}: {was or 'none'} -> {is_ or 'none'}"
    looks, contents = dict[tuple[str, str, str], list[Place]](), dict[tuple[str, str], list[Place]]()
    wording = dict[Place, tuple[str, str]]()
    for place in _used(before, now):
        address = address_of(*place)
        old, new = (_cell(page, address) for page in (before, now))
        for name in (each for each in new.names if each not in CONTENT) if new is not None else ():
            was, is_ = (_said(cell, name) for cell in (old, new))
            chosen = old is not None or (name not in TYPEFACE and is_ not in USUAL)
            if was != is_ and chosen:
                looks.setdefault((name, was, is_), []).append(place)
        was, is_ = _content(old), _content(new)
        if was != is_ and (before is not None or _said(new, "formula")):
            wording[place] = was, is_
            # What is alike down a column is told together: each cell's formula as it would be in one and the same row.
            alike = (_formula(old, place) or was, _formula(new, place) or f"{place}")
            contents.setdefault(alike, []).append(place)
    for (name, was, is_), places in looks.items():
        yield f"{_ranges(places)}: {name} {f'{was or None} -> ' if before is not None else ''}{is_ or None}"
    for places in contents.values():
        (was, is_), last = wording[places[0]], wording[places[-1]][1]
        more = f", ... {last.rpartition(' = ')[2]}" if len(places) > 1 else ""
        yield f"{_ranges(places)}: {f'{was or None} -> ' if before is not None else ''}{is_ or None}{more}"


def _used(*pages: PlaceNode | None) -> Iterator[Place]:
    """The cells that any of the pages uses, even if only for a formula or formatting, row by row."""
    rows, columns = (max(int(_said(page, name) or 0) for page in pages) for name in ("rows", "columns"))
    for page in pages:
        if (cells := parse(_said(page, "used"))) is not None:
            rows, columns = max(rows, cells.bottom + 1), max(columns, cells.right + 1)
    columns = min(columns, COLUMNS)
    for row in range(min(rows, CELLS // max(1, columns))):
        for column in range(columns):
            yield row, column


def _cell(page: PlaceNode | None, address: str) -> PlaceNode | None:
    return page.other(address) if page is not None and page.other is not None else None


def _said(node: PlaceNode | None, name: str) -> str:
    """The text of a node's named value; '' if it has no such name."""
    make = node.names.get(name) if node is not None else None
    found = make() if make is not None else None
    return told(found) if not isinstance(found, PlaceNode | Many) else ""


def _formula(cell: PlaceNode | None, place: Place) -> str:
    """A cell's formula as if moved to row :data:`ROW` of its column, so that copies are equal; '' if there is none."""
    if not (formula := _said(cell, "formula")).startswith("="):
        return ""
    try:
        moved: Any = Translator(formula, address_of(*place))
        return f"{moved.translate_formula(address_of(ROW, place[1]))} in {place[1]}"
    except (TokenizerError, ValueError):
        return formula


def _content(cell: PlaceNode | None) -> str:
    """A cell's formula and value, the value with as many digits as spreadsheet programs keep."""
    if cell is None:
        return ""
    formula = _said(cell, "formula")
    try:
        value = _said(cell, "value")
        if "." in value:
            with suppress(ValueError):
                value = f"{float(value):.15g}"
    except ActionError:
        value = "not calculated"
    return shorten(f"{formula} = {value}" if formula else value, LONGEST)


def _charts(page: PlaceNode) -> list[str]:
    """A description of each chart: all its named values, or what the sheet lists."""
    found = page.names["chart"]() if "chart" in page.names else None
    if not isinstance(found, Many):
        return _said(page, "charts").splitlines()
    charts = (found.node(part) for part in found.parts)
    asked = ([(name, _said(chart, name)) for name in chart.names] for chart in charts if isinstance(chart, PlaceNode))
    return [", ".join(f"{name} {'; '.join(text.split(chr(10)))}" for name, text in each if text) for each in asked]


def _ranges(places: Iterable[Place]) -> str:
    """Cells as ranges: runs within a column, merged with equal runs in adjacent columns."""
    runs: dict[tuple[int, int], list[int]] = {}
    for column, cells in groupby(sorted(places, key=lambda place: place[::-1]), key=lambda place: place[1]):
        for rows in _runs([row for row, _ in cells]):
            runs.setdefault(rows, []).append(column)
    found = [
        Cells(top, left, bottom, right).local for (top, bottom), columns in runs.items() for left, right in _runs(columns)
    ]
    more = f" and {len(found) - MOST_RANGES} more" if len(found) > MOST_RANGES else ""
    return f"{', '.join(found[:MOST_RANGES])}{more}"


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """The first and the last number of each run in ascending numbers."""
    groups = (list(group) for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]))
    return [(group[0][1], group[-1][1]) for group in groups]
