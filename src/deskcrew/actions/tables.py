"""Tables: the sheets of workbooks and the rows of CSV files."""

from __future__ import annotations

import csv
import importlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from itertools import chain, islice, repeat
from typing import Any

from deskcrew.actions import opendocument as odf
from deskcrew.actions import sheet_notes
from deskcrew.actions.sections import MAX_UNPACKED, Note, Section, archive, csv_line, noted, unpackable
from deskcrew.facts.addresses import address_of

TABLES = (".xlsx", ".xlsm", ".csv", ".tsv", ".ods")
"""Suffixes of files that are read as tables."""
MAX_ROWS = 1 << 20
"""The number of rows of a sheet in every spreadsheet program; a larger number in a file is not believed."""
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
    """Every sheet, and the notes on them; a formula without a stored value is shown as the formula."""
    import openpyxl

    values = openpyxl.load_workbook(unpackable(content, part=MAX_UNPACKED), read_only=True, data_only=True)
    formulas = openpyxl.load_workbook(unpackable(content, part=MAX_UNPACKED), read_only=True, data_only=False)
    for sheet in values.worksheets:
        yield Section("sheet", str(sheet.title), _solid(_xlsx_rows(sheet, formulas[sheet.title])))
    with archive(content) as parts:
        yield noted(sheet_notes.notes(parts))


def _xlsx_rows(values: Any, formulas: Any) -> Iterator[list[str]]:
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # what the file says of its size need not be true
    pairs: Any = zip(values.iter_rows(values_only=True), formulas.iter_rows(values_only=True), strict=False)
    for row, written in pairs:
        cells = (formula if value is None else value for value, formula in zip(row, written, strict=False))
        yield [_cell(cell) for cell in cells]


def ods(content: bytes) -> Iterator[Section]:
    """The sheets of a LibreOffice workbook."""
    with zipfile.ZipFile(unpackable(content)) as parts:
        tree, styles = odf.parsed(parts, "content.xml"), odf.Styles.of(parts)
    sheets = list(tree.iter(odf.TABLE + "table"))
    for table in sheets:
        yield Section("sheet", table.get(odf.TABLE + "name", ""), _solid(_ods_rows(table)))
    yield noted(chain(_ods_hidden(sheets, styles), _ods_rules(tree), odf.notes_in(tree)))


def _ods_rows(table: Any) -> Iterator[list[str]]:
    rows = (
        repeat(odf.cells_of(row), min(int(row.get(odf.TABLE + "number-rows-repeated", "1")), MAX_ROWS))
        for row in table.iter(odf.TABLE + "table-row")
    )
    return chain.from_iterable(rows)


def _ods_hidden(sheets: Iterable[Any], styles: odf.Styles) -> Iterator[Note]:
    for table in sheets:
        name = table.get(odf.TABLE + "name", "")
        if styles.first("table", table.get(odf.TABLE + "style-name", ""), odf.TABLE + "display") == "false":
            yield Note("hidden sheet", name, "")
        for kind in ("row", "column"):
            number = 0
            for each in table.iter(f"{odf.TABLE}table-{kind}"):
                first, times = number + 1, int(each.get(f"{odf.TABLE}number-{kind}s-repeated", "1"))
                number += times
                if each.get(odf.TABLE + "visibility", "visible") != "visible":
                    ends = (str(at) if kind == "row" else address_of(0, at - 1)[:-1] for at in (first, number))
                    yield Note(f"hidden {kind}", f"in {name}", "-".join(dict.fromkeys(ends)))


def _ods_rules(tree: Any) -> Iterator[Note]:
    """Notes on the values that cells may hold, with their messages."""
    for rule in tree.iter(odf.TABLE + "content-validation"):
        told = " ".join("".join(each.itertext()) for each in rule).strip()
        where = rule.get(odf.TABLE + "base-cell-address", "")
        yield Note("rule", f"from {where}", f"{rule.get(odf.TABLE + 'condition', '')} {told and f'({told})'}")


def parquet(content: bytes) -> Iterator[Section]:
    """The rows of a .parquet file, below the names of its columns."""
    library: Any = importlib.import_module("pyarrow.parquet")
    opened = library.ParquetFile(io.BytesIO(content))
    rows: Iterator[dict[str, Any]] = (row for batch in opened.iter_batches() for row in batch.to_pylist())
    header = [str(name) for name in opened.schema_arrow.names]
    yield Section("sheet", "", _solid(chain([header], ([_cell(row[name]) for name in header] for row in rows))))


def _cell(value: object) -> str:
    return "" if value is None else str(value)


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
    """All rows of a CSV file, up to the maximum of a sheet."""
    return list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text)), MAX_ROWS))
