"""Tables as rows of texts, and the cell that words mean by naming its row and its column.

What a person means by "the price of the desk lamp" is found by code: the title of a column and the name of a row stand in
the words, each once. Where two could be meant, none is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deskcrew.observation import Control, Observation

ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
SEPARATOR = " | "
_CELLS = frozenset({"cell", "column header", "row header"})
_NUMBER = re.compile(r"[^\w]*\d[\d.,\s%€$£]*")
_ROW_GAP = 6
"""Pixels by which the tops of two cells of one row may differ."""


@dataclass(frozen=True)
class Table:
    """Rows of texts, '' where nothing stands; ``labels``: of the same form, what each cell is called on the screen."""

    rows: tuple[tuple[str, ...], ...]
    labels: tuple[tuple[str, ...], ...] = ()

    @property
    def text(self) -> str:
        """One line for each row."""
        return "\n".join(SEPARATOR.join(row) for row in self.rows)

    def label(self, row: int, column: int) -> str:
        """What the cell is called on the screen, '' where it is not there."""
        return self.labels[row][column] if row < len(self.labels) and column < len(self.labels[row]) else ""


def sheet(controls: Iterable[Control]) -> Table | None:
    """The cells of a spreadsheet that are in view, None where there is none. A column in which nothing stands is left out
    unless it is beside another."""
    cells: dict[tuple[int, int], Control] = {}
    for control in controls:
        place = ADDRESS.fullmatch(control.name) if control.role == "cell" else None
        if place is not None:
            cells[int(place[2]), _column(place[1])] = control
    if not any(control.value for control in cells.values()):
        return None
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    return Table(
        tuple(tuple((cells[at].value or "").strip() if (at := (r, c)) in cells else "" for c in columns) for r in rows),
        tuple(tuple(cells[at].label if (at := (r, c)) in cells else "" for c in columns) for r in rows),
    )


def grids(controls: Iterable[Control]) -> list[Table]:
    """The tables of a document, from where their cells stand."""
    lines: list[list[Control]] = []
    for control in sorted((c for c in controls if c.role in _CELLS and not ADDRESS.fullmatch(c.name)), key=_top):
        if lines and abs(lines[-1][0].box.y - control.box.y) <= _ROW_GAP:
            lines[-1].append(control)
        else:
            lines.append([control])
    found: list[list[list[Control]]] = []
    for line in lines:
        line.sort(key=lambda control: control.box.x)
        fits = found and len(found[-1][-1]) == len(line) and abs(found[-1][-1][0].box.x - line[0].box.x) <= _ROW_GAP
        if fits:
            found[-1].append(line)
        else:
            found.append([line])
    return [
        Table(
            tuple(tuple((c.value or c.name).strip() for c in line) for line in table),
            tuple(tuple(c.label for c in line) for line in table),
        )
        for table in found
        if len(table) > 1
    ]


def tables_in(text: str) -> list[Table]:
    """The tables that stand in a text which was read, a row a line."""
    found: list[list[tuple[str, ...]]] = [[]]
    for line in text.splitlines():
        row = tuple(cell.strip() for cell in line.split(SEPARATOR.strip())) if SEPARATOR.strip() in line else ()
        if row and (not found[-1] or len(found[-1][-1]) == len(row)):
            found[-1].append(row)
        else:
            found.append([row] if row else [])
    return [Table(tuple(rows)) for rows in found if len(rows) > 1]


def column_named(table: Table, words: str, *, besides: int | None = None) -> int | None:
    """The one column whose title ``words`` name; None where none or several may be meant. ``besides``: the column in which
    the names of the rows stand, whose title says what they are."""
    titles = table.rows[0]
    if any(_NUMBER.fullmatch(title) for title in titles if title):
        return None  # no titles
    return _only({at: title for at, title in enumerate(titles) if title and at != besides}, words)


def row_named(table: Table, words: str) -> int | None:
    """The one row which ``words`` name by a text that stands in it, its first before others; None where several may be
    meant, or none."""
    for column in range(len(table.rows[0])):
        names = {at: row[column] for at, row in enumerate(table.rows) if at and column < len(row) and row[column]}
        if column and all(_NUMBER.fullmatch(name) for name in names.values()):
            continue  # a figure is the name of a row in the first column only
        if len(set(map(_plain, names.values()))) < len(names):
            names = {at: name for at, name in names.items() if sum(_plain(n) == _plain(name) for n in names.values()) == 1}
        if _mentioned(names, words):
            return _only(names, words)
    return None


def cell_named(table: Table, words: str) -> tuple[int, int] | None:
    """Row and column of the cell that ``words`` mean, None where there is a doubt."""
    row = row_named(table, words)
    if row is None:
        return None
    # What names the row may hold the title of a column.
    key = next((at for at, cell in enumerate(table.rows[row]) if cell and _spans(cell, words)), 0)
    column = column_named(table, _without(words, table.rows[row][key]), besides=key)
    return (row, column) if column is not None else None


def value_named(tables: Sequence[Table], words: str) -> str:
    """What stands in the one cell that ``words`` mean, '' where there is a doubt."""
    found = [(table, at) for table in tables if (at := cell_named(table, words)) is not None]
    values = {table.rows[row][column] for table, (row, column) in found}
    return values.pop() if len(values) == 1 else ""


def read(observation: Observation) -> list[Table]:
    """The tables in the active window."""
    inside = observation.in_front
    found = sheet(inside)
    return [found] if found else grids(inside)


def _only(names: dict[int, str], words: str) -> int | None:
    found = _mentioned(names, words)
    return found[0] if len(found) == 1 else None


def _mentioned(names: dict[int, str], words: str) -> list[int]:
    """Those whose name stands in ``words``, not only inside the longer name of another."""
    found: list[int] = []
    left = words
    for at, name in sorted(names.items(), key=lambda item: -len(item[1])):
        if _spans(name, left):
            found.append(at)
            left = _without(left, name)
    return found


def _spans(name: str, words: str) -> re.Match[str] | None:
    plain = re.sub(r"\s*[(\[].*?[)\]]\s*", " ", name).strip(" :*") or name
    pattern = r"[\s_-]+".join(re.escape(piece) for piece in re.split(r"[\s_-]+", plain) if piece)
    return re.search(rf"(?<!\w){pattern}(?:e?s)?(?!\w)", words, re.I) if pattern else None


def _without(words: str, name: str) -> str:
    while name and (match := _spans(name, words)):
        words = words[: match.start()] + "·" * (match.end() - match.start()) + words[match.end() :]
    return words


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number


def _top(control: Control) -> tuple[int, int]:
    return control.box.y, control.box.x
