"""How shipped skills read a column: as numbers or dates where all of it is, never silently as texts, and never by a guess;
and that their checks see it where a method did."""

from __future__ import annotations

import shutil
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import openpyxl
import openpyxl.utils
import pytest

from deskcrew.learning.skills.folders import SHIPPED, load, read
from deskcrew.learning.skills.skill import Function


@cache
def programs(name: str) -> tuple[Function, dict[str, Any], dict[str, Any]]:
    skill = load(read(SHIPPED / name, "shipped"))
    assert skill.method.function is not None
    method: dict[str, Any] = {}
    checker: dict[str, Any] = {}
    exec(skill.code, method)
    exec(skill.checker, checker)
    return skill.method.function, method, checker


def made(name: str, table: str, folder: Path, /, **values: Any) -> list[str]:
    """The lines of the result of a skill, once its check held; ``v``: the column that all of it is about."""
    function, method, _ = programs(name)
    start = folder / "start"
    start.mkdir()
    (start / "in.csv").write_text(table, encoding="utf-8")
    shutil.copytree(start, folder / "end")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "end")
        method[function.name](**given(name, values))
    assert checks(name, folder, values)[0]
    return (folder / "end/out.csv").read_text(encoding="utf-8").splitlines()


def said(name: str, table: str, folder: Path, /, **values: Any) -> str:
    """What a skill says of its work, once its check held."""
    function, method, _ = programs(name)
    (folder / "start").mkdir()
    (folder / "start/in.csv").write_text(table, encoding="utf-8")
    shutil.copytree(folder / "start", folder / "end")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "end")
        told = method[function.name](**given(name, values))
    assert checks(name, folder, values)[0]
    return told


def given(name: str, values: dict[str, Any]) -> dict[str, Any]:
    skill = load(read(SHIPPED / name, "shipped"))
    left_out = {each.name: None for each in skill.method.parameters if each.optional}
    return skill.apart(left_out | {"source": "in.csv", "result": "out.csv"} | values)[0]


def checks(name: str, folder: Path, values: dict[str, Any]) -> Any:
    checker = programs(name)[0].checker
    assert checker is not None
    return programs(name)[2][checker.name](folder / "start", folder / "end", **given(name, values))


def column(*values: str) -> str:
    return "k;v\n" + "".join(f"{at};{value}\n" for at, value in enumerate(values))


SALES = "Region,Product,Amount\nNorth,a,10\nnorth,b,20\nSouth,a,\n,b,5\n"
DAYS = "k,v\n1,03/04/2026\n2,25/12/2026\n3,\n"


@pytest.mark.parametrize(
    ("name", "table", "values", "told"),
    [
        (
            "sum-column-by-group",
            SALES,
            {"group": "Region", "column": "Amount", "operation": None},
            "3 groups in out.csv; 'North' and 'north' taken for one; 1 row without Region added up separately; "
            "1 row has no number in Amount: left out\nSum of Amount: North 30; South none; without name 5",
        ),
        (
            "pivot-table",
            SALES,
            {"rows": "Region", "columns": "Product", "values": "Amount", "operation": None},
            "4 rows and 2 columns in out.csv; 'North' and 'north' counted separately; "
            "1 row has no number in Amount: left out",
        ),
        (
            "add-totals",
            SALES,
            {"columns": None},
            "1 column added up; 1 row has no number in Amount: left out\nTotal of Amount: 35",
        ),
        (
            "sort-table",
            DAYS,
            {"column": "v", "order": None},
            "3 rows sorted by v; dates read with the day first; 1 without v at the end",
        ),
        (
            "top-rows",
            DAYS,
            {"column": "v", "count": 1, "end_of": None},
            "1 of 3 rows kept; dates read with the day first; 1 row has no date in v: left out\n2, 25/12/2026",
        ),
        (
            "filter-rows",
            DAYS,
            {"column": "v", "condition": "more than", "value": "2026-05-01"},
            "1 of 3 rows kept; dates read with the day first; 1 row has no date in v: left out\n2, 25/12/2026",
        ),
        (
            "reformat-dates",
            DAYS,
            {"column": "v", "form": "2026-12-31", "order": None},
            "2 dates rewritten; dates read with the day first; 1 row has no date in v: left out",
        ),
        (
            "calculate-column",
            SALES,
            {"first": "Amount", "operation": "times", "second": "2", "name": "Double"},
            "3 values in Double; 1 left empty because a number is missing or would be divided by 0",
        ),
        ("sort-table", "k,v\n1,3\n2,4\n", {"column": "v", "order": None}, "2 rows sorted by v"),
    ],
)
def test_what_was_left_out_or_had_to_be_chosen_is_said(
    name: str, table: str, values: dict[str, Any], told: str, tmp_path: Path
) -> None:
    assert said(name, table, tmp_path, **values) == told


