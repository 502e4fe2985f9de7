"""A spreadsheet: cells by address, clicked where they are, typed into, never enumerated."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import cast

import openpyxl
import pytest
from tests.environments.linux.conftest import await_look, only, program_of, stopped

from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.sandbox.sandbox import DesktopSandbox
from deskcrew.environments.marks import marks
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control
from deskcrew_bench.performance.perception import come_to_rest

pytestmark = pytest.mark.desktop


@pytest.mark.deep
def test_cells_are_named_by_address(calc: LinuxDesktop) -> None:
    observation = await_look(calc, lambda seen: any(one.name == "C4" for one in seen.controls))
    assert only(observation, "cell", "B2").value == "12.5"
    assert only(observation, "cell", "C2").value == "Север"
    assert only(observation, "cell", "C4").value == "東京"
    assert only(observation, "cell", "A1").label == "A1"
    assert observation.focus == "A1"
    assert sum(one.role == "cell" for one in observation.controls) < 60


def test_a_click_hits_the_cell_that_is_meant(calc: LinuxDesktop) -> None:
    """Before the mouse first moves over its window LibreOffice reports places that are 27 pixels off."""
    calc.observe()
    cell = calc.find_cell("D7")
    assert cell is not None
    calc.click(cell)
    assert await_look(calc, lambda seen: seen.focus == "D7").focus == "D7"
    assert only(calc.observe(), "text field", "Name Box").value == "D7"


@pytest.mark.deep
def test_typing_into_cells(calc: LinuxDesktop, workspace: Path) -> None:
    empty, total = calc.find_cell("D7"), calc.find_cell("B6")
    assert empty is not None
    assert total is not None
    assert calc.type_text(empty, "Жизнь 7") == "Жизнь 7"
    assert calc.type_text(total, "=SUM(B2:B4)") == "38.5"
    calc.click(only(calc.observe(), "cell", "B3"))
    calc.type_text(None, "8", enter=True)
    observation = await_look(calc, lambda seen: only(seen, "cell", "B6").value == "39.5")
    assert only(observation, "cell", "B3").value == "8"
    calc.press(("ctrl", "s"))
    keep = await_look(calc, lambda seen: all("*" not in one.title for one in seen.windows))
    assert keep.windows
    sheet = openpyxl.load_workbook(workspace / "prices.xlsx").worksheets[0]
    assert (sheet["D7"].value, sheet["B6"].value, sheet["B3"].value) == ("Жизнь 7", "=SUM(B2:B4)", 8)


def named(calc: LinuxDesktop, address: str) -> Control:
    """The control that a role names by this address: listed or not."""
    control = await_look(calc, lambda seen: seen.sheet is not None).control(address)
    assert control is not None
    return control


@pytest.mark.deep
def test_a_cell_far_out_of_view_is_clicked_and_typed_into(calc: LinuxDesktop) -> None:
    calc.click(named(calc, "BA4000"))
    assert calc.observe().focus == "BA4000"
    assert calc.type_text(named(calc, "A900"), "far away") == "far away"
    assert only(calc.observe(), "cell", "A900").value == "far away"
    calc.click(named(calc, "A900"), button="right")
    await_look(calc, lambda seen: any(one.role == "menu item" for one in seen.controls))
    calc.press(("escape",))
    assert calc.type_text(named(calc, "A900"), "") == ""
    calc.click(named(calc, "a1"))
    assert calc.observe().focus == "A1"


def test_a_range_is_selected_and_read(calc: LinuxDesktop) -> None:
    calc.click(named(calc, "A1:C4"))
    seen = calc.observe()
    assert only(seen, "text field", "Name Box").value == "A1:C4"
    assert {one.name for one in seen.controls if one.role == "cell" and "selected" in one.states} == {
        f"{column}{row}" for column in "ABC" for row in range(1, 5)
    }
    assert calc.read_cells(named(calc, "A1:C2")) == "item\tamount\tгород\napple\t12.5\tСевер"
    assert calc.read_cells(named(calc, "H300:J310")) == "H300:J310 is empty."
    assert calc.read_cells(named(calc, "H300:XFD1048576")).endswith("(only H300:DC339 was read)")


def test_a_table_lands_cell_by_cell(calc: LinuxDesktop) -> None:
    """LibreOffice would complete "pl" from the cells above, and go round in a range that is selected."""
    typed = "name\tcount\npl\t1,234.50\np\t\n=F3*2\t2024-05-01"
    assert calc.type_text(named(calc, "E2"), "old\told\nold\told\nold\told") == "old\told\nold\told\nold\told"
    assert calc.type_text(named(calc, "E2:F5"), typed) == "name\tcount\npl\t1234.5\np\t\n2469\t2024-05-01"
    with pytest.raises(ActionError, match="4 rows of 2 columns do not fit into E2:E5; nothing was typed"):
        calc.type_text(named(calc, "E2:E5"), typed)
    assert calc.type_text(named(calc, "E2:F5"), "alone", clear=True) == "alone"
    assert calc.read_cells(named(calc, "E2:F5")) == "alone"
    assert calc.type_text(named(calc, "E2:F5"), "") == ""
    assert calc.read_cells(named(calc, "E2:F5")) == "E2:F5 is empty."


@pytest.mark.deep
def test_another_sheet_by_its_name(calc: LinuxDesktop, workspace: Path) -> None:
    calc.type_text(named(calc, "'second sheet'!C3:D4"), "a\tb\nc\td")
    assert "selected" in only(calc.observe(), "tab", "Second Sheet").states
    with pytest.raises(ActionError, match="no sheet 'Third'; sheets: 'Sheet', 'Second Sheet'"):
        calc.click(named(calc, "Third.A1"))
    with pytest.raises(ActionError, match="no XFE1: the sheet ends at XFD1048576"):
        calc.click(named(calc, "XFE1"))
    calc.click(named(calc, "Sheet.A1"))
    calc.press(("ctrl", "s"))
    await_look(calc, lambda seen: all("*" not in one.title for one in seen.windows))
    sheet = openpyxl.load_workbook(workspace / "prices.xlsx")["Second Sheet"]
    assert [[cell.value for cell in row] for row in sheet["C3:D4"]] == [["a", "b"], ["c", "d"]]


def test_a_button_of_the_tool_bar(calc: LinuxDesktop) -> None:
    bold = only(calc.observe(), "toggle button", "Bold")
    before = "pressed" in bold.states
    calc.click(bold)
    after = await_look(calc, lambda seen: ("pressed" in only(seen, "toggle button", "Bold").states) is not before)
    assert only(after, "toggle button", "Bold").label == bold.label


def test_a_menu_and_its_dialog(calc: LinuxDesktop) -> None:
    calc.menu(("Format", "Cells..."))
    observation = await_look(calc, lambda seen: bool(seen.active_window and seen.active_window.dialog))
    assert any(one.role == "tab" for one in observation.controls)
    calc.click(only(observation, "button", "Cancel"))
    await_look(calc, lambda seen: not any(one.dialog for one in seen.windows))


def test_what_is_disabled_is_not_pressed(calc: LinuxDesktop) -> None:
    disabled = next(one for one in calc.observe().controls if "disabled" in one.states)
    with pytest.raises(ActionError, match="disabled"):
        calc.click(disabled)


def test_looks_are_quick(calc: LinuxDesktop) -> None:
    """The figures aimed at, doubled, since tests share the machine; `deskcrew bench perception` measures."""
    calc.observe()
    again: list[float] = []
    for _ in range(9):
        started = time.perf_counter()
        calc.observe()
        again.append(time.perf_counter() - started)
    assert statistics.median(again) < 0.05


def test_a_first_look_and_one_that_asks_everything_see_the_same(calc: LinuxDesktop) -> None:
    """All but what LibreOffice names anew: the paths that labels hang on."""
    come_to_rest(calc)  # it draws the tabs of its sheets last
    again = calc.look(everything=True)
    calc.forget()
    first = calc.look()
    assert [(one.role, one.name, one.value) for one in first.controls] == [
        (one.role, one.name, one.value) for one in again.controls
    ]


def test_marks_are_drawn_on_the_screenshot(calc: LinuxDesktop) -> None:
    observation = calc.observe(screenshot=True)
    assert observation.screenshot is not None
    assert observation.screenshot.startswith(b"\x89PNG")
    assert marks(observation) != observation.screenshot


@pytest.mark.deep
def test_where_the_name_box_is_hidden_only_cells_in_view_are_reached(calc: LinuxDesktop) -> None:
    calc.menu(("View", "Formula Bar"))
    await_look(calc, lambda seen: not any(one.name == "Name Box" for one in seen.controls))
    try:
        assert calc.type_text(named(calc, "D6"), "near") == "near"
        with pytest.raises(ActionError, match="only be reached by the Name Box, which is hidden"):
            calc.type_text(named(calc, "D600"), "far")
    finally:
        calc.menu(("View", "Formula Bar"))
        await_look(calc, lambda seen: any(one.name == "Name Box" for one in seen.controls))
    assert calc.type_text(named(calc, "D6"), "") == ""


def test_a_range_of_a_spreadsheet_that_hangs_is_refused_and_read_once_it_answers(calc: LinuxDesktop) -> None:
    seen = await_look(calc, lambda seen: seen.control("A1:B2") is not None)
    cells = seen.control("A1:B2")
    assert cells is not None
    with stopped(program_of(cast(DesktopSandbox, calc.session).pid, "soffice")):
        with pytest.raises(ActionError, match="libreoffice-calc is not responding: it does not answer"):
            calc.read_cells(cells)
        calc.display.changes += 1
        assert [window.responding for window in calc.observe().windows if "calc" in window.app] == [False]
    await_look(calc, lambda seen: all(window.responding for window in seen.windows))
    assert calc.read_cells(cells).startswith("item")
