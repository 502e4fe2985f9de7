"""Cells of tables that manage their descendants: spreadsheets (up to 2^34 cells) and GTK's lists.

Only the cells in view are asked for, by row and column; the view is found by asking what lies at its corners. A sheet's
cells are leased: their paths go stale some seconds after nobody used them, and are then asked for again.
"""

from __future__ import annotations

import re
import struct
from typing import NamedTuple

from deskcrew.environments.linux import roles, wire
from deskcrew.environments.linux.tree import (
    ACCESSIBLE,
    COMPONENT,
    GET_CHILDREN,
    GET_EXTENTS,
    GET_NAME,
    GET_STATE,
    NULL,
    Call,
    Node,
    Tree,
)
from deskcrew.environments.linux.wire import Method

TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
AT_POINT = Method(COMPONENT, "GetAccessibleAtPoint", "iiu")
AT_CELL = Method(TABLE, "GetAccessibleAt", "ii")
ROW_AT = Method(TABLE, "GetRowAtIndex", "i")
COLUMN_AT = Method(TABLE, "GetColumnAtIndex", "i")
INDEX = Method(ACCESSIBLE, "GetIndexInParent")
ROW_COUNT = wire.get_property(TABLE, "NRows")
COLUMN_COUNT = wire.get_property(TABLE, "NColumns")
CELL_TEXT = Method(TEXT, "GetText", "ii", struct.pack("<ii", 0, -1))
ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
MAXIMUM_ROWS, MAXIMUM_COLUMNS = 80, 60


class Cell(NamedTuple):
    """A cell in view. ``row`` and ``column`` count from 0; ``box`` is as its program reports it."""

    path: str
    row: int
    column: int
    name: str
    text: str
    states: int
    box: tuple[int, int, int, int]


class Span(NamedTuple):
    """The rows and columns in view, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


def address_of(row: int, column: int) -> str:
    """``(6, 3)`` -> ``D7``."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"


def position_of(address: str) -> tuple[int, int] | None:
    """``D7`` -> ``(6, 3)``; None for anything else."""
    match = ADDRESS.fullmatch(address)
    if not match:
        return None
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