FILTER = {"column": "v", "condition": "more than"}
TOP = {"column": "v", "count": 1, "end_of": None}
SUM = {"group": "k", "column": "v", "operation": None}
TWICE = {"first": "v", "operation": "times", "second": "2", "name": "w"}
RAW = "<as it is written>"
NONE = "2 rows have no number in v: left out, such as 'n/a' in row 4"


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("filter-rows", {**FILTER, "value": "1000"}, f"1 of 5 rows kept; {NONE}\n1, a, {RAW}"),
        ("top-rows", TOP, f"1 of 5 rows kept; {NONE}\n1, a, {RAW}"),
        ("add-totals", {"columns": "v"}, f"1 column added up; {NONE}\nTotal of v: 2,110.50"),
        ("sum-column-by-group", {**SUM, "group": "g"}, f"2 groups in out.csv; {NONE}\nSum of v: a 2,100.50; b 10"),
        (
            "pivot-table",
            {"rows": "g", "columns": "k", "values": "v", "operation": None},
            f"2 rows and 5 columns in out.csv; {NONE}",
        ),
        ("calculate-column", TWICE, "3 values in w; 2 left empty because a number is missing or would be divided by 0"),
    ],
)
@pytest.mark.parametrize("mark", [".", ","])
def test_rows_without_a_number_among_numbers_are_left_out_and_told(
    name: str, values: dict[str, Any], told: str, mark: str, tmp_path: Path
) -> None:
    rows = "k;g;v\n1;a;1200.50\n2;a;900\n3;b;n/a\n4;b;\n5;b;10\n".replace(".", mark)
    first, end, answer = told.partition("\n")
    there = str.maketrans(",.", ".,") if mark == "," else {}
    cells = answer.replace(RAW, f"1200{mark}50") if RAW in answer else answer.translate(there)
    assert said(name, rows, tmp_path, **values) == f"{first}{end}{cells}"


def test_parts_that_are_put_into_one_file_are_named(tmp_path: Path) -> None:
    function, method, _ = programs("split-table")
    (tmp_path / "in.csv").write_text(SALES)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        told = method[function.name](source="in.csv", column="Region", folder="parts")
    assert told == "3 files in parts; 'North' and 'north' put into one"


def test_of_many_ways_of_spelling_only_some_are_listed(tmp_path: Path) -> None:
    table = "g,v\n" + "".join(f"{name}{at},1\n" for at in range(9) for name in "aA")
    told = said("sum-column-by-group", table, tmp_path, group="g", column="v", operation=None)
    assert told.startswith("9 groups in out.csv; 'a0' and 'A0' taken for one; ")
    assert "; 6 others taken for one\n" in told


