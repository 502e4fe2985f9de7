"""Changing one cell of an .xlsx and leaving the rest of the file untouched.

Libraries that load and save workbooks rewrite the whole file, and lose pictures and the calculated values of formulas.
"""

from __future__ import annotations

import zipfile
from typing import Any

from deskcrew.actions.sections import lxml, unpackable, xml
from deskcrew.evidence.damaging import packed
from deskcrew.evidence.places.sheets import workbook

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def rewritten(content: bytes, sheet: str, address: str, value: float | str) -> bytes | None:
    """The file with another value in a cell: a number or a text, in place of any formula. None if the file has no cell at
    that address. Raises what its parser raises."""
    part = _part_of(content, sheet)
    with zipfile.ZipFile(unpackable(content)) as archive:
        tree = xml(archive.read(part))
    cell = next((one for one in tree.iter(f"{_MAIN}c") if one.get("r") == address), None)
    if cell is None:
        return None
    _spell_out_shared(tree, cell, workbook(content)[sheet])
    _put(cell, value)
    return packed(content, part, lxml().tostring(tree))


def _part_of(content: bytes, sheet: str) -> str:
    """The name of the archive's member that contains a sheet. Raises KeyError if there is none."""
    from openpyxl.reader.excel import ExcelReader

    reader: Any = ExcelReader(unpackable(content), read_only=True)
    reader.read_manifest()
    reader.read_workbook()
    return {found.name: relation.target for found, relation in reader.parser.find_sheets()}[sheet]


def _spell_out_shared(tree: Any, cell: Any, page: Any) -> None:
    """Write out the formula that ``cell`` shares with other cells in each of them, so that ``cell`` can be changed."""
    formula = cell.find(f"{_MAIN}f")
    if formula is None or formula.get("t") != "shared":
        return
    number = formula.get("si")
    for one in tree.iterfind(f".//{_MAIN}f[@si='{number}']"):
        one.attrib.clear()
        one.text = str(page[one.getparent().get("r")].value).removeprefix("=")


def _put(cell: Any, value: float | str) -> None:
    for child in list(cell):
        cell.remove(child)
    cell.attrib.pop("t", None)
    if not isinstance(value, str):
        lxml().SubElement(cell, f"{_MAIN}v").text = repr(value)
        return
    cell.set("t", "inlineStr")
    text = lxml().SubElement(lxml().SubElement(cell, f"{_MAIN}is"), f"{_MAIN}t")
    text.set(_SPACE, "preserve")
    text.text = value
