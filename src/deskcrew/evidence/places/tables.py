"""Addresses in tables of any file type: cells by letter and number, rows by number, columns by number or header."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deskcrew.actions import tables
from deskcrew.actions.sections import csv_line
from deskcrew.evidence.places.tree import Leaf, Many, PlaceNode, lines, told
from deskcrew.facts.addresses import address_of, parse


def grid(what: str, rows: Sequence[Sequence[Leaf]], cell: Callable[[int, int], PlaceNode] | None = None) -> PlaceNode:
    """A table as a node. ``B2`` and ``A1:B3`` are cells; ``rows`` and ``columns`` are the numbers of used rows and columns.
    ``cell`` returns a cell's node by row and column from 0, if cells have more than a value, also outside the rows."""
    last = max((number for number, row in enumerate(rows, 1) if any(_filled(value) for value in row)), default=0)
    wide = max((number for row in rows for number, value in enumerate(row, 1) if _filled(value)), default=0)
    columns = list(range(wide))

    def at(row: int, column: int) -> Leaf:
        return rows[row][column] if row < len(rows) and column < len(rows[row]) else None

    def node(row: int, column: int) -> PlaceNode:
        if cell is not None and (what != "the table" or (row < len(rows) and column < len(rows[row]))):
            return cell(row, column)
        return PlaceNode(f"cell {address_of(row, column)}", {}, lambda: at(row, column))

    def named(name: str) -> PlaceNode | None:
        cells = parse(name)
        if cells is None or cells.sheet:
            return None
        if ":" not in name:
            return node(cells.top, cells.left)
        inside = [row(number) for number in range(cells.top, min(cells.bottom + 1, max(last, cells.top + 1)))]
        return PlaceNode(
            f"cells {name}", {}, lambda: "\n".join(csv_line(each[cells.left : cells.right + 1]) for each in inside)
        )

    def row(number: int) -> list[str]:
        return [told(at(number, column)) for column in range(wide)]

    def column(number: int) -> str:
        return lines([told(at(row, number)) for row in range(1, last)])

    def head(number: int) -> str:
        return told(at(0, number))

    return PlaceNode(
        what,
        {
            "rows": lambda: last,
            "columns": lambda: wide,
            "header": lambda: lines([head(number) for number in columns]) if last else "",
            "row": lambda: Many("row", range(last), lambda number: csv_line(row(number))),
            "column": lambda: Many("column", columns, column, head),
        },
        other=named,
        others="cells (B2, A1:B3)",
    )


def separated(text: str) -> PlaceNode:
    """The root node of a .csv or .tsv. Raises what its parser raises."""
    return grid("the file", tables.rows_of(text))


def _filled(value: Leaf) -> bool:
    return value is not None and value != ""