@pytest.mark.parametrize(
    ("name", "cells", "values", "said"),
    [
        ("filter-rows", ["1200", "-", "n/a"], {**FILTER, "value": "1000"}, "'-' in row 3 is not a number"),
        ("filter-rows", ["1,200", "1500"], {**FILTER, "value": "1000"}, "'1,200' in row 2 can be 1200 or 1.2"),
        ("filter-rows", ["1200", "900"], {**FILTER, "value": "many"}, "'many' is no number, but '1200' in row 2 is one"),
        ("filter-rows", ["2026-01-02", "soon"], {**FILTER, "value": "2026-01-01"}, "'soon' in row 3 is not a date"),
        ("filter-rows", ["1.250,00", "99,50"], {**FILTER, "value": "1,000"}, "can be"),
        ("filter-rows", ["$5", "$7"], {**FILTER, "value": "6 €"}, "not in the unit"),
        ("filter-rows", ["0.05", "0.2"], {**FILTER, "value": "5%"}, "not in the unit"),
        ("top-rows", ["100", "9", "n/a", "?"], TOP, "'n/a' in row 4 is not a number"),
        ("top-rows", ["€5", "$7"], TOP, "'€5' in row 2 and '$7' in row 3 are not in the same unit"),
        ("top-rows", ["5%", "7"], TOP, "not in the same unit"),
        ("top-rows", ["red", "blue"], TOP, "neither numbers nor dates"),
        ("sort-table", ["1.250,00", "99.50"], {"column": "v", "order": None}, "'1.250,00' in row 2 has its decimals behind"),
        ("sort-table", ["5", "2026-01-02"], {"column": "v", "order": None}, "'2026-01-02' in row 3 is not a number"),
        ("sum-column-by-group", ["5", "n/a"], SUM, "'n/a' in row 3 is not a number"),
        ("sum-column-by-group", ["1.200", "2.500"], SUM, "'1.200' in row 2 can be 1.2 or 1200"),
        ("add-totals", ["5", "n/a"], {"columns": "v"}, "'n/a' in row 3 is not a number"),
        ("calculate-column", ["5", "-"], TWICE, "'-' in row 3 is not a number"),
        ("calculate-column", ["5", "7"], {**TWICE, "second": "x"}, "'x' is no column and no number"),
    ],
)
def test_a_column_that_is_not_of_one_kind_is_refused(
    name: str, cells: list[str], values: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError) as refused:
        made(name, column(*cells), tmp_path, **values)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("name", "cells", "values", "kept"),
    [
        ("filter-rows", ["1.200,00", "900", "99,5", ""], {**FILTER, "value": "100"}, ["1.200,00", "900"]),
        ("filter-rows", ["1.200,00", "99,5"], {**FILTER, "value": "99.70"}, ["1.200,00"]),
        ("filter-rows", ["1,200", "900", "12,000"], {**FILTER, "value": "1,000"}, ["1,200", "12,000"]),
        ("filter-rows", ["1.200", "900"], {**FILTER, "value": "1000"}, ["1.200"]),
        ("filter-rows", ["1200", "900"], {**FILTER, "value": "1,000"}, ["1200"]),
        ("filter-rows", ["0.125", "0.9"], {**FILTER, "value": "0.5"}, ["0.9"]),
        ("filter-rows", ["€ 1,250.50", "90 €"], {**FILTER, "value": "100 €"}, ["€ 1,250.50"]),
        ("filter-rows", ["5%", "20%"], {**FILTER, "value": "10"}, ["20%"]),
        ("filter-rows", ["1 200", "-900"], {**FILTER, "value": "-1000"}, ["1 200", "-900"]),
        ("filter-rows", ["900", "n/a", "900.0"], {**FILTER, "condition": "is", "value": "900"}, ["900", "900.0"]),
        ("filter-rows", ["7", "n/a", ""], {**FILTER, "condition": "is not", "value": "n/a"}, ["7", ""]),
        ("filter-rows", ["007", "7"], {**FILTER, "condition": "is", "value": "7"}, ["7"]),
        ("filter-rows", ["Bo", "Eva"], {**FILTER, "value": "cy"}, ["Eva"]),
        ("top-rows", ["1,200", "2,500", "12,000"], {**TOP, "end_of": "largest"}, ["12,000"]),
        ("top-rows", ["", "9", "20"], TOP, ["20"]),
        ("sort-table", ["9", "n/a", "20", "", "100"], {"column": "v", "order": "descending"}, ["100", "20", "9", "n/a", ""]),
        ("sort-table", ["9", "n/a", "20", "", "-"], {"column": "v", "order": None}, ["9", "20", "-", "n/a", ""]),
        ("sort-table", ["1.200", "1.100"], {"column": "v", "order": None}, ["1.100", "1.200"]),
        (
            "sort-table",
            ["12.03.2026", "tbd", "2.11.2025"],
            {"column": "v", "order": None},
            ["2.11.2025", "12.03.2026", "tbd"],
        ),
    ],
)
def test_a_column_is_read_as_it_is_written(
    name: str, cells: list[str], values: dict[str, Any], kept: list[str], tmp_path: Path
) -> None:
    lines = made(name, column(*cells), tmp_path, **values)
    assert [line.split(";")[1] for line in lines[1:]] == kept


