"""A workbook as it is compared: values as LibreOffice calculates them, looks as it shows them, charts and pivot tables."""

from __future__ import annotations

import datetime
import io
import re
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast
from zipfile import BadZipFile

import openpyxl
from lxml import html as untyped  # pyright: ignore
from openpyxl.utils import cell as ranges
from openpyxl.utils import datetime as dates

from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.observation import Frozen

html = cast("Any", untyped)
Value = float | str | None
"""Of a cell. Dates and times are the numbers that a spreadsheet keeps them as; None: it is empty."""
Place = tuple[int, int]
"""Row and column, from 1."""
Cells = Mapping[Place, Value]
PATIENCE = 180.0
"""Seconds that LibreOffice may take for one workbook."""
ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>
"""
"""A profile in which every formula is calculated when a workbook is opened, whatever value is kept beside it."""
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


class Look(NamedTuple):
    """How a cell is shown, conditional formats applied. Colours are ``#RRGGBB``; '' is no fill."""

    fill: str
    font: str
    bold: bool


class Series(Frozen):
    """What one series draws: points of a category (of a scatter chart, its x) and a value, in order."""

    name: str
    points: tuple[tuple[Value, Value], ...]


class Chart(Frozen):
    """``kind``: bar (lying), column, line, scatter, pie and so on. ``legend``: t, b, l, r, tr, '' for none; titles: '' for
    none. ``labels``: whether values stand at what is drawn."""

    sheet: str
    kind: str
    title: str
    x: str
    y: str
    legend: str
    labels: bool
    series: tuple[Series, ...]


class Pivot(Frozen):
    """A pivot table. ``data``: the summed up fields, each with how (sum, count, average)."""

    sheet: str
    at: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    data: tuple[tuple[str, str], ...]


