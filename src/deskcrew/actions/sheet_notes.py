"""What is beside the cells of a workbook: comments, links, lists of values, charts, and what is hidden.

Each sheet is read as a stream, since openpyxl gives these only for workbooks that it holds as a whole, in fifty times the
memory.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any

from deskcrew.actions.sections import LXML, Note, xml
from deskcrew.facts.addresses import address_of

_OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_READ = ("row", "col", "mergeCell", "hyperlink", "dataValidation", "f")
_LONGEST = 300
"""Characters of a note."""


def notes(archive: zipfile.ZipFile) -> Iterator[Note]:
    """The notes on all sheets of an .xlsx."""
    main = next(part for kind, part in _related(archive, "").values() if kind == "officeDocument")
    book, parts = _tree(archive, main), _related(archive, main)
    for sheet in book.iter("{*}sheet"):
        name, (kind, part) = sheet.get("name"), parts.get(sheet.get(f"{_OFFICE}id"), ("", ""))
        if sheet.get("state", "visible") != "visible":
            yield Note("hidden sheet", name, "")
        if part in archive.namelist():
            yield from _of_sheet(archive, name, part)
        if kind == "chartsheet":
            yield Note("sheet", name, "is a chart")
    for each in book.iter("{*}definedName"):
        if not each.get("name", "").startswith("_xlnm."):
            yield Note("name", each.get("name", ""), each.text or "")


def _of_sheet(archive: zipfile.ZipFile, name: str, part: str) -> Iterator[Note]:
    related = _related(archive, part)
    hidden: dict[str, list[str]] = {"row": [], "column": []}
    merged: list[str] = []
    with archive.open(part) as stream:
        parsed: Any = LXML.iterparse(
            stream, tag=[f"{{*}}{each}" for each in _READ], resolve_entities=False, no_network=True, huge_tree=True
        )
        row = formulas = 0
        for _, node in parsed:
            match LXML.QName(node).localname:
                case "row":
                    row = int(node.get("r", row + 1))
                    hidden["row"] += [str(row)] if _is_on(node, "hidden") else []
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
                case _:
                    yield _rule(name, node)
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
        elif kind == "drawing" and target in archive.namelist():
            yield from _drawn(archive, name, target)


def _rule(name: str, node: Any) -> Note:
    """What a cell may hold."""
    where = node.get("sqref") or "".join(node.xpath("./*[local-name()='sqref']//text()"))
    limits = ["".join(each.itertext()).strip('"') for each in node if "formula" in LXML.QName(each).localname]
    if node.get("type") == "list":
        return Note("list of values", f"at {name}!{where}", ", ".join(limits))
    return Note("rule", f"for {name}!{where}", " ".join((node.get("type", ""), node.get("operator", "between"), *limits)))


def _comments(name: str, tree: Any) -> Iterator[Note]:
    authors = [each.text or "" for each in tree.iter("{*}author")]
    for comment in tree.iter("{*}comment"):
        number = int(comment.get("authorId", "0"))
        by = f" by {authors[number]}" if number < len(authors) and authors[number] else ""
        yield Note(
            "comment", f"at {name}!{comment.get('ref')}{by}", "".join(each.text or "" for each in comment.iter("{*}t"))
        )


def _drawn(archive: zipfile.ZipFile, name: str, part: str) -> Iterator[Note]:
    """Charts, and the texts of boxes and descriptions of pictures on a sheet."""
    for kind, target in _related(archive, part).values():
        if kind == "chart":
            chart = _tree(archive, target)
            title = "".join(each.text or "" for top in chart.iter(f"{_CHART}title") for each in top.iter(f"{_DRAWN}t"))
            cells = ", ".join(dict.fromkeys(each.text or "" for each in chart.iter(f"{_CHART}f")))
            yield Note("chart", f"in {name}", f"{title} of {cells}".strip()[:_LONGEST])
    drawing = _tree(archive, part)
    for body in drawing.iter("{*}txBody"):
        if text := " ".join(each.text or "" for each in body.iter(f"{_DRAWN}t")):
            yield Note("text box", f"in {name}", text)
    for picture in drawing.iter("{*}pic"):
        described = next(picture.iter("{*}cNvPr")).get("descr", "")
        yield Note("picture", f"in {name}", described)


def _is_on(node: Any, name: str) -> bool:
    return node.get(name, "0") in ("1", "true")


def _columns(node: Any) -> str:
    ends = (address_of(0, int(node.get(side)) - 1)[:-1] for side in ("min", "max"))
    return "-".join(dict.fromkeys(ends))


def _ranges(rows: list[str]) -> str:
    """Numbers of rows, or columns, with runs as ranges."""
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
    """What a part refers to, by the reference: its kind, and the name of the part or the address outside."""
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
