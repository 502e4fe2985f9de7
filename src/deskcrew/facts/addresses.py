"""Addresses of spreadsheet cells and ranges, as people and programs write them: B7, A1:D20, Sheet2.B7, 'My one'!A1."""

from __future__ import annotations

import re
from typing import NamedTuple

_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}"
PATTERN = rf"^(\$?('[^'\n]([^'\n]|'')*'|[^\s'.!:$]+)[.!])?{_CELL}(:{_CELL})?$"
"""What an address looks like, for schemas of replies."""
_ADDRESS = re.compile(PATTERN)
_PLACE = re.compile(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})", re.IGNORECASE)
LONGEST = 64
"""The maximum length of an address."""


class Cells(NamedTuple):
    """A rectangle of cells, both ends included, counted from 0. ``sheet``: its sheet's name, '' for the active sheet."""

    top: int
    left: int
    bottom: int
    right: int
    sheet: str = ""

    @property
    def rows(self) -> int:
        return self.bottom - self.top + 1

    @property
    def columns(self) -> int:
        return self.right - self.left + 1

    @property
    def single(self) -> bool:
        """Whether the rectangle is a single cell."""
        return self.rows == self.columns == 1

    @property
    def first(self) -> Cells:
        """The top left cell."""
        return self._replace(bottom=self.top, right=self.left)

    def holds(self, row: int, column: int) -> bool:
        """Whether the rectangle contains a cell."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right

    @property
    def local(self) -> str:
        """The address within its sheet."""
        start = address_of(self.top, self.left)
        return start if self.single else f"{start}:{address_of(self.bottom, self.right)}"

    def __str__(self) -> str:
        if not self.sheet:
            return self.local
        name = self.sheet if self.sheet.replace("_", "x").isalnum() else "'" + self.sheet.replace("'", "''") + "'"
        return f"{name}.{self.local}"


def parse(text: str) -> Cells | None:
    """The cells of an address; None for anything else."""
    if len(text) > LONGEST or not (match := _ADDRESS.fullmatch(text)):
        return None
    sheet, local = match[2] or "", text[match.end(1) :] if match[1] else text
    if sheet.startswith("'"):
        sheet = sheet[1:-1].replace("''", "'")
    corners = [_place(corner) for corner in local.split(":")]
    (rows, columns) = zip(*corners, strict=True)
    return Cells(min(rows), min(columns), max(rows), max(columns), sheet)


def address_of(row: int, column: int) -> str:
    """``(6, 3)`` -> ``D7``."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"


def position_of(address: str) -> tuple[int, int] | None:
    """``D7`` -> ``(6, 3)``; None for anything else, other spellings included."""
    cells = parse(address)
    return (cells.top, cells.left) if cells is not None and cells.single and cells.local == address else None


def _place(cell: str) -> tuple[int, int]:
    match = _PLACE.fullmatch(cell)
    assert match is not None
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1
