"""Reference results with one thing wrong, made by program: a checker that takes one of them for right is of no use."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.chart.legend import Legend
from openpyxl.formatting.rule import Rule
from openpyxl.styles import PatternFill

from deskcrew_bench.sheets.book import bounds, located
from deskcrew_bench.sheets.must import (
    Block,
    Charted,
    Check,
    Filtered,
    Highlighted,
    Linked,
    Pivoted,
    Same,
    Sorted,
    Styled,
    Summary,
)

Mutation = Callable[[Any], None]
"""Changes a workbook that openpyxl has read."""


def mutants(checks: tuple[Check, ...]) -> Iterator[tuple[str, Mutation]]:
    """What can be made wrong of a result that ``checks`` look at, each in words and as a change. No two are of one name."""
    found: dict[str, Mutation] = {}
    for check in checks:
        found |= dict(_of(check))
    yield from found.items()


def mutated(gold: Path, mutation: Mutation, place: Path) -> Path:
    """Write what ``mutation`` makes of ``gold`` to ``place``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(gold)
    mutation(book)
    book.save(place)
    return place


def _of(check: Check) -> Iterator[tuple[str, Mutation]]:
    match check:
        case Same():
            area = f"{check.sheet}!{check.range}" if check.range else check.sheet
            yield f"another value in {area}", lambda book: _other_value(book[check.sheet], check.range)
        case Block() | Summary():
            sheet, (left, top, right, bottom) = located(check.of)

            def changed(book: Any) -> None:
                _no_pivots(book)  # what a pivot table shows is calculated anew
                _change(book[sheet].cell(bottom, right))

            def emptied(book: Any) -> None:
                _no_pivots(book)
                _emptied(book[sheet], bottom, left, right)

            yield f"another value in {check.of}", changed
            yield f"the last row of {check.of} left out", emptied
            if isinstance(check, Block) and check.accounting:
                yield f"no format of {check.of}", lambda book: _plain(book[sheet].cell(max(top, bottom - 1), right))
        case Sorted():
            left, top, right, bottom = bounds(check.range)
            yield (
                f"two rows of {check.sheet} changed places",
                lambda book: _swapped(book[check.sheet], top + 1, bottom, left, right),
            )
        case Highlighted():
            yield "nothing highlighted", lambda book: _not_highlighted(book[check.sheet])
            yield "everything highlighted", lambda book: _all_highlighted(book[check.sheet], check.range)
        case Styled():
            sheet, (left, top, _, _) = located(check.of)
            yield "without its fill", lambda book: _restyled(book[sheet].cell(top, left))
            if check.merged:
                yield "not merged", lambda book: book[sheet].unmerge_cells(check.merged)
        case Charted():
            yield "no chart", _no_charts
            yield "the chart's last point left out", _shorter
            yield from ((f"another {name} of the chart", _without(name)) for name in check.counts)
        case Pivoted():
            yield "the pivot table takes the largest", _largest
            yield "no pivot table", _no_pivots
        case Linked():
            yield "a link to another file", lambda book: _linked(book[check.sheet])
        case Filtered():
            yield "a row more is shown", lambda book: _shown(book[check.sheet])


def _change(cell: Any) -> None:
    cell.value = cell.value + 1 if isinstance(cell.value, int | float) else f"{cell.value}1"


def _other_value(page: Any, area: str) -> None:
    cells = [cell for row in (page[area] if area else page.iter_rows()) for cell in row]
    _change([cell for cell in cells if cell.value is not None][-1])


def _emptied(page: Any, row: int, left: int, right: int) -> None:
    for column in range(left, right + 1):
        page.cell(row, column).value = None


def _plain(cell: Any) -> None:
    cell.number_format = "General"


def _swapped(page: Any, first: int, last: int, left: int, right: int) -> None:
    for column in range(left, right + 1):
        one, two = page.cell(first, column), page.cell(last, column)
        one.value, two.value = two.value, one.value


def _not_highlighted(page: Any) -> None:
    page.conditional_formatting = type(page.conditional_formatting)()


def _all_highlighted(page: Any, area: str) -> None:
    rule = next(rule for rules in page.conditional_formatting._cf_rules.values() for rule in rules)
    always = Rule(type="expression", formula=["TRUE"], dxf=rule.dxf)
    page.conditional_formatting.add(area, always)


def _restyled(cell: Any) -> None:
    cell.fill = PatternFill()


def _no_charts(book: Any) -> None:
    for page in book.worksheets:
        page._charts = []


def _shorter(book: Any) -> None:
    """The last row of what each series draws is left out."""
    for chart in (chart for page in book.worksheets for chart in page._charts):
        for series in chart.series:
            for source in (series.val, series.cat, series.xVal, series.yVal):
                kept = source and (source.numRef or getattr(source, "strRef", None))
                if kept:
                    first, _, row = kept.f.rpartition("$")
                    kept.f = f"{first}${int(row) - 1}"


def _without(name: str) -> Mutation:
    def change(book: Any) -> None:
        for chart in (chart for page in book.worksheets for chart in page._charts):
            match name:
                case "title":
                    chart.title = "Something else"
                case "x" | "y":
                    getattr(chart, f"{name}_axis").title = "Something else"
                case "legend":
                    chart.legend = Legend(legendPos="t")
                case _:
                    chart.dataLabels = None
                    for series in chart.series:
                        series.dLbls = None

    return change


def _largest(book: Any) -> None:
    for pivot in (pivot for page in book.worksheets for pivot in page._pivots):
        for field in pivot.dataFields:
            field.subtotal = "max"


def _no_pivots(book: Any) -> None:
    for page in book.worksheets:
        page._pivots = []


def _linked(page: Any) -> None:
    next(cell for cell in page._cells.values() if cell.hyperlink is not None).hyperlink.target = "elsewhere.dat"


def _shown(page: Any) -> None:
    next(each for each in page.row_dimensions.values() if each.hidden).hidden = False
    page.auto_filter.filterColumn = []
