"""Cells of tables that manage their descendants: spreadsheets (up to 2^34 cells) and GTK's lists.

Only the cells in view are queried, by row and column; the view is found by asking what is at its corners. In a sheet, only
cells that may have changed are queried (resting_cells.py). A sheet's cells are leased: their paths go stale some seconds
after their last use, and are then queried again.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.wire import WireMethod
from deskcrew.environments.linux.screen.picture import Rectangle
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.resting_cells import Place, RestingCells
from deskcrew.environments.linux.tree.sight import Pane
from deskcrew.environments.linux.tree.tree import (
    ACCESSIBLE,
    COMPONENT,
    GET_CHILDREN,
    GET_EXTENTS,
    GET_NAME,
    GET_STATE,
    NULL,
    Call,
    Tree,
)
from deskcrew.facts.addresses import Cells, address_of, position_of

TABLE = "org.a11y.atspi.Table"
TEXT = "org.a11y.atspi.Text"
AT_POINT = WireMethod(COMPONENT, "GetAccessibleAtPoint", "iiu")
AT_CELL = WireMethod(TABLE, "GetAccessibleAt", "ii")
ROW_AT = WireMethod(TABLE, "GetRowAtIndex", "i")
COLUMN_AT = WireMethod(TABLE, "GetColumnAtIndex", "i")
INDEX = WireMethod(ACCESSIBLE, "GetIndexInParent")
ROW_COUNT = wire.get_property(TABLE, "NRows")
COLUMN_COUNT = wire.get_property(TABLE, "NColumns")
CELL_TEXT = WireMethod(TEXT, "GetText", "ii", struct.pack("<ii", 0, -1))
CHARACTER = WireMethod(TEXT, "GetCharacterExtents", "iu")
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


class CellSpan(NamedTuple):
    """The rows and columns in view, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