class Grid:
    """The cells in view of one table, kept between looks."""

    def __init__(self, tree: Tree, node: Node) -> None:
        self.tree = tree
        self.node = node
        self.sheet = node.role == roles.TABLE and node.parent is not None and node.parent.role == roles.SPREADSHEET
        self.cells: list[Cell] = []
        self.span: Span | None = None
        self._paths: dict[tuple[int, int], str] = {}

    def look(self) -> None:
        """Read the cells in view. Raises NotResponding, ConnectionLost."""
        self.span = self._find_span()
        if self.span is None:
            self.cells = []
            return
        top, left, bottom, right = self.span
        places = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
        self._fetch([place for place in places if place not in self._paths])
        answers = self._ask_cells(places)
        stale = [place for place, found in zip(places, answers, strict=True) if found[0] is None]
        if stale:
            self._fetch(stale)
            answers = self._ask_cells(places)
        self.cells = self._sheet_cells(places, answers) if self.sheet else self._list_cells(places, answers)

    def _find_span(self) -> Span | None:
        x, y, width, height = self.node.box
        path = self.node.path
        corners = [(x + 4, y + 4), (x + width - 5, y + height - 5)]
        calls: list[Call] = [(AT_POINT, path, struct.pack("<iiI", *corner, 0)) for corner in corners]
        calls += ((ROW_COUNT, path), (COLUMN_COUNT, path))
        answers = self.tree.ask(calls)
        rows = wire.decode_variant_int(answers[2] or b"")
        columns = wire.decode_variant_int(answers[3] or b"")
        if rows <= 0 or columns <= 0 or width <= 0 or height <= 0:
            return None
        first = self._locate(answers[0]) or (0, 0)
        last = self._locate(answers[1])
        if last is None or last < first:  # the rows end before the view does
            last = (rows - 1, columns - 1)
        if not self.sheet:
            first, last = (first[0], 0), (last[0], columns - 1)
        bottom = min(last[0], first[0] + MAXIMUM_ROWS - 1, rows - 1)
        return Span(first[0], first[1], bottom, min(last[1], first[1] + MAXIMUM_COLUMNS - 1, columns - 1))

    def _locate(self, answer: bytes | None) -> tuple[int, int] | None:
        """Row and column of the cell that an AT_POINT answer names."""
        path = wire.decode_reference(answer).path if answer is not None else NULL
        if path in (NULL, self.node.path):
            return None
        name, index = self.tree.ask([(GET_NAME, path), (INDEX, path)])
        if self.sheet:
            return position_of(wire.decode_variant_string(name or b""))
        if index is None:
            return None
        row, column = self.tree.ask([(ROW_AT, self.node.path, index[:4]), (COLUMN_AT, self.node.path, index[:4])])
        if row is None or column is None:
            return None
        found = struct.unpack("<i", row[:4])[0], struct.unpack("<i", column[:4])[0]
        return found if min(found) >= 0 else None

    def _fetch(self, places: list[tuple[int, int]]) -> None:
        path = self.node.path
        answers = self.tree.ask([(AT_CELL, path, struct.pack("<ii", *place)) for place in places])
        for place, answer in zip(places, answers, strict=True):
            self._paths[place] = wire.decode_reference(answer).path if answer is not None else NULL

    def _ask_cells(self, places: list[tuple[int, int]]) -> list[list[bytes | None]]:
        """Per place: a sheet's text; or name, state, place of a list's cell."""
        methods = (CELL_TEXT,) if self.sheet else (GET_NAME, GET_STATE, GET_EXTENTS)
        answers = self.tree.ask([(method, self._paths[place]) for place in places for method in methods])
        step = len(methods)
        return [answers[at : at + step] for at in range(0, len(answers), step)]

    def _sheet_cells(self, places: list[tuple[int, int]], answers: list[list[bytes | None]]) -> list[Cell]:
        """Places follow from the first row and column, so that only those are asked for theirs."""
        assert self.span is not None
        top, left, bottom, right = self.span
        across = [(top, column) for column in range(left, right + 1)]
        down = [(row, left) for row in range(top, bottom + 1)]
        raw = self.tree.ask([(GET_EXTENTS, self._paths[place]) for place in (*across, *down)])
        boxes = [wire.decode_box(box) if box is not None else (0, 0, 0, 0) for box in raw]
        xs = dict(zip((column for _, column in across), boxes, strict=False))
        ys = dict(zip((row for row, _ in down), boxes[len(across) :], strict=True))
        cells: list[Cell] = []
        for (row, column), (text,) in zip(places, answers, strict=True):
            box = (xs[column][0], ys[row][1], xs[column][2], ys[row][3])
            content = wire.decode_string(text) if text is not None else ""
            path = self._paths[row, column]
            cells.append(Cell(path, row, column, address_of(row, column), content, roles.SENSITIVE, box))
        return cells

    def _list_cells(self, places: list[tuple[int, int]], answers: list[list[bytes | None]]) -> list[Cell]:
        cells: list[Cell] = []
        for (row, column), (name, state, box) in zip(places, answers, strict=True):
            if name is None or state is None or box is None:
                continue
            words, states = wire.decode_variant_string(name), wire.decode_states(state)
            cells.append(Cell(self._paths[row, column], row, column, words, "", states, wire.decode_box(box)))
        return self._rows(self._inner_names(cells))

    def _inner_names(self, cells: list[Cell]) -> list[Cell]:
        """A cell with an icon and a text has two children, and no name of its own."""
        nameless = [cell for cell in cells if not cell.name]
        below = self.tree.ask([(GET_CHILDREN, cell.path) for cell in nameless]) if nameless else []
        children = [wire.decode_references(raw) if raw is not None else [] for raw in below]
        flat = [(GET_NAME, child.path) for some in children for child in some[:4]]
        names = iter(self.tree.ask(flat) if flat else [])
        found: dict[str, str] = {}
        for cell, some in zip(nameless, children, strict=True):
            words = [wire.decode_variant_string(next(names) or b"") for _ in some[:4]]
            found[cell.path] = " ".join(word for word in words if word)
        return [cell._replace(name=found.get(cell.path, cell.name)) for cell in cells]

    def _rows(self, cells: list[Cell]) -> list[Cell]:
        """One entry for each row: named by its first words, the other columns as its text."""
        rows: dict[int, list[Cell]] = {}
        for cell in cells:
            rows.setdefault(cell.row, []).append(cell)
        entries: list[Cell] = []
        for row in rows.values():
            named = [cell for cell in row if cell.name.strip()]
            if named:
                entries.append(named[0]._replace(text=", ".join(cell.name.strip() for cell in named[1:])))
        return entries
