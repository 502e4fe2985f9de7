"""Instructions about workbooks: a checker that takes what was wanted for right in every form, and nothing else."""

from __future__ import annotations

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import openpyxl
import pytest
from openpyxl.chart import BarChart, LineChart, Reference
from openpyxl.formatting.rule import Rule
from openpyxl.pivot.cache import CacheDefinition, CacheField, CacheSource, SharedItems, WorksheetSource
from openpyxl.pivot.record import RecordList
from openpyxl.pivot.table import DataField, Location, PivotField, RowColField, TableDefinition
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.differential import DifferentialStyle

from deskcrew.errors import ConfigError, UsageError
from deskcrew.models.scripted import ScriptedModel
from deskcrew_bench.sheets import suite
from deskcrew_bench.sheets.book import Book, same
from deskcrew_bench.sheets.must import Must
from deskcrew_bench.sheets.mutants import mutants
from deskcrew_bench.suites.others import line, table
from support.crew import settings_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(shutil.which("soffice") is None, reason="there is no LibreOffice on this machine"),
]

SOLD = [("Lamp", "Oslo", 4), ("Sofa", "Bern", 1), ("Lamp", "Bern", 2), ("Desk", "Oslo", 3)]
ACCOUNTING = '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-'
GREEN, PALE_GREEN, RED = "FF00B050", "FF92D050", "FFFF0000"
TABLE = """
[1_Shop]
checks = [
    { what = "same", sheet = "Sold", range = "A1:C5" },
    { what = "block", of = "Sold!D1:D5", where = "Sold", fixed = true, accounting = true },
    { what = "highlighted", sheet = "Sold", range = "A2:C5" },
    { what = "linked", sheet = "Sold", range = "A1:A1" },
    { what = "summary", of = "Sums!A2:B4", where = "new" },
    { what = "chart", kinds = ["bar", "column"], where = "new", counts = ["title", "legend"] },
]
"""


def started() -> Any:
    book = openpyxl.Workbook()
    page: Any = book.active
    page.title = "Sold"
    for row in (("Product", "Town", "Number"), *SOLD):
        page.append(row)
    return book


def finished(
    *,
    sheet: str = "Sums",
    order: tuple[str, ...] = ("Desk", "Lamp", "Sofa"),
    total: bool = True,
    at: tuple[int, int] = (1, 1),
    fill: str = GREEN,
    rule: bool = True,
    kind: Any = BarChart,
) -> Any:
    """The task done, in one of the ways in which it can be."""
    book = started()
    page = book["Sold"]
    page["D1"] = "Price"
    for row in range(2, 6):
        page.cell(row, 4, f"=C{row}*10").number_format = ACCOUNTING
    if rule:
        look = DifferentialStyle(fill=PatternFill(bgColor=fill), font=Font(color="FFFFFFFF"))
        page.conditional_formatting.add("A2:C5", Rule(type="expression", formula=['$B2="Oslo"'], dxf=look))
    else:
        for row in (2, 5):
            page.cell(row, 1).fill = PatternFill("solid", fgColor=fill)
    page["A1"].hyperlink = "products.txt"
    sums = book.create_sheet(sheet)
    top, left = at
    sums.cell(top, left, "Product")
    sums.cell(top, left + 1, "Sum")
    for row, name in enumerate(order, top + 1):
        sums.cell(row, left, name)
        sums.cell(row, left + 1, f'=SUMIF(Sold!A2:A5,"{name}",Sold!C2:C5)')
    if total:
        sums.cell(top + 4, left, "Total")
        sums.cell(
            top + 4, left + 1, f"=SUM({sums.cell(top + 1, left + 1).coordinate}:{sums.cell(top + 3, left + 1).coordinate})"
        )
    chart = kind()
    chart.title, chart.legend = "Sold", None
    chart.add_data(Reference(sums, min_col=left + 1, min_row=top, max_row=top + 3), titles_from_data=True)
    chart.set_categories(Reference(sums, min_col=left, min_row=top + 1, max_row=top + 3))
    sums.add_chart(chart, "F2")
    return book


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of one task, as others' are."""
    made = tmp_path_factory.mktemp("set")
    for name in (suite.SHEETS, suite.GOLDS):
        (made / name).mkdir(parents=True)
    line: dict[str, Any] = {"Sheet Name": "Shop", "No.": 1, "Context": "What was sold.", "Instructions": "Sum it up."}
    (made / suite.LISTED).write_text(f"{json.dumps(line | {'Seed task': float('nan')})}\n")
    started().save(made / suite.SHEETS / "Shop.xlsx")
    finished().save(made / suite.GOLDS / "1_Shop_gt1.xlsx")
    (made / "table.toml").write_text(TABLE)
    return made


