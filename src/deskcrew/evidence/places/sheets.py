"""Addresses in workbooks, .xlsx and .ods: sheets, cells with value, formula and formatting, charts, and sheet
settings."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from deskcrew.actions import opendocument as odf
from deskcrew.actions.sections import unpackable
from deskcrew.errors import ActionError
from deskcrew.evidence.places.recent import recent
from deskcrew.evidence.places.tables import grid
from deskcrew.evidence.places.texts import MOST_PART
from deskcrew.evidence.places.tree import Exact, Leaf, Many, PlaceNode, bounded, lines, value_in

if TYPE_CHECKING:
    from openpyxl import Workbook

_SHEET = re.compile(r"(?:'(?P<quoted>[^']+)'|(?P<name>[^!\[\]]+))!(?P<rest>.*)", re.DOTALL)
_REFERENCE = re.compile(r"\[([^\]]*)\]")


def looked_up(root: PlaceNode, address: str) -> str:
    """The value at an address such as ``Sheet1!B2.bold``, by default in the first sheet. Raises ActionError if there is
    none."""
    if match := _SHEET.fullmatch(address):
        sheets = root.names["sheet"]()
        assert isinstance(sheets, Many)
        name = (match["quoted"] or match["name"]).strip()
        found = [part for part in sheets.parts if sheets.key is not None and sheets.key(part).lower() == name.lower()]
        if not found:
            known = ", ".join(sheets.key(part) for part in sheets.parts if sheets.key is not None)
            raise ActionError(f"There is no sheet {name!r}; there are: {known}.")
        node = sheets.node(found[0])
        assert isinstance(node, PlaceNode)
        return value_in(node, match["rest"])
    return value_in(root, address)


def _book(sheets: list[tuple[str, Any]], node: Callable[[tuple[str, Any]], PlaceNode]) -> PlaceNode:
    """The root node of a workbook; addresses without a sheet refer to the first one."""
    if not sheets:
        raise ValueError("it has no sheets")
    node = cache(node)
    first = node(sheets[0])
    names = {
        "sheets": lambda: lines([name for name, _ in sheets]),
        "sheet": lambda: Many("sheet", sheets, node, lambda pair: pair[0]),
    }
    return PlaceNode("the workbook", names | dict(first.names), other=first.other, others=first.others + " and Sheet!B2")


@recent
def workbook(content: bytes) -> Workbook:
    """A parsed .xlsx or .xlsm with its formulas, cached: callers must not modify it. Raises what its parser raises."""
    import openpyxl

    return openpyxl.load_workbook(unpackable(content, part=MOST_PART))


def excel(content: bytes) -> PlaceNode:
    """The root node of an .xlsx or .xlsm. Raises what its parser raises."""
    written = workbook(content)

    @cache
    def calculated() -> Workbook:
        import openpyxl

        if not any(cell.data_type == "f" for page in written.worksheets for row in page.iter_rows() for cell in row):
            return written
        return openpyxl.load_workbook(unpackable(content, part=MOST_PART), data_only=True)

    sheets: list[tuple[str, Any]] = [(page.title, page) for page in written.worksheets]
    return _book(sheets, lambda pair: _excel_sheet(pair[1], lambda: calculated()[pair[0]]))


def _excel_sheet(page: Any, values: Callable[[], Any]) -> PlaceNode:
    rows: list[tuple[Leaf, ...]] = bounded(values().iter_rows(values_only=True), "rows")
    written: dict[tuple[int, int], Any] = dict(page._cells)

    @cache
    def empty() -> Any:
        import openpyxl

        return openpyxl.Workbook().worksheets[0].cell(1, 1)

    def cell(row: int, column: int) -> PlaceNode:
        there = written.get((row + 1, column + 1))
        return _excel_cell(empty() if there is None else there, rows[row][column] if _within(rows, row, column) else None)

    table = grid(f"the sheet {page.title}", rows, cell)
    names: dict[str, Callable[[], PlaceNode | Many | Leaf]] = {
        "used": page.calculate_dimension,
        "charts": lambda: lines([f"{_kind(chart)} {_title(chart)}" for chart in page._charts]),
        "chart": lambda: Many("chart", page._charts, _excel_chart, _title),
        "pivots": lambda: lines([_pivot(pivot) for pivot in page._pivots]),
        "conditions": lambda: lines([_condition(each, rule) for each in page.conditional_formatting for rule in each.rules]),
        "pictures": lambda: len(page._images),
        "merged": lambda: lines(sorted(str(each) for each in page.merged_cells.ranges)),
        "frozen": lambda: page.freeze_panes,
        "filter": lambda: page.auto_filter.ref,
        "hidden": lambda: page.sheet_state != "visible",
    }
    return PlaceNode(table.what, {**table.names, **names}, other=table.other, others=table.others)


def _within(rows: list[tuple[Leaf, ...]], row: int, column: int) -> bool:
    return row < len(rows) and column < len(rows[row])


def _excel_cell(cell: Any, value: Leaf) -> PlaceNode:
    formula = str(getattr(cell.value, "text", cell.value)) if cell.data_type == "f" else ""

    def computed() -> Leaf:
        if formula and value is None:
            raise ActionError("No program has calculated the formula, so its value is unknown.")
        return value

    return PlaceNode(
        "a cell",
        {
            "value": computed,
            "formula": lambda: formula,
            "bold": lambda: bool(cell.font.b),
            "italic": lambda: bool(cell.font.i),
            "underline": lambda: cell.font.u not in (None, "none"),
            "font": lambda: cell.font.name,
            "size": lambda: cell.font.sz,
            "colour": lambda: _colour(cell.font.color),
            "fill": lambda: _colour(cell.fill.fgColor) if cell.fill.fill_type else "",
            "align": lambda: cell.alignment.horizontal or "general",
            "wrap": lambda: bool(cell.alignment.wrap_text),
            "format": lambda: Exact(cell.number_format),
            "link": lambda: (cell.hyperlink.target or cell.hyperlink.location) if cell.hyperlink else "",
            "comment": lambda: cell.comment.text if cell.comment else "",
        },
        computed,
    )


def _colour(colour: Any) -> str:
    """A colour as ``#RRGGBB``, or the name of a theme colour; '' for the automatic colour."""
    if colour is None:
        return ""
    return f"#{colour.rgb[-6:].upper()}" if colour.type == "rgb" else f"{colour.type} {colour.value}"