def test_totals_are_of_columns_that_mostly_hold_numbers(tmp_path: Path) -> None:
    table = "name;v;w\nBo;1.000,50;3\n1984;2;\nEva;3;4\n"
    assert made("add-totals", table, tmp_path, columns=None)[-1] == "Total;1005,5;7"


@pytest.mark.parametrize("result", ["out.xlsx", "out.json"])
def test_a_converted_column_keeps_its_unit(result: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):  # the last line of ``made`` reads out.csv, after the check
        made("convert-table", column("5%", "20%"), tmp_path, result=result)
    if result.endswith(".json"):
        assert '"5%"' in (tmp_path / "end" / result).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "cells", "values", "wrong"),
    [
        ("filter-rows", ["1200", "900", "n/a"], {**FILTER, "value": "1000"}, ["1200", "900", "n/a"]),
        ("filter-rows", ["1,200", "900", "-"], {**FILTER, "value": "1000"}, ["900"]),
        ("filter-rows", ["1,200", "900"], {**FILTER, "value": "1000"}, ["900"]),
        ("filter-rows", ["$5", "$7"], {**FILTER, "value": "6 €"}, ["$7"]),
        ("top-rows", ["100", "9", "20", "n/a"], TOP, ["n/a"]),
        ("top-rows", ["100", "9", "n/a"], TOP, ["9"]),
        ("sort-table", ["100", "9", "20", "n/a"], {"column": "v", "order": "descending"}, ["n/a", "9", "20", "100"]),
    ],
)
def test_the_check_sees_what_a_method_misread(
    name: str, cells: list[str], values: dict[str, Any], wrong: list[str], tmp_path: Path
) -> None:
    start = tmp_path / "start"
    start.mkdir()
    (start / "in.csv").write_text(column(*cells), encoding="utf-8")
    shutil.copytree(start, tmp_path / "end")
    rows = [f"{cells.index(each)};{each}\n" for each in wrong]
    (tmp_path / "end/out.csv").write_text("k;v\n" + "".join(rows), encoding="utf-8")
    with pytest.raises(AssertionError):
        checks(name, tmp_path, values)


def test_both_readings_of_a_number_are_the_same() -> None:
    _, method, checker = programs("filter-rows")
    texts = ["5", "-5", "+5", "- 5", "5.", ".5", "1,2,3", "1.234.567", "1,234,567.8", "0,125", "0.125", "1234,567", "1e5"]
    texts += ["1.200 €", "$ -5", "-$5", "5€5", "5 %", "% 5", "5%%", "€$5", "CHF 1'200.50", "12 34", "1 234", "1\u202f234,5"]
    texts += ["", "-", ".", "n/a", "e5", "(5)", "1_000", "٣", "−7", "EUR5", "5 EUR", "5 kg", "INV 7", "12.05.2026", "1,200"]
    for text in texts:
        pairs = {mark: found for mark in ".," if (found := method["_figure"](text, mark))}
        ways, unit = checker["_ways"](text)
        assert ({mark: number for mark, (number, _) in pairs.items()}) == ways, text
        assert {each for _, each in pairs.values()} <= {unit}, text


