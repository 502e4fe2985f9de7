"""What changed in a workbook, as a Verifier is told it."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill

from deskcrew.environments.manifest import Manifest, ManifestEntry
from deskcrew.errors import ActionError
from deskcrew.evidence.changes import changes_told
from deskcrew.evidence.places.reading import value_at
from deskcrew.evidence.states import States
from deskcrew.evidence.workbooks import differences

BOOK = Path("book.xlsx")
GREEN = PatternFill("solid", start_color="FF00FF00", end_color="FF00FF00")


def saved(book: Any) -> bytes:
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def sales(rows: int = 6) -> bytes:
    book = Workbook()
    book.active.title = "Sales"
    for row in [["Month", "Net", "Cost", "Profit"], *([f"M{n}", n * 10, n, None] for n in range(1, rows))]:
        book.active.append(row)
    return saved(book)


def changed(content: bytes, change: Callable[[Any], None]) -> bytes:
    book = load_workbook(io.BytesIO(content))
    change(book)
    return saved(book)


def told(before: bytes, now: bytes) -> str:
    def entry(digest: str, content: bytes) -> Manifest:
        return Manifest(
            (ManifestEntry(path="book.xlsx", kind="file", size=len(content), digest=digest, mode=0o644, mtime_ns=0),)
        )

    blobs = {"before": before, "now": now}
    return changes_told(States(entry("before", before), entry("now", now), blobs.__getitem__))


def test_formulas_and_formatting_are_told_by_ranges() -> None:
    def change(book: Any) -> None:
        for row in range(2, 7):
            book["Sales"].cell(row, 4).value = f"=B{row}-C{row}"
        for cell in (*book["Sales"][1], book["Sales"]["B4"], book["Sales"]["C4"], book["Sales"]["B5"], book["Sales"]["C5"]):
            cell.fill = GREEN
        book["Sales"]["A1"].font = Font(bold=True)
        book["Sales"].freeze_panes = "A2"

    start = sales()
    lines = differences(BOOK, start, changed(start, change))
    assert lines[0] == "Sales!frozen: none -> A2"
    assert "Sales!A1: bold false -> true" in lines
    assert "Sales!A1:D1, B4:C5: fill None -> #00FF00" in lines
    assert lines[-1] == "Sales!D2:D6: None -> =B2-C2 = not calculated, ... not calculated", "alike down the column"
    assert not any("B2" in line.partition(":")[0] for line in lines), "nothing of it differs"
    assert differences(BOOK, start, start) == []


def test_hidden_rows_and_columns_comments_and_links_are_told() -> None:
    def change(book: Any) -> None:
        page = book["Sales"]
        page.row_dimensions[3].hidden = True
        page.column_dimensions["B"].hidden = True
        page["A2"].hyperlink = "https://example.org/more"

    said = told(sales(), changed(sales(), change))
    assert "new: [hidden rows in Sales] 3" in said
    assert "new: [hidden columns in Sales] B" in said
    assert "new: [link at Sales!A2] https://example.org/more" in said


def test_digits_that_no_program_shows_are_no_difference() -> None:
    def change(book: Any) -> None:
        book["Sales"]["B2"].value, book["Sales"]["C2"].value = 1364.6, 0.3

    def noise(book: Any) -> None:
        book["Sales"]["B2"].value, book["Sales"]["C2"].value = 1364.6000000000001, 0.1 + 0.2

    assert differences(BOOK, changed(sales(), noise), changed(sales(), change)) == []


def test_charts_conditions_and_merged_cells_are_told_with_what_they_show() -> None:
    def change(book: Any) -> None:
        page = book["Sales"]
        chart = BarChart()
        chart.title, chart.x_axis.title = "Net a month", "Month"
        chart.add_data(Reference(page, min_col=2, min_row=2, max_row=6))
        chart.set_categories(Reference(page, min_col=1, min_row=2, max_row=6))
        page.add_chart(chart, "F2")
        page.conditional_formatting.add("C2:C6", CellIsRule(operator="greaterThan", formula=["3"], fill=GREEN))
        page.merge_cells("A8:B8")

    start = sales()
    lines = differences(BOOK, start, changed(start, change))
    (chart,) = [line for line in lines if "charts" in line]
    assert chart.startswith(
        "Sales!charts: new: type bar, title Net a month, series 1, values 'Sales'!$B$2:$B$6, categories "
    )
    assert "axes Month" in chart
    assert "Sales!merged: none -> A8:B8" in lines
    assert "Sales!conditions: none -> C2:C6: cellIs greaterThan 3 fill #00FF00" in lines


def test_of_a_new_sheet_only_what_its_text_does_not_show_is_told() -> None:
    def change(book: Any) -> None:
        page = book.create_sheet("Sum", 0)
        page["A1"], page["A2"], page["B2"] = "Net", "all", "=SUM(Sales!B2:B6)"
        page["A1"].font = Font(bold=True)

    start = sales()
    now = changed(start, change)
    lines = ["sheets: Sales -> Sum, Sales", "Sum!A1: bold true", "Sum!B2: =SUM(Sales!B2:B6) = not calculated"]
    assert differences(BOOK, start, now) == lines
    assert differences(BOOK, b"", now) == lines[1:]


def test_a_workbook_is_not_told_twice_unless_too_much_differs() -> None:
    def one(book: Any) -> None:
        book["Sales"]["B2"].value = 99

    def all_of_it(book: Any) -> None:
        for row in range(2, 400):
            book["Sales"].cell(row, 2).value = "changed from what it was"

    assert "book.xlsx (what differs, start -> end): Sales!B2: 10 -> 99" in told(sales(), changed(sales(), one))
    assert "the same at the start" not in told(sales(), changed(sales(), one))
    assert "the same at the start" in told(sales(400), changed(sales(400), all_of_it))


def test_a_damaged_workbook_is_said_to_be_one() -> None:
    with pytest.raises(ActionError, match=r"book\.xlsx cannot be read as xlsx"):
        differences(BOOK, sales(), b"no workbook")
    assert "cannot be read as xlsx" in told(sales(), b"no workbook")


def test_what_a_chart_draws_has_an_address(tmp_path: Path) -> None:
    def change(book: Any) -> None:
        chart = BarChart()
        chart.title = "Net"
        chart.add_data(Reference(book["Sales"], min_col=2, min_row=2, max_row=6))
        book["Sales"].add_chart(chart, "F2")

    file = tmp_path / "book.xlsx"
    file.write_bytes(changed(sales(), change))
    assert value_at(file, "Sales!chart[Net].values") == "'Sales'!$B$2:$B$6"
    assert value_at(file, "Sales!chart[1].categories") == ""
    assert value_at(file, "pivots") == ""