def _excel_chart(chart: Any) -> PlaceNode:
    axes = [axis for name in ("x_axis", "y_axis") if (axis := getattr(chart, name, None)) is not None]
    names = {
        "type": lambda: _kind(chart),
        "title": lambda: _title(chart),
        "series": lambda: len(chart.series),
        "values": lambda: lines([_reference(each.val or getattr(each, "yVal", None)) for each in chart.series]),
        "categories": lambda: lines([_reference(each.cat or getattr(each, "xVal", None)) for each in chart.series]),
        "axes": lambda: lines([title for axis in axes if (title := _title(axis))]),
        "legend": lambda: chart.legend is not None,
        "labels": lambda: any(each is not None and each.showVal for each in (chart.dLbls, *(s.dLbls for s in chart.series))),
    }
    return PlaceNode("a chart", names)


def _reference(source: Any) -> str:
    """The cells that a chart draws, as a formula; '' if there are none."""
    kinds = (getattr(source, kind, None) for kind in ("numRef", "strRef", "multiLvlStrRef"))
    return next((str(kind.f) for kind in kinds if kind is not None), "")


def _pivot(pivot: Any) -> str:
    """A pivot table in words: where it is, and the fields of its rows, columns and data."""
    fields = [str(field.name) for field in pivot.cache.cacheFields]
    of: dict[str, list[int]] = {
        "rows": [each.x for each in pivot.rowFields],
        "columns": [each.x for each in pivot.colFields],
        "filters": [each.fld for each in pivot.pageFields],
    }
    named = {what: ", ".join(fields[at] for at in places if 0 <= at < len(fields)) for what, places in of.items()}
    named["data"] = ", ".join(f"{each.subtotal} of {fields[each.fld]}" for each in pivot.dataFields)
    return f"{pivot.location.ref}: {'; '.join(f'{what} {names}' for what, names in named.items() if names)}"


def _condition(where: Any, rule: Any) -> str:
    """A conditional format in words: its cells, when it applies, and its fill."""
    fill = rule.dxf.fill if rule.dxf is not None else None
    colour = _colour(fill.bgColor) if fill is not None else ""
    parts = (rule.type, rule.operator, rule.text, *rule.formula, colour and f"fill {colour}")
    return f"{where.sqref}: {' '.join(str(part) for part in parts if part)}"


def _kind(chart: Any) -> str:
    """The kind of a chart: ``bar`` (also for columns), ``line``, ``pie`` and so on."""
    return str(chart.tagname).removesuffix("Chart").removesuffix("3D").lower()


def _title(chart: Any) -> str:
    rich = chart.title.tx.rich if chart.title is not None and chart.title.tx is not None else None
    if rich is None:
        return ""
    return " ".join("".join(run.t or "" for run in part.r or ()) for part in rich.p).strip()


def opendocument(content: bytes) -> PlaceNode:
    """The root node of an .ods. Number formats are not available. Raises what its parser raises."""
    archive = zipfile.ZipFile(unpackable(content, part=MOST_PART))
    styles = odf.Styles.of(archive)
    pages = [(table.get(odf.TABLE + "name", ""), table) for table in odf.body_of(archive, "spreadsheet") if _is_table(table)]
    return _book(pages, lambda pair: _open_sheet(pair[0], pair[1], styles, archive))