TABLE = (
    "k;b;price;day;code;phone;long;note;when\n"
    "x;7;1.200,50;31.12.2026;007;555 123 456;1234567890123456;n/a;2026-01-02 15:30\n"
    "y;12;3,10;01.02.2026;12;555 999 111;1234567890123457;4;2026-01-02 09:15\n"
)
KINDS = {
    "b": [7, 12],
    "price": [1200.5, 3.1],
    "day": [datetime(2026, 12, 31), datetime(2026, 2, 1)],
    "code": ["007", "12"],
    "phone": ["555 123 456", "555 999 111"],
    "long": ["1234567890123456", "1234567890123457"],
    "note": ["n/a", 4],
    "when": [datetime(2026, 1, 2, 15, 30), datetime(2026, 1, 2, 9, 15)],
}
"""What a spreadsheet has to hold of each column: what counts can be added up, and what names something keeps its digits."""
BOOKED: dict[str, dict[str, Any]] = {
    "convert-table": {},
    "sort-table": {"column": "k", "order": None},
    "filter-rows": {"column": "b", "condition": "at least", "value": "7"},
    "top-rows": {"column": "b", "count": 2, "end_of": "smallest"},
    "remove-duplicate-rows": {"columns": None},
    "add-totals": {"columns": "b, price"},
    "select-columns": {"columns": ",".join(KINDS), "do": "keep"},
    "number-rows": {"name": "no", "first": None},
    "join-columns": {"columns": "k, b", "separator": None, "name": "both"},
    "calculate-column": {**TWICE, "first": "b"},
    "split-column": {"column": "k", "separator": None, "names": "k, l"},
    "tidy-table": {},
    "replace-in-column": {"column": "k", "find": "x", "replacement": "z"},
    "fill-empty-cells": {"column": "k", "value": "z"},
    "combine-tables": {"files": "in.csv"},
    "join-tables": {"source": "keys.csv", "other": "in.csv", "key": "k"},
    "collect-sheets": {"files": "in.csv"},
    "reformat-dates": {"column": "day", "form": "31 December 2026", "order": None},
}


def booked(name: str, folder: Path, table: str = TABLE, **more: Any) -> tuple[list[Any], ...]:
    """The cells of a workbook that a skill makes of a text file, once its check held."""
    function, method, _ = programs(name)
    folder.joinpath("start").mkdir()
    if name == "fill-empty-cells":
        table += ";;;;;;;;\n" if table is TABLE else ""
        table = table.replace("\n;;;", "\n;1;;")
    (folder / "start/in.csv").write_text(table, encoding="utf-8")
    (folder / "start/keys.csv").write_text("k\nx\ny\n", encoding="utf-8")
    shutil.copytree(folder / "start", folder / "end")
    values = {**given(name, {**BOOKED[name], **more}), "result": "out.xlsx"}
    if "files" in values:
        del values["source"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "end")
        method[function.name](**values)
    assert checked(name, folder, values)[0]
    return tuple(
        list(row) for row in openpyxl.load_workbook(folder / "end/out.xlsx").worksheets[0].iter_rows(values_only=True)
    )


def checked(name: str, folder: Path, values: dict[str, Any]) -> Any:
    checker = programs(name)[0].checker
    assert checker is not None
    return programs(name)[2][checker.name](folder / "start", folder / "end", **values)


