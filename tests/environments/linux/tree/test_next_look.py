"""What changed in a sheet is seen by the next look, and so is all that did not: as a first look would see it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import Font
from tests.environments.linux.conftest import await_look, desktop_in

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.tree.programs import BusProgram
from deskcrew.facts.observation import Observation
from deskcrew_bench.performance.perception import come_to_rest, wait_for_quiet

pytestmark = pytest.mark.desktop


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LinuxDesktop]:
    """Two sheets; in the first what a picture does not tell: text cut off, ``###``, white on white, under a chart."""
    folder = tmp_path_factory.mktemp("workspace")
    write_book(folder / "book.xlsx")
    with contextlib.closing(desktop_in(folder)) as desktop:
        desktop.open_application("LibreOffice Calc", "book.xlsx")
        await_look(desktop, lambda seen: any(one.name == "A1" for one in seen.controls))
        come_to_rest(desktop)  # while it is still arranging its window, a click hits another cell
        yield desktop


def write_book(path: Path) -> None:
    book = openpyxl.Workbook()
    first: Any = book.worksheets[0]
    for row in range(1, 16):
        first.append([f"item {row}", row, row * 2, f"=B{row}*C{row}"])
    first["F1"], first["G1"] = '="a long text that is cut off, "&B1', "next"
    first["F2"], first["G2"] = "=1234567890123+B1", "next"
    first["F3"] = '="white "&B1'
    first["F3"].font = Font(color="FFFFFF")
    first["J12"] = '="under the chart "&B1'
    first["F24"] = "=B1"
    chart = BarChart()
    chart.add_data(Reference(first, min_col=2, min_row=2, max_row=6))
    chart.width, chart.height = 8, 6
    first.add_chart(chart, "I10")
    second: Any = book.create_sheet("Second")
    for row in range(1, 16):
        second.append([f"item {row}", row, row * 3])
    book.save(path)


def content(observation: Observation) -> list[tuple[object, ...]]:
    """All but labels."""
    return [(one.role, one.name, one.value, one.states, one.box) for one in observation.controls]


def cells(observation: Observation) -> dict[str, str | None]:
    return {one.name: one.value for one in observation.controls if one.role == "cell"}


def program_with_sheet(desktop: LinuxDesktop) -> BusProgram:
    return next(one for one in desktop.programs.known.values() if any(grid.sheet for grid in one.grids.values()))


def after(desktop: LinuxDesktop, change: Callable[[], object], shown: Callable[[dict[str, str | None]], bool]) -> None:
    """Make a change and check that the next look shows what a first look does."""
    for _ in range(2):
        desktop.look(everything=False)
    change()
    await_look(desktop, lambda seen: shown(cells(seen)))
    for _ in range(3):  # what moves on its own, such as a caret, is no part of this, nor a picture that lags behind
        if not wait_for_quiet(desktop):
            break
        desktop.observe()
    following = desktop.observe()
    desktop.forget()
    assert content(following) == content(desktop.look())


def put(desktop: LinuxDesktop, address: str, text: str) -> None:
    cell = desktop.find_cell(address)
    assert cell is not None
    desktop.type_text(cell, text)


@pytest.mark.deep
def test_most_cells_are_not_asked_again(sheet: LinuxDesktop) -> None:
    """The reason for all this, without which the other tests would show nothing."""
    put(sheet, "C15", "31")
    sheet.observe()
    program = program_with_sheet(sheet)

    def calls(everything: bool) -> int:
        before = program.tree.calls
        sheet.look(everything=everything)
        return program.tree.calls - before

    all_asked = calls(True)
    for _ in range(2):  # the first look after one that asked for all has nothing to compare with
        sheet.press(("down",))
        sheet.observe()
    sheet.press(("down",))
    sheet.wait(0.5)
    assert calls(False) < all_asked - 200


@pytest.mark.first_case
@pytest.mark.parametrize("address", ["B2", "D15", "C22"])
def test_a_typed_cell(sheet: LinuxDesktop, address: str) -> None:
    after(sheet, lambda: put(sheet, address, "77"), lambda seen: seen.get(address) == "77")


@pytest.mark.deep
def test_a_formula_far_away_and_what_no_picture_tells(sheet: LinuxDesktop) -> None:
    for number in ("4", "5", "6"):
        after(sheet, lambda number=number: put(sheet, "B1", number), lambda seen, number=number: seen["F24"] == number)
        seen = cells(sheet.observe())
        assert seen["F1"] == f"a long text that is cut off, {number}"
        assert seen["F2"] == f"123456789012{3 + int(number)}"
        assert seen["F3"] == f"white {number}"
        assert seen["J12"] == f"under the chart {number}"


@pytest.mark.deep
def test_undo(sheet: LinuxDesktop) -> None:
    put(sheet, "B3", "500")
    after(sheet, lambda: sheet.press(("ctrl", "z")), lambda seen: seen["B3"] != "500")


@pytest.mark.deep
def test_a_row_put_in(sheet: LinuxDesktop) -> None:
    put(sheet, "A5", "here")
    cell = sheet.find_cell("A4")
    assert cell is not None
    sheet.click(cell)
    after(sheet, lambda: sheet.menu(("Sheet", "Insert Rows", "Rows Above")), lambda seen: seen.get("A6") == "here")
    after(sheet, lambda: sheet.press(("ctrl", "z")), lambda seen: seen.get("A5") == "here")


def test_a_format_that_moves_cells(sheet: LinuxDesktop) -> None:
    cell = sheet.find_cell("A2")
    assert cell is not None
    sheet.click(cell)
    before = cell.box.width

    def wider() -> None:
        for _ in range(3):
            sheet.press(("alt", "right"))

    after(sheet, wider, lambda _: (sheet.find_cell("A2") or cell).box.width > before)


@pytest.mark.deep
def test_scrolling(sheet: LinuxDesktop) -> None:
    after(sheet, lambda: sheet.scroll(None, -2), lambda seen: "A1" not in seen)
    after(sheet, lambda: sheet.scroll(None, 2), lambda seen: "A1" in seen)


@pytest.mark.deep
def test_another_sheet_that_looks_much_the_same(sheet: LinuxDesktop) -> None:
    after(sheet, lambda: sheet.press(("ctrl", "pagedown")), lambda seen: seen.get("C15") == "45")
    after(sheet, lambda: sheet.press(("ctrl", "pageup")), lambda seen: seen.get("G1") == "next")


@pytest.mark.deep
def test_a_dialog_that_lay_over_cells(sheet: LinuxDesktop) -> None:
    sheet.press(("ctrl", "f1"))
    sheet.menu(("Format", "Cells..."))
    await_look(sheet, lambda seen: bool(seen.active_window and seen.active_window.dialog))
    after(sheet, lambda: sheet.press(("esc",)), lambda seen: "A1" in seen)