class Grid:
    """The cells in view of one table, kept between observations."""

    def __init__(self, tree: Tree, node: Node) -> None:
        self.tree = tree
        self.node = node
        self.cells: list[Cell] = []
        self.span: CellSpan | None = None
        self._paths: dict[Place, str] = {}
        self._resting = RestingCells()
        self._emptied: dict[Place, str] = {}
        """Empty cells, with the old text that LibreOffice still reports for them while anybody asks."""

    @property
    def sheet(self) -> bool:
        """Whether the table is a spreadsheet's."""
        parent = self.node.parent
        return self.node.role == roles.TABLE and parent is not None and parent.role == roles.SPREADSHEET

    def look(self, pane: Pane | None = None) -> None:
        """Read the cells in view. ``pane``: the sheet's pixels; None to query every cell.

        Raises NotResponding, ConnectionLost.
        """
        self.span = self._find_span()
        if self.span is None:
            self.cells = []
            return
        top, left, bottom, right = self.span
        places = [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]
        fresh = {place for place in places if place not in self._paths}
        self._fetch(sorted(fresh))
        if self.sheet:
            self._look_sheet(places, self.span, pane, fresh)
        else:
            self.cells = self._list_cells(places, self._ask(places, GET_NAME, GET_STATE, GET_EXTENTS))

    def texts(self, cells: Cells) -> list[list[str]]:
        """The contents of a sheet's cells, in view or not, row by row. Raises NotResponding, ConnectionLost."""
        rows, columns = range(cells.top, cells.bottom + 1), range(cells.left, cells.right + 1)
        places = [(row, column) for row in rows for column in columns]
        found = self.tree.ask([(AT_CELL, self.node.path, struct.pack("<ii", *place)) for place in places])
        paths = [wire.decode_reference(answer).path if answer is not None else NULL for answer in found]
        answers = self.tree.ask([(CELL_TEXT, path) for path in paths])
        told = {
            place: wire.decode_string(answer)
            for place, answer in zip(places, answers, strict=True)
            if answer is not None and wire.decode_string(answer) != self._emptied.get(place)
        }
        return [[told.get((row, column), "") for column in columns] for row in rows]

    def _look_sheet(self, places: list[Place], span: CellSpan, pane: Pane | None, fresh: set[Place]) -> None:
        boxes = self._sheet_boxes(places, span)
        kept = self._resting.unchanged(pane, boxes)
        asked = [place for place in places if place not in kept]
        # LibreOffice's object of a cell that was emptied by moving its content says the old text for good.
        self._fetch([place for place in asked if place not in fresh and place not in self._resting.due])
        known = {(cell.row, cell.column): cell for cell in self.cells}
        cells = {place: known[place] for place in kept}
        candidates: list[Cell] = []
        for place, (answer,) in zip(asked, self._ask(asked, CELL_TEXT), strict=True):
            before = known.get(place)
            text = self._actual(place, wire.decode_string(answer) if answer is not None else "", before)
            cell = Cell(self._paths[place], *place, address_of(*place), text, roles.SENSITIVE, boxes[place])
            cells[place] = before if before is not None and before == cell else cell
            if answer is not None and self._resting.candidate(place, text, before.text if before else None):
                candidates.append(cell)
        self._judge(candidates)
        self.cells = [cells[place] for place in places]

    def _actual(self, place: Place, told: str, before: Cell | None) -> str:
        """A cell's actual content: ``told``, or '' if LibreOffice still reports a text that has vanished from the screen."""
        if self._emptied.get(place, told) != told:
            del self._emptied[place]
        same = bool(told) and before is not None and before.text == told
        if place in self._emptied and self._resting.drawn(place):
            del self._emptied[place]
        elif same and self._resting.drawn(place) is False and self._resting.was_drawn(place):
            self._emptied[place] = told
        return "" if place in self._emptied else told

    def _judge(self, candidates: list[Cell]) -> None:
        """Query the boxes of the first and the last character of each cell, to see which cells can be cached."""
        calls: list[Call] = []
        for cell in candidates:
            ends = (0, len(cell.text) - 1) if cell.text else ()
            calls += ((CHARACTER, cell.path, struct.pack("<iI", at, 0)) for at in ends)
        answers = iter(self.tree.ask(calls) if calls else [])
        for cell in candidates:
            if not cell.text:
                self._resting.keep((cell.row, cell.column))
                continue
            first, last = next(answers), next(answers)
            if first is not None and last is not None:
                self._resting.judge((cell.row, cell.column), self.node.place(first), self.node.place(last))

    def _find_span(self) -> CellSpan | None:
        x, y, width, height = self.node.box
        path = self.node.path
        corners = [(x + 4, y + 4), (x + width - 5, y + height - 5)]
        back = self.node.units.back
        calls: list[Call] = [(AT_POINT, path, struct.pack("<iiI", *back(*corner), 0)) for corner in corners]
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
        return CellSpan(first[0], first[1], bottom, min(last[1], first[1] + MAXIMUM_COLUMNS - 1, columns - 1))

    def _locate(self, answer: bytes | None) -> tuple[int, int] | None:
        """Row and column of the cell in an AT_POINT answer."""
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

    def _fetch(self, places: list[Place]) -> None:
        path = self.node.path
        answers = self.tree.ask([(AT_CELL, path, struct.pack("<ii", *place)) for place in places])
        for place, answer in zip(places, answers, strict=True):
            self._paths[place] = wire.decode_reference(answer).path if answer is not None else NULL

    def _ask(self, places: list[Place], *methods: WireMethod) -> list[list[bytes | None]]:
        """The answers of each place to each of ``methods``. If the first is an error, a stale path is queried again."""
        answers = self._ask_once(places, methods)
        stale = [number for number, found in enumerate(answers) if found[0] is None]
        if stale:
            again = [places[number] for number in stale]
            self._fetch(again)
            for number, found in zip(stale, self._ask_once(again, methods), strict=True):
                answers[number] = found
        return answers

    def _ask_once(self, places: list[Place], methods: tuple[WireMethod, ...]) -> list[list[bytes | None]]:
        answers = self.tree.ask([(method, self._paths[place]) for place in places for method in methods])
        step = len(methods)
        return [answers[at : at + step] for at in range(0, len(answers), step)]

    def _sheet_boxes(self, places: list[Place], span: CellSpan) -> dict[Place, Rectangle]:
        """The boxes of cells, computed from the first row and column, so that only these are queried."""
        top, left, bottom, right = span
        across = [(top, column) for column in range(left, right + 1)]
        down = [(row, left) for row in range(top, bottom + 1)]
        raw = self._ask([*across, *down], GET_EXTENTS)
        boxes = [self.node.place(box) if box is not None else (0, 0, 0, 0) for (box,) in raw]
        xs = dict(zip((column for _, column in across), boxes, strict=False))
        ys = dict(zip((row for row, _ in down), boxes[len(across) :], strict=True))
        return {(row, column): (xs[column][0], ys[row][1], xs[column][2], ys[row][3]) for row, column in places}

    def _list_cells(self, places: list[Place], answers: list[list[bytes | None]]) -> list[Cell]:
        cells: list[Cell] = []
        for (row, column), (name, state, box) in zip(places, answers, strict=True):
            if name is None or state is None or box is None:
                continue
            words, states = wire.decode_variant_string(name), wire.decode_states(state)
            cells.append(Cell(self._paths[row, column], row, column, words, "", states, self.node.place(box)))
        return self._rows(self._inner_names(cells))

    def _inner_names(self, cells: list[Cell]) -> list[Cell]:
        """Name nameless cells after their children: a cell with an icon and a text has two, and no name of its own."""
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
        """One entry for each row: named by its first text, with the texts of the other columns as its text."""
        rows: dict[int, list[Cell]] = {}
        for cell in cells:
            rows.setdefault(cell.row, []).append(cell)
        entries: list[Cell] = []
        for row in rows.values():
            named = [cell for cell in row if cell.name.strip()]
            if named:
                entries.append(named[0]._replace(text=", ".join(cell.name.strip() for cell in named[1:])))
        return entries