def _is_table(node: Any) -> bool:
    return node.tag == odf.TABLE + "table"


def _open_sheet(name: str, table: Any, styles: odf.Styles, archive: zipfile.ZipFile) -> PlaceNode:
    cells = [list(odf.row_cells(row)) for row in bounded(_until_empty(table), "rows")]
    by_column: list[str] = []
    for column in table.iter(odf.TABLE + "table-column"):
        repeated = min(int(column.get(odf.TABLE + "number-columns-repeated", "1")), 1024)
        by_column += [column.get(odf.TABLE + "default-cell-style-name", "")] * repeated

    def cell(row: int, column: int) -> PlaceNode:
        there = row < len(cells) and column < len(cells[row])
        default = by_column[column] if column < len(by_column) else ""
        return _open_cell(cells[row][column] if there else None, default, styles)

    sheet = grid(f"the sheet {name}", [[_value(cell) for cell in row] for row in cells], cell)
    names: dict[str, Callable[[], PlaceNode | Many | Leaf]] = {
        "charts": lambda: lines([f"{kind} {title}" for kind, title in _open_charts(table, archive)]),
        "pictures": lambda: len(list(table.iter(odf.DRAW + "image"))),
    }
    return PlaceNode(sheet.what, {**sheet.names, **names}, other=sheet.other, others=sheet.others)


def _until_empty(table: Any) -> Iterator[Any]:
    """The rows up to the last with content. Files store the empty rows after it as one, repeated up to a million times."""
    empty: list[Any] = []
    for row in odf.rows(table):
        if any(cell.get(odf.OFFICE + "value-type") or len(cell) for cell in row):
            yield from empty
            empty.clear()
            yield row
        else:
            empty.append(row)


def _value(cell: Any) -> Leaf:
    match cell.get(odf.OFFICE + "value-type"):
        case "float" | "currency" | "percentage":
            number = float(cell.get(odf.OFFICE + "value"))
            return int(number) if number.is_integer() else number
        case "date":
            return str(cell.get(odf.OFFICE + "date-value")).removesuffix("T00:00:00")
        case "time":
            return str(cell.get(odf.OFFICE + "time-value"))
        case "boolean":
            return cell.get(odf.OFFICE + "boolean-value") == "true"
        case _:
            return "\n".join(odf.said(part) for part in odf.paragraphs(cell)) or None


def _open_cell(cell: Any, default: str, styles: odf.Styles) -> PlaceNode:
    def get(name: str) -> str:
        return cell.get(odf.TABLE + name, "") if cell is not None else ""

    style = get("style-name") or default
    looks: dict[str, Callable[[], Leaf]] = {
        name: lambda name=name: styles.look(name, "", style, "table-cell")
        for name in ("bold", "italic", "underline", "font", "size", "colour")
    }
    value = partial(_value, cell) if cell is not None else lambda: None

    def fill() -> str:
        found = styles.first("table-cell", style, odf.FO + "background-color") or ""
        return "" if found == "transparent" else found.upper()

    aligned = {"start": "left", "end": "right", None: "general"}

    def align() -> str:
        found = styles.first("table-cell", style, odf.FO + "text-align")
        return aligned.get(found, found or "")

    own: dict[str, Callable[[], Leaf]] = {
        "value": value,
        "formula": lambda: _formula(get("formula")),
        "fill": fill,
        "align": align,
    }
    return PlaceNode("a cell", own | looks, value)


def _formula(formula: str) -> str:
    """A formula as users type it: ``=SUM(A1:A3)`` for ``of:=SUM([.A1:.A3])`` in the file."""

    def reference(match: re.Match[str]) -> str:
        parts = [part.removeprefix(".") for part in match[1].split(":")]
        return ":".join(part.lstrip("$").replace(".", "!", 1) if "." in part else part for part in parts)

    return _REFERENCE.sub(reference, formula.partition(":")[2] if formula.startswith(("of:", "oooc:")) else formula)


def _open_charts(table: Any, archive: zipfile.ZipFile) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for drawn in table.iter(odf.DRAW + "object"):
        part = f"{drawn.get(odf.XLINK + 'href', '').removeprefix('./')}/content.xml"
        if part in archive.namelist():
            for chart in odf.parsed(archive, part).iter(odf.CHART + "chart"):
                title = next(chart.iter(odf.CHART + "title"), None)
                words = "".join(title.itertext()) if title is not None else ""
                found.append((str(chart.get(odf.CHART + "class", "")).partition(":")[2], words.strip()))
    return found