class Book:
    """The workbook in the file ``path`` as it is now. Raises ValueError for what is none, and EnvironmentFailure where
    LibreOffice, which calculates it, is missing."""

    def __init__(self, path: Path) -> None:
        self._name, self._content = path.name, path.read_bytes()
        self.written = _loaded(self._name, self._content)
        calculated = _loaded(self._name, _converted(self._name, self._content, "xlsx"), values=True)
        self.values: Mapping[str, Cells] = {page.title: _cells(page) for page in calculated.worksheets}

    @property
    def sheets(self) -> tuple[str, ...]:
        """Their names, in order."""
        return tuple(page.title for page in self.written.worksheets)

    def cells(self, sheet: str) -> Cells:
        """The values of a sheet's cells that are not empty; none where there is no such sheet."""
        return self.values.get(sheet, {})

    def block(self, reference: str) -> list[list[Value]]:
        """The values of ``Sheet!A1:B9``, row by row."""
        sheet, (left, top, right, bottom) = located(reference)
        cells = self.cells(sheet)
        return [[cells.get((row, column)) for column in range(left, right + 1)] for row in range(top, bottom + 1)]

    def number_format(self, sheet: str, place: Place) -> str:
        """The format code of a cell's number."""
        return str(self.written[sheet].cell(*place).number_format)

    @cached_property
    def looks(self) -> Mapping[str, Mapping[Place, Look]]:
        """How cells look, by sheet."""
        page = html.fromstring(_converted(self._name, self._content, "html"))
        names = [str(each.text_content()) for each in page.xpath("//a/h1/em")] or list(self.sheets[:1])
        return {
            name: dict(_looks(table)) for name, table in zip(names, page.xpath("//table[not(ancestor::p)]"), strict=False)
        }

    @cached_property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, also those on a sheet of their own."""
        pages = [*self.written.worksheets, *self.written.chartsheets]
        return tuple(self._chart(page.title, each) for page in pages for each in page._charts)

    @cached_property
    def pivots(self) -> tuple[Pivot, ...]:
        """All pivot tables."""
        return tuple(_pivot(page.title, each) for page in self.written.worksheets for each in page._pivots)

    def links(self, sheet: str) -> dict[Place, str]:
        """What cells are linked to."""
        cells: Mapping[Place, Any] = self.written[sheet]._cells
        links = {place: cell.hyperlink for place, cell in cells.items() if cell.hyperlink is not None}
        return {place: str(link.target or link.location or "") for place, link in links.items()}

    def hidden(self, sheet: str) -> frozenset[int]:
        """Rows that are not shown: hidden ones, and those that a filter leaves out."""
        page: Any = self.written[sheet]
        found = {row for row, each in page.row_dimensions.items() if each.hidden}
        if page.auto_filter.ref:
            left, top, _, bottom = bounds(page.auto_filter.ref)
            for column in page.auto_filter.filterColumn:
                wanted = {text.casefold() for text in (column.filters.filter if column.filters else ())}
                rows = range(top + 1, bottom + 1) if wanted else ()
                cells = self.cells(sheet)
                found |= {row for row in rows if str(cells.get((row, left + column.colId))).casefold() not in wanted}
        return frozenset(found)

    def _chart(self, sheet: str, chart: Any) -> Chart:
        kind = type(chart).__name__.removesuffix("3D").removesuffix("Chart").lower()
        if kind == "bar" and chart.barDir == "col":
            kind = "column"
        series = [each for part in chart._charts for each in part.series]
        drawn = [self._points(each) for each in series]
        shared = next((categories for categories, _ in drawn if categories), None)
        total = bool(chart.pivotSource)  # its last row is a total, which is not drawn
        made = tuple(
            Series(name=self._text(each.tx), points=_points(categories or shared, values, total=total))
            for each, (categories, values) in zip(series, drawn, strict=True)
        )
        labels = [chart.dataLabels, *(each.dLbls for each in series)]
        return Chart(
            sheet=sheet,
            kind=kind,
            title=self._text(chart.title),
            x=self._text(chart.x_axis.title) if hasattr(chart, "x_axis") else "",
            y=self._text(chart.y_axis.title) if hasattr(chart, "y_axis") else "",
            legend=(chart.legend.legendPos or "r") if chart.legend is not None else "",
            labels=any(each is not None and bool(each.showVal) for each in labels),
            series=made,
        )

    def _points(self, series: Any) -> tuple[list[Value], list[Value]]:
        over, values = (series.xVal, series.yVal) if series.yVal is not None else (series.cat, series.val)
        return self._data(over), self._data(values)

    def _data(self, source: Any) -> list[Value]:
        """What a series refers to: cells, or values that are written in the chart itself."""
        if source is None:
            return []
        kept: Any = source.numRef or getattr(source, "strRef", None)
        if kept is not None:
            return self._referred(kept.f)
        kept = getattr(source, "numLit", None) or getattr(source, "strLit", None)
        return [_plain(point.v) for point in kept.pt] if kept is not None else []

    def _referred(self, reference: str) -> list[Value]:
        try:
            return [value for row in self.block(reference.strip("()")) for value in row]
        except ValueError:
            return []

    def _text(self, title: Any) -> str:
        """A title's or a name's text, wherever it is kept."""
        if title is None:
            return ""
        if getattr(title, "v", None):
            return str(title.v)
        kept: Any = getattr(title, "tx", None) or title
        if (referred := getattr(kept, "strRef", None)) is not None:
            return " ".join(_shown(value) for value in self._referred(referred.f))
        rich: Any = getattr(kept, "rich", None)
        return "".join(run.t for part in rich.p for run in part.r or ()) if rich is not None else ""


def bounds(area: str) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of ``A1:B9``. Raises ValueError."""
    left, top, right, bottom = ranges.range_boundaries(area)
    if left is None or top is None or right is None or bottom is None:
        raise ValueError(f"{area} is a range without an end")
    return left, top, right, bottom


def located(reference: str) -> tuple[str, tuple[int, int, int, int]]:
    """The sheet and the bounds of ``Sheet!A1:B9``. Raises ValueError."""
    sheet, area = ranges.range_to_tuple(reference)[0], reference.rpartition("!")[2]
    return sheet, bounds(area)


