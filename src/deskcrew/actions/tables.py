"""Tables: the sheets of workbooks and the rows of CSV files, and single cells of them."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain, islice, repeat
from typing import Any
from xml.etree import ElementTree

from deskcrew.actions.sections import MAX_UNPACKED, Section, csv_line, unpackable

TABLES = (".xlsx", ".xlsm", ".csv", ".tsv", ".ods")
"""Suffixes of files that are read as tables."""
MAX_ROWS = 1 << 20
"""The number of rows of a sheet in every spreadsheet program; a file that claims more is not believed."""
MAX_REPEATED = 1024
"""The maximum number of columns that one cell of an OpenDocument sheet may repeat for."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"


SEPARATORS = ",;\t|"
"""The cell separators that shipped skills read and write."""


def delimiter_of(text: str, among: str = ",;\t") -> str:
    """The cell separator of a CSV file: spreadsheets write semicolons where the decimal point is a comma."""
    return max(among, key=text.partition("\n")[0].count)


def separated(text: str) -> Iterator[Section]:
    """A CSV or TSV file as its only sheet."""
    delimiter = delimiter_of(text)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    yield Section("sheet", "", _solid(rows, delimiter), delimiter)


def xlsx(content: bytes) -> Iterator[Section]:
    """Every sheet; a formula without a stored value as the formula."""
    import openpyxl

    values = openpyxl.load_workbook(unpackable(content, part=MAX_UNPACKED), read_only=True, data_only=True)
    formulas = openpyxl.load_workbook(unpackable(content, part=MAX_UNPACKED), read_only=True, data_only=False)
    for sheet in values.worksheets:
        yield Section("sheet", str(sheet.title), _solid(_xlsx_rows(sheet, formulas[sheet.title])))


def _xlsx_rows(values: Any, formulas: Any) -> Iterator[list[str]]:
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # what the file says of its size need not be true
    pairs: Any = zip(values.iter_rows(values_only=True), formulas.iter_rows(values_only=True), strict=False)
    for row, written in pairs:
        cells = (formula if value is None else value for value, formula in zip(row, written, strict=False))
        yield ["" if cell is None else str(cell) for cell in cells]


def ods(content: bytes) -> Iterator[Section]:
    """The sheets of a LibreOffice workbook."""
    for table in content_xml(content).iter(f"{_TABLE}table"):
        yield Section("sheet", table.get(f"{_TABLE}name", ""), _solid(_ods_rows(table)))


def content_xml(content: bytes) -> ElementTree.Element:
    """The content of a LibreOffice document. Raises as parsers do."""
    with zipfile.ZipFile(unpackable(content)) as archive:
        return ElementTree.fromstring(archive.read("content.xml"))


def ods_cells(row: ElementTree.Element) -> list[str]:
    """The cells of a row, without the empty ones at its end."""
    cells: list[str] = []
    for cell in row:
        # Empty cells to the sheet's edge are one cell with a huge repeat count.
        repeated = min(int(cell.get(f"{_TABLE}number-columns-repeated", "1")), MAX_REPEATED)
        cells += ["\n".join("".join(part.itertext()) for part in cell.iter(f"{_TEXT}p"))] * repeated
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _ods_rows(table: ElementTree.Element) -> Iterator[list[str]]:
    rows = (
        repeat(ods_cells(row), min(int(row.get(f"{_TABLE}number-rows-repeated", "1")), MAX_ROWS))
        for row in table.iter(f"{_TABLE}table-row")
    )
    return chain.from_iterable(rows)


def _solid(rows: Iterable[list[str]], delimiter: str = ",") -> Iterator[str]:
    """Rows as CSV, without trailing empty cells and rows."""
    empty = 0
    for row in islice(rows, MAX_ROWS):
        filled = next((number for number in range(len(row), 0, -1) if row[number - 1]), 0)
        if not filled:
            empty += 1
            continue
        yield from repeat("", empty)
        empty = 0
        yield csv_line(row[:filled], delimiter)


def rows_of(text: str) -> list[list[str]]:
    """All rows of a CSV file, as many as a sheet may have."""
    return list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)), MAX_ROWS))