@pytest.fixture(scope="module")
def task(folder: Path) -> suite.Task:
    """Its task: what it is compared with is read once."""
    (found,) = suite.tasks_of(folder, table=folder / "table.toml")
    return found


def judged(task: suite.Task, book: Any, folder: Path) -> list[str]:
    path = folder / "result.xlsx"
    book.save(path)
    return task.wrong(path)


@pytest.mark.deep
def test_what_is_done_in_another_way_is_right(task: suite.Task, tmp_path: Path) -> None:
    assert suite.control(task, suite.GOLD, "-").right
    others = finished(sheet="Totals", order=("Sofa", "Desk", "Lamp"), total=False, at=(3, 2), fill=PALE_GREEN)
    assert judged(task, others, tmp_path) == []
    assert judged(task, finished(rule=False), tmp_path) == []


@pytest.mark.deep
def test_a_workbook_in_which_nothing_was_done_is_wrong(task: suite.Task) -> None:
    trial = suite.control(task, suite.START, "-")
    assert not trial.right
    for told in ("Sold!D1:D5", "row 2 of Sold is wrongly highlighted", "'products.txt'", "no table", "no chart"):
        assert told in trial.said


@pytest.mark.deep
def test_a_reference_with_one_thing_wrong_is_wrong(task: suite.Task, tmp_path: Path) -> None:
    made = suite.wanted([task], suite.MUTANTS)
    assert len(made) >= 10
    taken = [key[1] for key in made if suite.control(task, suite.MUTANTS, "-", key[1]).right]
    assert taken == []


@pytest.mark.deep
@pytest.mark.parametrize(
    ("sheet", "cell", "value", "told"),
    [("Sold", "C2", 5, "Sold!C2 is 5.0, not 4.0"), ("Sums", "B3", 7, "'Lamp' has"), ("Sold", "D3", 1, "Sold!D1:D5")],
)
def test_what_differs_is_told(sheet: str, cell: str, value: int, told: str, task: suite.Task, tmp_path: Path) -> None:
    book = finished()
    book[sheet][cell] = value
    wrong = judged(task, book, tmp_path)
    assert any(told in each for each in wrong), wrong


@pytest.mark.deep
def test_a_chart_of_another_kind_and_a_fill_of_another_colour_are_wrong(task: suite.Task, tmp_path: Path) -> None:
    assert judged(task, finished(kind=LineChart), tmp_path) == ["the chart is of the kind line"]
    *told, more = judged(task, finished(fill=RED), tmp_path)
    assert told
    assert all("#FF0000" in each for each in told), told
    assert more.startswith("and ")


def with_pivot(subtotal: str = "sum", field: str = "Product") -> Any:
    """Sums in a pivot table, as programs write one."""
    book = started()
    page = book.create_sheet("Pivot")
    names = ["Product", "Town", "Number"]
    for row in (("Row Labels", "Sum"), ("Desk", 3), ("Lamp", 6), ("Sofa", 1)):
        page.append(row)
    cache = CacheDefinition(
        cacheSource=CacheSource(type="worksheet", worksheetSource=WorksheetSource(ref="A1:C5", sheet="Sold")),
        cacheFields=[CacheField(name=name, sharedItems=SharedItems()) for name in names],
        refreshOnLoad=True,
        id="rId1",
    )
    cache.records = RecordList()
    made: Any = cast("Any", TableDefinition)(
        name="Sums", cacheId=1, dataCaption="Values",
        location=Location(ref="A1:B4", firstHeaderRow=1, firstDataRow=1, firstDataCol=1),
        pivotFields=[PivotField(axis="axisRow" if name == field else None, dataField=name == "Number") for name in names],
        rowFields=[RowColField(x=names.index(field))],
        dataFields=[DataField(name="Sum", fld=2, subtotal=subtotal)],
    )  # fmt: skip
    made.cache = cache
    page.add_pivot(made)
    return book


