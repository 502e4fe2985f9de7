"""Notes on what is beside the cells of a workbook: comments, links, lists of values, charts, and hidden content.

Each sheet is read as a stream, since openpyxl provides these only for workbooks that it loads as a whole, in fifty times the
memory.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from deskcrew.actions import number_formats
from deskcrew.actions.sections import Note, chart_titles, lxml, xml
from deskcrew.facts.addresses import address_of

_OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_NAMED = ".//*[local-name()='tx']//*[local-name()='v'] | .//*[local-name()='dLbl']//*[local-name()='t']"
"""The names of a chart's series, and what was written at single points."""
_DESCRIBED = {"pic": "picture", "graphicFrame": "chart"}
"""What the elements are that a description is of; any other is a shape."""
_READ = ("row", "col", "mergeCell", "hyperlink", "dataValidation", "f", "headerFooter")
_AS_THEY_ARE = range(5)
"""Number formats that show numbers unchanged, perhaps rounded."""
_MARGINS = {"Header": "header", "Footer": "footer"}
_CODES = re.compile(r'&(?:"[^"]*"|K[0-9A-F]{6}|\d+|[^&])')
"""Codes for fonts, page numbers and the like in a header."""
_LONGEST = 300
"""Maximum characters of a note."""


def notes(archive: zipfile.ZipFile) -> Iterator[Note]:
    """The notes on all sheets of an .xlsx."""
    main = next(part for kind, part in _related(archive, "").values() if kind == "officeDocument")
    book, parts = _tree(archive, main), _related(archive, main)
    formats = _formats(archive, parts)
    old = any(_is_on(each, "date1904") for each in book.iter("{*}workbookPr"))
    since = datetime(1904, 1, 1) if old else datetime(1899, 12, 30)
    for sheet in book.iter("{*}sheet"):
        name, (kind, part) = sheet.get("name"), parts.get(sheet.get(f"{_OFFICE}id"), ("", ""))
        if sheet.get("state", "visible") != "visible":
            yield Note("hidden sheet", name, "")
        if part in archive.namelist():
            yield from _of_sheet(archive, name, part, formats, since)
        if kind == "chartsheet":
            yield Note("sheet", name, "is a chart")
    for each in book.iter("{*}definedName"):
        if not each.get("name", "").startswith("_xlnm."):
            yield Note("name", each.get("name", ""), each.text or "")