@pytest.mark.parametrize("name", BOOKED)
def test_a_workbook_holds_numbers_and_dates_not_their_texts(name: str, tmp_path: Path) -> None:
    head, *rows = booked(name, tmp_path)
    for column, wanted in KINDS.items():
        at = head.index(column)
        assert [row[at] for row in rows][:2] == wanted, column


@pytest.mark.parametrize("name", BOOKED)
@pytest.mark.parametrize("column", ["b", "price", "day", "code", "long"])
def test_the_check_of_a_workbook_sees_values_of_another_kind(name: str, column: str, tmp_path: Path) -> None:
    head = booked(name, tmp_path)[0]
    book = openpyxl.load_workbook(tmp_path / "end/out.xlsx")
    for cell in book.worksheets[0][openpyxl.utils.get_column_letter(head.index(column) + 1)][1:3]:
        texts = {"b": str(cell.value), "price": str(cell.value), "day": str(cell.value)[:10]}
        cell.value = texts[column] if column in texts else int(cell.value)
    book.save(tmp_path / "end/out.xlsx")
    values = {**given(name, BOOKED[name]), "result": "out.xlsx"}
    if "files" in values:
        del values["source"]
    with pytest.raises(AssertionError):
        checked(name, tmp_path, values)


def test_what_can_be_two_numbers_or_days_stays_text_and_is_told(tmp_path: Path) -> None:
    _, method, _ = programs("convert-table")
    (tmp_path / "in.csv").write_text("n;d\n1,200;03/04/2026\n2,500;05/06/2026\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        told = method["convert_table"]("in.csv", "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets[0]
    assert [cell.value for cell in sheet[2]] == ["1,200", "03/04/2026"]
    assert "n stays text: '1,200' in row 2 can be 1200 or 1.2" in told
    assert "d stays text: '03/04/2026' in row 2 can be 3 April or 4 March" in told


def test_rows_that_are_left_say_what_all_of_them_said(tmp_path: Path) -> None:
    """The day above 12 is in a row that is not kept; a code, too."""
    table = "k;d;c\n1;03/04/2026;12\n2;25/12/2026;007\n"
    function, method, _ = programs("filter-rows")
    (tmp_path / "start").mkdir()
    (tmp_path / "start/in.csv").write_text(table, encoding="utf-8")
    shutil.copytree(tmp_path / "start", tmp_path / "end")
    values = given("filter-rows", {"column": "k", "condition": "is", "value": "1", "result": "out.xlsx"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "end")
        method[function.name](**values)
    assert checked("filter-rows", tmp_path, values)[0]
    sheet = openpyxl.load_workbook(tmp_path / "end/out.xlsx").worksheets[0]
    assert [cell.value for cell in sheet[2]] == [1, datetime(2026, 4, 3), "12"]


COLUMNS = [
    each.split("|")
    for line in """\
1|2;1|;1|x;1|x1;1.50|1.5;1,50|2;1,200|900;1,200|2;1.200|2.500;+49 30|12;0|1;0.5|1;-05|1;00|1;12E4|1;1.5e3|1
1e-5|2;123 456|789 012;123 456|1 234;5%|6%;€5|6;$5|n/a;12345678901234567;1234567890123456.5
03/04/2026|25/12/2026;03/04/2026|12/25/2026;03/04/2026;03/03/2026;25/12/2026|12/25/2026;2026-01-02|tbd
2026-01-02 09:30|2026-01-03;May 2026;3 May 2026|4.5.2026;May 3, 2026;01.02.26;1.10.12;10-11-12;2026-02-31
2026|2027;2026-01-02|7;1 234,5;1'200.50;−7;- 5;TRUE;3-4;12:30;25 12 2026;03 04 2026;1e5|x;٣; 7 |8""".splitlines()
    for each in line.split(";")
]
"""Columns, each with its values between bars."""


@pytest.mark.parametrize(
    "head", ["v", "Phone", "Mobile phone", "Tel.", "Hotel", "Telefon", "Teléfono", "Móvil", "Handy", "Fax", "Fondo"]
)
def test_both_readings_of_a_column_are_the_same(head: str) -> None:
    _, method, checker = programs("convert-table")
    for cells in COLUMNS:
        row = method["_row"]
        _, *rows = method["_written"]([row([head], 1), *(row([each], at) for at, each in enumerate(cells, 2))])
        held = [method["_cell"](each[0]) for each in rows]
        kept = [checker["_cell"](datetime.fromordinal(each.toordinal()) if type(each) is date else each) for each in held]
        wanted = [each[0] for each in checker["_kept"]([[head], *([each] for each in cells)], "out.xlsx")[1:]]
        assert kept == wanted, cells
        assert [type(each) for each in kept if each] == [type(each) for each in wanted if each], cells


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sort-table", {"column": "v", "order": None}),
        ("top-rows", TOP),
        ("filter-rows", {**FILTER, "value": "2026-03-20"}),
        ("reformat-dates", {"column": "v", "form": "2026-12-31", "order": None}),
    ],
)
def test_days_that_can_be_two_are_refused_unless_one_settles_it(name: str, values: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'03/04/2026' in row 2 can be 3 April or 4 March.*reformat-dates") as refused:
        made(name, column("03/04/2026", "05/06/2026"), tmp_path, **values)
    assert "day first or month first" in str(refused.value)
    assert not (tmp_path / "end/out.csv").exists()
    settled = tmp_path / "settled"
    settled.mkdir()
    assert made(name, column("03/04/2026", "12/25/2026"), settled, **values)
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    with pytest.raises(ValueError, match="has its day first"):
        made(name, column("25/12/2026", "12/25/2026"), mixed, **values)


def test_a_day_to_compare_with_is_read_as_the_column_is(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'03/04/2026' can be 3 April or 4 March: write it as"):
        made("filter-rows", column("2026-03-20", "2026-05-01"), tmp_path, **{**FILTER, "value": "03/04/2026"})
    folder = tmp_path / "next"
    folder.mkdir()
    table = column("12/25/2026", "03/04/2026", "04/05/2026")
    lines = made("filter-rows", table, folder, **{**FILTER, "value": "03/20/2026"})
    assert [line.split(";")[1] for line in lines[1:]] == ["12/25/2026", "04/05/2026"]


def test_times_of_a_day_count_in_an_order(tmp_path: Path) -> None:
    lines = made("sort-table", column("2026-01-02 15:30", "2026-01-02 09:15"), tmp_path, column="v", order=None)
    assert [line.split(";")[1] for line in lines[1:]] == ["2026-01-02 09:15", "2026-01-02 15:30"]


@pytest.mark.parametrize(("name", "values"), [("sort-table", {"column": "b"}), ("add-totals", {"columns": "b"})])
def test_a_row_with_more_values_than_headings_is_refused(name: str, values: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has 3 values for 2 headings"):
        booked(name, tmp_path, "k,b\nAda,3\nDi,1,000\n", **values)


def test_a_number_on_another_sheet_that_became_a_text_is_noticed(tmp_path: Path) -> None:
    function, method, _ = programs("sort-table")
    (tmp_path / "start").mkdir()
    book = openpyxl.Workbook()
    for row in (["n"], [3], [1]):
        book.worksheets[0].append(row)
    book.create_sheet("June").append([7])
    book.save(tmp_path / "start/in.xlsx")
    shutil.copytree(tmp_path / "start", tmp_path / "end")
    values = given("sort-table", {"source": "in.xlsx", "column": "n", "result": "out.xlsx"})
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "end")
        method[function.name](**values)
    made = openpyxl.load_workbook(tmp_path / "end/out.xlsx")
    made["June"]["A1"] = "7"
    made.save(tmp_path / "end/out.xlsx")
    with pytest.raises(AssertionError, match="another sheet is not as it was"):
        checks("sort-table", tmp_path, values)