@pytest.mark.deep
def test_a_pivot_table_has_the_same_fields(tmp_path: Path) -> None:
    must = Must.model_validate({"checks": [{"what": "pivot", "where": "new", "fixed": True}]})
    books: dict[str, Book] = {}
    for name, made in (
        ("start", started()), ("gold", with_pivot()), ("other", with_pivot("count")), ("town", with_pivot(field="Town")),
    ):  # fmt: skip
        made.save(tmp_path / f"{name}.xlsx")
        books[name] = Book(tmp_path / f"{name}.xlsx")

    def wrong(name: str) -> list[str]:
        return must.wrong(books[name], [books["gold"]], books["start"])

    assert wrong("gold") == []
    assert [pivot.data for pivot in books["gold"].pivots] == [(("Number", "sum"),)]
    assert ["count" in each for each in wrong("other")] == [True]
    assert ["'Town'" in each for each in wrong("town")] == [True]
    assert wrong("start") == ["there is no pivot table in a sheet that is not there"]


@pytest.mark.deep
def test_of_several_references_the_nearest_counts(folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "set")
    finished(order=("Desk", "Lamp", "Desk")).save(other / suite.GOLDS / "1_Shop_gt0.xlsx")
    (task,) = suite.tasks_of(other, table=other / "table.toml")
    assert len(task.golds) == 2
    assert judged(task, finished(), tmp_path) == []


@pytest.mark.parametrize(
    ("first", "other", "alike"),
    [(1.0, 1.0000000001, True), ("2000", 2000.0, True), ("a ", "a", True), (1.0, 1.1, False), ("a", 1.0, False)],
)
def test_values_are_the_same_to_a_person(first: Any, other: Any, alike: bool) -> None:
    assert same(first, other) is alike


def test_what_is_no_such_folder_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=suite.LISTED):
        suite.tasks_of(tmp_path)
    with pytest.raises(ConfigError, match="does not say what counts of 1_Shop"):
        suite.tasks_of(folder)
    with pytest.raises(UsageError, match="no task '2_Shop'"):
        suite.tasks_of(folder, ["2_Shop"], table=folder / "table.toml")


def test_the_table_says_of_twenty_tasks_what_counts() -> None:
    table = suite.table_in(suite.TASKS)
    assert len(table) == 20
    assert sum(len(list(mutants(must.checks))) for must in table.values()) >= 60


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.deep
async def test_a_run_is_judged_by_what_it_left(right: bool, task: suite.Task, tmp_path: Path) -> None:
    """The checker knows nothing of what the run says, and the run nothing of the checker."""
    task = replace(task, must=Must.model_validate({"checks": [{"what": "block", "of": "Sold!D1:D1", "where": "Sold"}]}))
    code = (
        f"import openpyxl\nbook = openpyxl.load_workbook('Shop.xlsx')\nbook['Sold']['D1'] = '{'Price' if right else 'Sum'}'"
    )
    code = f"{code}\nbook.save('Shop.xlsx')"
    operation = {"function": "run_python_code", "code": code}
    replies: dict[str, Any] = {
        "Worker": {"operations": [operation], "branch": "RoleTaskFinish"},
        "FinalAnswer": {"answer": "", "sources": [], "branch": "Continue"},
    }
    model = ScriptedModel(itertools.repeat(lambda call: replies[call.role]))
    settings = settings_in(tmp_path)
    limits = settings.limits.model_copy(update={"replans": 0, "repairs": 0, "replies": 3})
    settings = settings.model_copy(update={"limits": limits})
    trial = await suite.attempt(task, settings, model="scripted:", crew="solo", loaded=model)
    assert trial.right is right, trial
    assert trial.operations
    (row,) = table([trial])
    assert (row.right, row.wrong_done) == (int(right), int(trial.done and not right))
    assert ("right" in line(trial)) is right
    assert not list((settings.data / "workspaces").glob("sheets-*"))
