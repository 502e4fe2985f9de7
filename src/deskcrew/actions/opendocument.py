"""LibreOffice's texts, presentations and drawings, and what they share with its workbooks: parts, paragraphs, styles."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

from deskcrew.actions.sections import Note, Section, csv_line, lxml, noted, unpackable
from deskcrew.facts.excerpts import shorten

_NAMESPACE = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
TEXT, TABLE, OFFICE, STYLE, DRAW, CHART, _SHOW = (
    _NAMESPACE % name for name in ("text", "table", "office", "style", "drawing", "chart", "presentation")
)
FO = _NAMESPACE % "xsl-fo-compatible"
XLINK = "{http://www.w3.org/1999/xlink}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_META = _NAMESPACE % "meta"
_SVG = _NAMESPACE % "svg-compatible"
MOST = 20_000
"""Maximum number of times that a repeated row is counted."""
MAX_REPEATED = 1024
"""Maximum number of columns for which one cell may repeat."""
_QUOTED = 60
_APART = (TEXT + "note", OFFICE + "annotation", TEXT + "tracked-changes", TABLE + "table", DRAW + "frame")
"""Elements that occur inside a paragraph or text but are not part of it."""
_PROPERTIES = {
    "bold": FO + "font-weight",
    "italic": FO + "font-style",
    "underline": STYLE + "text-underline-style",
    "font": STYLE + "font-name",
    "size": FO + "font-size",
    "colour": FO + "color",
}
_CODED = re.compile(r"_([0-9a-f]{2})_")


def parsed(archive: zipfile.ZipFile, name: str) -> Any:
    """A part of the file as a tree; entities are not resolved and nothing is fetched. Raises KeyError if it is missing,
    or what the parser raises."""
    parser = lxml().XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    return lxml().fromstring(archive.read(name), parser)


def body_of(archive: zipfile.ZipFile, kind: str) -> Any:
    """The body of a document of kind ``text`` or ``spreadsheet``. Raises ValueError for another kind."""
    body = parsed(archive, "content.xml").find(f"{OFFICE}body/{OFFICE}{kind}")
    if body is None:
        raise ValueError(f"it contains no {kind}")
    return body


def about(archive: zipfile.ZipFile) -> dict[str, Callable[[], str]]:
    """Title and author; '' if the document does not have them."""

    def meta(name: str) -> str:
        if "meta.xml" not in archive.namelist():
            return ""
        return next(("".join(each.itertext()) for each in parsed(archive, "meta.xml").iter(name)), "")

    title, author = meta(_DC + "title"), meta(_META + "initial-creator") or meta(_DC + "creator")
    return {"title": lambda: title, "author": lambda: author}


def document(content: bytes) -> Iterator[Section]:
    """Paragraphs, headings and table rows of a text, or of each slide or page of a presentation or drawing; then those in
    headers, footers and footnotes, marked as such."""
    with zipfile.ZipFile(unpackable(content)) as archive:
        tree, styles = parsed(archive, "content.xml"), Styles.of(archive)
        margins = list(_margins(archive))
    if pages := list(tree.iter(DRAW + "page")):
        for number, page in enumerate(pages, start=1):
            hidden = styles.first("drawing-page", page.get(DRAW + "style-name", ""), _SHOW + "visibility") == "hidden"
            yield Section("slide", str(number), chain(["(this slide is hidden)"] if hidden else [], _blocks(page)))
    else:
        yield Section("text", "", chain(_blocks(tree), margins, _footnotes(tree)))
    pictures = (each.getparent() for each in tree.iter(DRAW + "image"))
    yield noted(notes_in(tree), {"picture": sum(not _description(each) for each in pictures)})


def _blocks(node: Any) -> Iterator[str]:
    for child in node:
        if child.tag == TABLE + "table":
            yield f"[table {child.get(TABLE + 'name', '')}]"
            yield from _blocks(child)
        elif child.tag == TABLE + "table-row":
            if cells := cells_of(child):
                yield csv_line(cells)
        elif child.tag in (TEXT + "p", TEXT + "h"):
            yield said(child)
            for box in child.iter(DRAW + "text-box"):
                yield from (f"[text box] {line}" for line in _blocks(box))
        elif child.tag == _SHOW + "notes":
            yield from (f"(notes) {line}" for line in _blocks(child) if line.strip())
        elif child.tag not in (OFFICE + "annotation", TEXT + "tracked-changes"):
            yield from _blocks(child)


def cells_of(row: Any) -> list[str]:
    """The cells of a row, without the empty ones at its end."""
    cells: list[str] = []
    for cell in row:
        # Empty cells to the sheet's edge are one cell with a huge repeat count.
        repeated = min(int(cell.get(TABLE + "number-columns-repeated", "1")), MAX_REPEATED)
        cells += ["\n".join(_blocks(cell))] * repeated
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _margins(archive: zipfile.ZipFile) -> Iterator[str]:
    for name in ("header", "footer") if "styles.xml" in archive.namelist() else ():
        for margin in parsed(archive, "styles.xml").iter(STYLE + name):
            yield from (f"[{name}] {line}" for line in _blocks(margin) if line.strip())


def _footnotes(tree: Any) -> Iterator[str]:
    for note in tree.iter(TEXT + "note"):
        on = said(next(note.iterancestors(TEXT + "p", TEXT + "h")))
        body = " ".join(line for part in note.iter(TEXT + "note-body") for line in _blocks(part))
        yield f'[{note.get(TEXT + "note-class", "footnote")} to "{shorten(on, _QUOTED)}"] {body}'


def notes_in(tree: Any) -> Iterator[Note]:
    """Comments, tracked changes, links and descriptions of pictures, also for workbooks."""
    for comment in tree.iter(OFFICE + "annotation"):
        cell = next(comment.iterancestors(TABLE + "table-cell"), None)
        on = f' on "{shorten(" ".join(_blocks(cell)), _QUOTED)}"' if cell is not None else ""
        yield Note("comment", f"{_by(comment)}{on}", " ".join(_blocks(comment)))
    for region in tree.iter(TEXT + "changed-region"):
        for change in region:
            words = shorten(" ".join(_blocks(change)), _QUOTED)
            yield Note("tracked change", _by(change), f"{change.tag.rpartition('}')[2]}{words and f': {words}'}")
    for link in tree.iter(TEXT + "a"):
        yield Note("link", f'on "{shorten(said(link), _QUOTED)}"', link.get(XLINK + "href", ""))
    for drawn in dict.fromkeys(each.getparent() for each in tree.iter(_SVG + "desc", _SVG + "title")):
        what = "drawing" if drawn.find(DRAW + "image") is None else "picture"
        yield Note("description", f"of a {what}", _description(drawn))


def _by(node: Any) -> str:
    author = next(node.iter(_DC + "creator"), None)
    return f"by {author.text}" if author is not None and author.text else ""


def _description(drawn: Any) -> str:
    return " ".join("".join(each.itertext()) for each in drawn if each.tag in (_SVG + "desc", _SVG + "title"))


def paragraphs(node: Any) -> Iterator[Any]:
    """The paragraphs and headings in a node, except those in its tables and frames."""
    for child in node:
        if child.tag in (TEXT + "p", TEXT + "h"):
            yield child
        elif child.tag not in _APART:
            yield from paragraphs(child)


def tables(node: Any) -> Iterator[Any]:
    return node.iter(TABLE + "table")


def rows(table: Any) -> Iterator[Any]:
    """The rows of a table, with repeated rows as often as they occur, up to :data:`MOST` times."""
    for child in table:
        if child.tag == TABLE + "table-row":
            yield from repeat(child, _times(child, "number-rows-repeated"))
        elif child.tag in (TABLE + "table-header-rows", TABLE + "table-rows", TABLE + "table-row-group"):
            yield from rows(child)


def row_cells(row: Any) -> Iterator[Any]:
    """The cells of a row, including covered cells, with repeated cells as often as they occur, up to :data:`MAX_REPEATED`
    times."""
    for child in row:
        if child.tag in (TABLE + "table-cell", TABLE + "covered-table-cell"):
            yield from repeat(child, min(_times(child, "number-columns-repeated"), MAX_REPEATED))


def _times(node: Any, name: str) -> int:
    return max(0, min(int(node.get(TABLE + name, "1")), MOST))


def said(node: Any) -> str:
    """The text of a paragraph."""
    return "".join(text for text, _ in pieces(node))


def pieces(node: Any, style: str = "") -> Iterator[tuple[str, str]]:
    """The text of a paragraph in pieces, each with the name of its style, '' if it has none of its own."""
    if node.text:
        yield node.text, style
    for child in node:
        if child.tag == TEXT + "s":
            yield " " * min(int(child.get(TEXT + "c", "1")), 1000), style
        elif child.tag == TEXT + "tab":
            yield "\t", style
        elif child.tag == TEXT + "line-break":
            yield "\n", style
        elif child.tag not in _APART and isinstance(child.tag, str):
            yield from pieces(child, child.get(TEXT + "style-name", style) if child.tag == TEXT + "span" else style)
        if child.tail:
            yield child.tail, style


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles of a document by family and name."""

    by_name: dict[tuple[str, str], Any]
    defaults: dict[str, Any]

    @classmethod
    def of(cls, archive: zipfile.ZipFile) -> Styles:
        trees = [parsed(archive, name) for name in ("styles.xml", "content.xml") if name in archive.namelist()]
        found = {
            (each.get(STYLE + "family"), each.get(STYLE + "name")): each
            for tree in trees
            for each in tree.iter(STYLE + "style")
        }
        defaults = {each.get(STYLE + "family"): each for tree in trees for each in tree.iter(STYLE + "default-style")}
        return cls(found, defaults)

    def name(self, style: str) -> str:
        """The user-visible name of a paragraph's style: its parent's name if the style is automatic."""
        own = self.by_name.get(("paragraph", style))
        if own is not None and style[:1] == "P" and style[1:].isdecimal() and own.get(STYLE + "parent-style-name"):
            style = own.get(STYLE + "parent-style-name")
            own = self.by_name.get(("paragraph", style))
        told = own.get(STYLE + "display-name") if own is not None else None
        return told or _CODED.sub(lambda match: chr(int(match[1], 16)), style)

    def chain(self, family: str, style: str) -> Iterator[Any]:
        """A style and its ancestors."""
        for _ in range(20):
            own = self.by_name.get((family, style))
            if own is None:
                return
            yield own
            style = own.get(STYLE + "parent-style-name", "")

    def first(self, family: str, style: str, name: str, default: str | None = None) -> str | None:
        """The first value that the style, its ancestors or the family's defaults give for a property; ``default`` if
        none does."""
        for each in (*self.chain(family, style), self.defaults.get(family)):
            for properties in each if each is not None else ():
                if (found := properties.get(name)) is not None:
                    return str(found)
        return default

    def of_paragraph(self, style: str, name: str, default: str) -> str:
        return self.first("paragraph", style, name) or default

    def look(self, name: str, words: str, style: str, family: str = "paragraph") -> str | float | bool | None:
        """The formatting of words, by their own style and that of their paragraph or cell. None if neither specifies it."""
        given = None
        for each in self.chain("text", words):
            given = next((p.get(_PROPERTIES[name]) for p in each if p.get(_PROPERTIES[name]) is not None), None)
            if given is not None:
                break
        if given is None:
            given = self.first(family, style, _PROPERTIES[name])
        match name:
            case "bold":
                return given is not None and (given == "bold" or (given.isdigit() and int(given) >= 600))
            case "italic":
                return given in ("italic", "oblique")
            case "underline":
                return given not in (None, "none")
            case "size":
                return float(given[:-2]) if given is not None and given.endswith("pt") else given
            case "colour":
                return given.upper() if given is not None else None
            case _:
                return given