def same(first: Value, other: Value) -> bool:
    """Whether two values are the same to a person: numbers but for how they are rounded, also where one is a text."""
    if first is None or other is None:
        return first is other
    if isinstance(first, str) and isinstance(other, str):
        return first.strip() == other.strip()
    one, two = _number(first), _number(other)
    return one is not None and two is not None and abs(one - two) <= 1e-6 * max(1.0, abs(one), abs(two))


def _number(value: float | str) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value.strip()) else None
    return float(value)


def _points(categories: list[Value] | None, values: list[Value], *, total: bool) -> tuple[tuple[Value, Value], ...]:
    over: list[Value] = categories or [float(number) for number in range(1, len(values) + 1)]
    points = tuple(zip(over, values, strict=False))
    return points[:-1] if total else points


def _shown(value: Value) -> str:
    return "" if value is None else value if isinstance(value, str) else f"{value:g}"


def _cells(page: Any) -> dict[Place, Value]:
    cells = page._cells
    found = {place: _plain(cell.value) for place, cell in cells.items()}
    return {place: value for place, value in found.items() if value not in (None, "")}


def _plain(value: Any) -> Value:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime.datetime | datetime.date | datetime.time | datetime.timedelta):
        return float(cast("Any", dates).to_excel(value))
    return float(value)


def _looks(table: Any) -> Iterator[tuple[Place, Look]]:
    taken: set[Place] = set()
    for row, line in enumerate(table.xpath(".//tr"), 1):
        column = 1
        for cell in line.xpath("./td"):
            while (row, column) in taken:
                column += 1
            wide, high = int(cell.get("colspan", 1)), int(cell.get("rowspan", 1))
            taken |= {(row + down, column + right) for down in range(high) for right in range(wide)}
            fonts = [each for each in cell.xpath(".//font/@color") if _COLOUR.fullmatch(each)]
            font = fonts[0].upper() if fonts else "#000000"
            yield (row, column), Look(fill=cell.get("bgcolor", "").upper(), font=font, bold=bool(cell.xpath(".//b")))


def _pivot(sheet: str, table: Any) -> Pivot:
    names = [str(field.name) for field in table.cache.cacheFields]

    def named(fields: Any) -> tuple[str, ...]:
        numbers = [int(each.x) for each in cast("list[Any]", fields or ())]
        return tuple(names[number] for number in numbers if number >= 0)  # -2 stands for the values

    summed = cast("list[Any]", table.dataFields or ())
    return Pivot(
        sheet=sheet,
        at=str(table.location.ref).partition(":")[0],
        rows=named(table.rowFields),
        columns=named(table.colFields),
        data=tuple((names[int(each.fld)], str(each.subtotal or "sum")) for each in summed),
    )


def _loaded(name: str, content: bytes, *, values: bool = False) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parts that openpyxl does not keep
        try:
            return openpyxl.load_workbook(io.BytesIO(content), data_only=values)
        except (
            OSError,
            BadZipFile,
            KeyError,
            TypeError,
            AttributeError,
            SyntaxError,
        ) as error:  # whatever its parsers raise
            raise ValueError(f"{name} cannot be read as a workbook: {error}") from error


def _converted(name: str, content: bytes, to: str) -> bytes:
    """What LibreOffice makes of a workbook, in a profile of its own that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="deskcrew-sheets-") as at:
        folder = Path(at)
        source, profile = folder / "book.xlsx", folder / "profile"
        source.write_bytes(content)
        (profile / "user").mkdir(parents=True)
        (profile / "user/registrymodifications.xcu").write_text(ALWAYS, encoding="utf-8")
        command = [
            "soffice", f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore",
            "--convert-to", to, "--outdir", str(folder / "out"), str(source),
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
        except FileNotFoundError as error:
            raise EnvironmentFailure(
                "There is no LibreOffice to calculate workbooks with.", hint="sudo apt install libreoffice-calc"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise ValueError(f"LibreOffice took more than {PATIENCE:g} seconds for {name}") from error
        made = folder / f"out/book.{to}"
        if not made.exists():
            raise ValueError(f"LibreOffice cannot open {name}: {(done.stderr or done.stdout).strip()[-200:]}")
        return made.read_bytes()
