"""How shipped skills read a column: as numbers or dates where all of it is, never silently as texts, and never by a guess;
and that their checks see it where a method did."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

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
        method[function.name](**given(values))
    assert checks(name, folder, values)[0]
    return (folder / "end/out.csv").read_text(encoding="utf-8").splitlines()


def given(values: dict[str, Any]) -> dict[str, Any]:
    return {"source": "in.csv", "result": "out.csv", **values}


def checks(name: str, folder: Path, values: dict[str, Any]) -> Any:
    checker = programs(name)[0].checker
    assert checker is not None
    return programs(name)[2][checker.name](folder / "start", folder / "end", **given(values))


def column(*values: str) -> str:
    return "k;v\n" + "".join(f"{at};{value}\n" for at, value in enumerate(values))


FILTER = {"column": "v", "condition": "more than"}
TOP = {"column": "v", "count": 1, "end_of": None}
SUM = {"group": "k", "column": "v", "operation": None}
TWICE = {"first": "v", "operation": "times", "second": "2", "name": "w"}


@pytest.mark.parametrize(
    ("name", "cells", "values", "said"),
    [
        ("filter-rows", ["1200", "900", "n/a"], {**FILTER, "value": "1000"}, "'n/a' in row 4 is not a number"),
        ("filter-rows", ["1,200", "900", "-"], {**FILTER, "value": "1000"}, "'-' in row 4 is not a number"),
        ("filter-rows", ["1,200", "1500"], {**FILTER, "value": "1000"}, "'1,200' in row 2 can be 1200 or 1.2"),
        ("filter-rows", ["1200", "900"], {**FILTER, "value": "many"}, "'many' is no number, but '1200' in row 2 is one"),
        ("filter-rows", ["2026-01-02", "soon"], {**FILTER, "value": "2026-01-01"}, "'soon' in row 3 is not a date"),
        ("filter-rows", ["1.250,00", "99,50"], {**FILTER, "value": "1,000"}, "can be"),
        ("filter-rows", ["$5", "$7"], {**FILTER, "value": "6 €"}, "not in the unit"),
        ("filter-rows", ["0.05", "0.2"], {**FILTER, "value": "5%"}, "not in the unit"),
        ("top-rows", ["100", "9", "20", "n/a"], TOP, "'n/a' in row 5 is not a number"),
        ("top-rows", ["€5", "$7"], TOP, "'€5' in row 2 and '$7' in row 3 are not in the same unit"),
        ("top-rows", ["5%", "7"], TOP, "not in the same unit"),
        ("top-rows", ["red", "blue"], TOP, "neither numbers nor dates"),
        ("sort-table", ["1.250,00", "99.50"], {"column": "v", "order": None}, "'1.250,00' in row 2 has its decimals behind"),
        ("sort-table", ["5", "2026-01-02"], {"column": "v", "order": None}, "'2026-01-02' in row 3 is not a number"),
        ("sum-column-by-group", ["5", "n/a"], SUM, "'n/a' in row 3 is not a number"),
        ("sum-column-by-group", ["1.200", "2.500"], SUM, "'1.200' in row 2 can be 1.2 or 1200"),
        ("add-totals", ["5", "7", "n/a"], {"columns": None}, "'n/a' in row 4 is not a number"),
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
        ("top-rows", ["100", "9", "n/a"], TOP, ["100"]),
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