def _formats(archive: zipfile.ZipFile, parts: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """The number formats by cell style."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    styles = next((part for kind, part in parts.values() if kind == "styles"), "")
    if styles not in archive.namelist():
        return {}
    tree = _tree(archive, styles)
    own = {each.get("numFmtId"): each.get("formatCode", "") for each in tree.iter("{*}numFmt")}
    numbers = [each.get("numFmtId", "0") for each in tree.findall("{*}cellXfs/{*}xf")]
    return {
        str(style): code
        for style, number in enumerate(numbers)
        if int(number) not in _AS_THEY_ARE and (code := own.get(number, BUILTIN_FORMATS.get(int(number), "")))
    }


def _shown(row: Any, formats: Mapping[str, str], since: datetime) -> Iterator[tuple[str, str]]:
    """The numbers in a row that their formats change, each with its format."""
    for cell in row:
        code, value = formats.get(cell.get("s")), cell.find("{*}v")
        if code and value is not None and value.text and cell.get("t", "n") == "n":  # a formula may have no value yet
            with suppress(ValueError, ArithmeticError, LookupError, AttributeError):  # then as it is
                number = float(value.text)
                moment = since + timedelta(seconds=round(number * 86400))
                shown = number_formats.shown(number, moment, code)
                if shown != value.text and shown not in f"{moment:%Y-%m-%d %H:%M:%S}":
                    yield code, f"{cell.get('r', '')} {shown}"


def _of_sheet(archive: zipfile.ZipFile, name: str, part: str, formats: Mapping[str, str], since: datetime) -> Iterator[Note]:
    related = _related(archive, part)
    shown: dict[str, str] = {}
    hidden: dict[str, list[str]] = {"row": [], "column": []}
    merged: list[str] = []
    with archive.open(part) as stream:
        parsed: Any = lxml().iterparse(
            stream, tag=[f"{{*}}{each}" for each in _READ], resolve_entities=False, no_network=True, huge_tree=True
        )
        row = formulas = 0
        for _, node in parsed:
            match lxml().QName(node).localname:
                case "row":
                    row = int(node.get("r", row + 1))
                    hidden["row"] += [str(row)] if _is_on(node, "hidden") else []
                    for code, cell in _shown(node, formats, since):
                        if len(shown.get(code, "")) < _LONGEST:
                            shown[code] = f"{shown[code]}, {cell}" if code in shown else cell
                    node.clear()
                    while node.getprevious() is not None:
                        del node.getparent()[0]
                case "f":
                    value = node.getnext()
                    formulas += value is not None and bool(value.text)
                case "col":
                    hidden["column"] += [_columns(node)] if _is_on(node, "hidden") else []
                case "mergeCell":
                    merged.append(node.get("ref", ""))
                case "hyperlink":
                    _, target = related.get(node.get(f"{_OFFICE}id"), ("", ""))
                    yield Note("link", f"at {name}!{node.get('ref')}", target or node.get("location", ""))
                case "headerFooter":
                    for each in node:
                        if text := " ".join(_CODES.sub(" ", each.text or "").split()):
                            yield Note(_MARGINS.get(lxml().QName(each).localname[-6:], ""), f"of {name}", text)
                case _:
                    yield _rule(name, node)
    for code, cells in shown.items():
        yield Note("shown", f"in {name} as {code}", cells)
    for kind, places in hidden.items():
        if places:
            yield Note(f"hidden {kind}s", f"in {name}", _ranges(places))
    if formulas:
        yield Note("formulas", f"in {name}", f"{formulas}, of which the values are shown")
    if merged:
        yield Note("merged cells", f"in {name}", ", ".join(merged)[:_LONGEST])
    for kind, target in related.values():
        if kind == "comments":
            yield from _comments(name, _tree(archive, target))
        elif kind == "threadedComment" and target in archive.namelist():
            yield from _replies(name, _tree(archive, target))
        elif kind == "drawing" and target in archive.namelist():
            yield from _drawn(archive, name, target)


def _rule(name: str, node: Any) -> Note:
    """A note on the values that a cell may hold."""
    where = node.get("sqref") or "".join(node.xpath("./*[local-name()='sqref']//text()"))
    limits = ["".join(each.itertext()).strip('"') for each in node if "formula" in lxml().QName(each).localname]
    told = " ".join(f"({node.get(each)})" for each in ("prompt", "error") if node.get(each))
    if node.get("type") == "list":
        return Note("list of values", f"at {name}!{where}", f"{', '.join(limits)} {told}")
    rule = node.get("type", ""), node.get("operator", "between"), *limits, told
    return Note("rule", f"for {name}!{where}", " ".join(rule))


def _comments(name: str, tree: Any) -> Iterator[Note]:
    authors = [each.text or "" for each in tree.iter("{*}author")]
    for comment in tree.iter("{*}comment"):
        number = int(comment.get("authorId", "0"))
        by = f" by {authors[number]}" if number < len(authors) and authors[number] else ""
        yield Note(
            "comment", f"at {name}!{comment.get('ref')}{by}", "".join(each.text or "" for each in comment.iter("{*}t"))
        )


def _replies(name: str, tree: Any) -> Iterator[Note]:
    """The replies to comments. What they reply to is a comment for programs without replies as well."""
    for reply in tree.iter("{*}threadedComment"):
        if reply.get("parentId"):
            yield Note("reply", f"at {name}!{reply.get('ref')}", "".join(each.text or "" for each in reply.iter("{*}text")))


def _drawn(archive: zipfile.ZipFile, name: str, part: str) -> Iterator[Note]:
    """Notes on charts, and the texts of boxes and descriptions of pictures on a sheet."""
    for kind, target in _related(archive, part).values():
        if kind == "chart":
            chart = _tree(archive, target)
            named = ", ".join(dict.fromkeys(each.text or "" for each in chart.xpath(_NAMED)))
            cells = ", ".join(dict.fromkeys(each.text or "" for each in chart.iter(f"{_CHART}f")))
            yield Note(
                "chart", f"in {name}", f"{chart_titles(chart)}{named and f' ({named})'} of {cells}".strip()[:_LONGEST]
            )
    drawing = _tree(archive, part)
    for body in drawing.iter("{*}txBody"):
        if text := " ".join(each.text or "" for each in body.iter(f"{_DRAWN}t")):
            yield Note("text box", f"in {name}", text)
    for about in drawing.iter("{*}cNvPr"):
        if (of := lxml().QName(about.getparent().getparent()).localname) == "pic" or about.get("descr"):
            yield Note(_DESCRIBED.get(of, "shape"), f"in {name}", about.get("descr", ""))


def _is_on(node: Any, name: str) -> bool:
    return node.get(name, "0") in ("1", "true")


def _columns(node: Any) -> str:
    ends = (address_of(0, int(node.get(side)) - 1)[:-1] for side in ("min", "max"))
    return "-".join(dict.fromkeys(ends))


def _ranges(rows: list[str]) -> str:
    """Numbers of rows or columns, with runs as ranges."""
    runs: list[tuple[str, str]] = []
    for each in rows:
        if runs and each.isdecimal() and int(runs[-1][1]) + 1 == int(each):
            runs[-1] = runs[-1][0], each
        else:
            runs.append((each, each))
    return ", ".join(first if first == last else f"{first}-{last}" for first, last in runs)[:_LONGEST]


def _tree(archive: zipfile.ZipFile, part: str) -> Any:
    return xml(archive.read(part))


def _related(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """What a part refers to, by reference id: its kind, and the name of the part or the external address."""
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels".lstrip("/")
    if relations not in archive.namelist():
        return {}
    found: dict[str, tuple[str, str]] = {}
    for each in _tree(archive, relations):
        target = each.get("Target", "")
        if each.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found[each.get("Id")] = each.get("Type", "").rpartition("/")[2], target
    return found
