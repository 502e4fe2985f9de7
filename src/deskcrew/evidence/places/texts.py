"""Addresses in text documents, .docx and .odt: headings, paragraphs, tables, and the formatting of words."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from deskcrew.actions import opendocument as odf
from deskcrew.actions import word as written
from deskcrew.actions.sections import unpackable
from deskcrew.errors import ActionError
from deskcrew.evidence.places.tables import grid
from deskcrew.evidence.places.tree import Leaf, Many, PlaceNode, bounded, lines

MOST_PART = 16 << 20
"""The largest part of a document that is parsed, in bytes. Parsed, it takes ten times the memory and a second or two."""
LOOKS = ("bold", "italic", "underline", "font", "size", "colour")
MIXED = "mixed"
"""The value of formatting that differs among the words."""
_ALIGNED = {"START": "left", "END": "right", "LEFT": "left", "RIGHT": "right", "CENTER": "center", "JUSTIFY": "justify"}
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text with uniform formatting. ``look`` returns the formatting by the names in :data:`LOOKS`."""

    text: str
    look: Callable[[str], Leaf]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or heading. ``level``: a heading's level; 0 for the document's title, None for other paragraphs."""

    text: str
    level: Callable[[], int | None]
    style: Callable[[], str]
    align: Callable[[], str]
    spans: Callable[[], Sequence[Span]]


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A parsed document. ``tables``: rows of cells, where a cell is its paragraphs."""

    paragraphs: Sequence[Paragraph]
    tables: Sequence[Sequence[Sequence[Sequence[Paragraph]]]]
    about: dict[str, Callable[[], Leaf]]

    @property
    def everywhere(self) -> Sequence[Paragraph]:
        """The paragraphs, followed by those in tables."""
        return [*self.paragraphs, *(p for table in self.tables for row in table for cell in row for p in cell)]


def word(content: bytes) -> PlaceNode:
    """The root node of a .docx. Raises what its parser raises."""
    return _document(written_word(content))


def opendocument(content: bytes) -> PlaceNode:
    """The root node of an .odt. Raises what its parser raises."""
    return _document(written_opendocument(content))


def written_word(content: bytes) -> WrittenText:
    """The content of a .docx. Raises what its parser raises."""
    import docx
    from docx.text.paragraph import Paragraph as Formatted

    document: Any = docx.Document(unpackable(content, part=MOST_PART))
    defaults = _defaults(document)
    styles: dict[str | None, Any] = {}

    def style_of(one: Any) -> Any:
        """The style of a paragraph or run. Cached, because each lookup goes through all styles of the document."""
        name = one._p.style
        if name not in styles:
            styles[name] = one.style
        return styles[name]

    def paragraph(element: Any) -> Paragraph:
        one: Any = Formatted(element, document._body)
        return Paragraph(
            written.text_of(element),
            lambda: _level(style_of(one)),
            lambda: str(style_of(one).name),
            lambda: _alignment(one, style_of(one)),
            lambda: [Span(text, _worn(run, one, style_of(one), defaults)) for text, run in written.pieces(element)],
        )

    def in_cell(cell: Any) -> Iterator[Any]:
        for block in written.blocks(cell, "p", "tbl"):
            inner = (each for row in written.rows_of(block) for other in row for each in in_cell(other))
            yield from inner if block.tag == f"{_W}tbl" else (block,)

    body = document.element.body
    bounded(body.iter(f"{_W}p"), "paragraphs")
    section = document.sections[0] if len(document.sections) else None

    def margin(name: str) -> str:
        there = written.blocks(getattr(section, name)._element, "p") if section is not None else ()
        return lines([written.text_of(each) for each in there])

    about: dict[str, Callable[[], Leaf]] = {
        "pictures": lambda: len(document.inline_shapes),
        "header": lambda: margin("header"),
        "footer": lambda: margin("footer"),
        "title": lambda: document.core_properties.title,
        "author": lambda: document.core_properties.author,
    }
    tables = [
        [[[paragraph(p) for p in in_cell(cell)] for cell in row] for row in bounded(written.rows_of(table), "rows")]
        for table in written.blocks(body, "tbl")
    ]
    return WrittenText([paragraph(each) for each in written.blocks(body, "p")], tables, about)


def written_opendocument(content: bytes) -> WrittenText:
    """The content of an .odt. Raises what its parser raises."""
    with zipfile.ZipFile(unpackable(content, part=MOST_PART)) as archive:
        body, styles = odf.body_of(archive, "text"), odf.Styles.of(archive)
        about = odf.about(archive)

    def paragraph(one: Any) -> Paragraph:
        style = one.get(odf.TEXT + "style-name", "")
        heading = one.tag == odf.TEXT + "h"
        return Paragraph(
            odf.said(one),
            lambda: (
                int(one.get(odf.TEXT + "outline-level", "1")) if heading else 0 if styles.name(style) == "Title" else None
            ),
            lambda: styles.name(style),
            lambda: _ALIGNED.get(styles.of_paragraph(style, odf.FO + "text-align", "left").upper(), "left"),
            lambda: [Span(text, lambda name, own=own: styles.look(name, own, style)) for text, own in odf.pieces(one)],
        )

    found = bounded(odf.paragraphs(body), "paragraphs")
    tables = [
        [[[paragraph(p) for p in odf.paragraphs(cell)] for cell in odf.row_cells(row)] for row in odf.rows(table)]
        for table in bounded(odf.tables(body), "tables")
    ]
    counted: dict[str, Callable[[], Leaf]] = {"pictures": lambda: len(list(body.iter(odf.DRAW + "image")))}
    return WrittenText([paragraph(one) for one in found], tables, counted | about)


def _document(text: WrittenText) -> PlaceNode:
    paragraphs, tables, everywhere = text.paragraphs, text.tables, text.everywhere

    def whole() -> str:
        return "\n".join(p.text for p in everywhere)

    def headings() -> list[tuple[int, Paragraph]]:
        return [(level, p) for p in paragraphs if p.text.strip() and (level := p.level()) is not None]

    def heading(pair: tuple[int, Paragraph]) -> PlaceNode:
        node = _paragraph(pair[1])
        return PlaceNode("a heading", {"level": lambda: pair[0], **node.names}, node.plain)

    return PlaceNode(
        "the document",
        {
            "headings": lambda: lines([f"{level} {p.text}" for level, p in headings()]),
            "heading": lambda: Many("heading", headings(), heading, lambda pair: pair[1].text, begins=True),
            "paragraphs": lambda: len(paragraphs),
            "paragraph": lambda: Many("paragraph", paragraphs, _paragraph, lambda p: p.text, begins=True),
            "text": lambda: PlaceNode("text", {}, whole, others="[words]", within=lambda words: _words(everywhere, words)),
            "tables": lambda: len(tables),
            "table": lambda: Many("table", tables, _table),
            **text.about,
        },
    )


def _paragraph(one: Paragraph) -> PlaceNode:
    looks = _looks([one.spans])
    return PlaceNode("a paragraph", {"style": one.style, "align": one.align, **looks}, lambda: one.text)


def _table(rows: Sequence[Sequence[Sequence[Paragraph]]]) -> PlaceNode:
    def cell(row: int, column: int) -> PlaceNode:
        inside = rows[row][column]
        looks = _looks([p.spans for p in inside])
        align: dict[str, Callable[[], Leaf]] = {"align": lambda: _same([p.align() for p in inside])}
        return PlaceNode("a cell", align | looks, lambda: "\n".join(p.text for p in inside))

    return grid("the table", [["\n".join(p.text for p in cell) for cell in row] for row in rows], cell)


def _words(paragraphs: Sequence[Paragraph], words: str) -> PlaceNode:
    """The node of all occurrences of some words. Raises ActionError if there are none."""
    found = [(p, at) for p in paragraphs for at in _places(p.text, words)]
    if not found:
        raise ActionError(f"{words!r} is nowhere in the document's paragraphs.")
    spans = [lambda p=p, at=at: _cut(p.spans(), at, at + len(words)) for p, at in found]
    return PlaceNode("text", {"count": lambda: len(found), **_looks(spans)}, lambda: words)


def _places(text: str, words: str) -> Iterator[int]:
    at = text.find(words) if words else -1
    while at >= 0:
        yield at
        at = text.find(words, at + len(words))


def _cut(spans: Sequence[Span], begin: int, end: int) -> list[Span]:
    """The part of the spans between two positions in their text."""
    found: list[Span] = []
    at = 0
    for span in spans:
        part = span.text[max(begin - at, 0) : max(end - at, 0)]
        at += len(span.text)
        if part:
            found.append(Span(part, span.look))
    return found


def _looks(spans: Sequence[Callable[[], Sequence[Span]]]) -> dict[str, Callable[[], Leaf]]:
    def look(name: str) -> Leaf:
        worn = [span for each in spans for span in each() if span.text.strip()]
        return _same([span.look(name) for span in worn])

    return {name: lambda name=name: look(name) for name in LOOKS}


def _same(values: Sequence[Leaf]) -> Leaf:
    """The common value, :data:`MIXED` if they differ, None if there are none."""
    return None if not values else values[0] if len(set(values)) == 1 else MIXED


def _styles(style: Any) -> Iterator[Any]:
    """A style and its ancestors."""
    seen = 0
    while style is not None and seen < 20:
        yield style
        style, seen = style.base_style, seen + 1


def _level(style: Any) -> int | None:
    for each in _styles(style):
        kind, _, level = (each.name or "").casefold().partition(" ")
        if kind == "heading" and len(level) == 1 and level.isdecimal():
            return int(level)
        if each.name == "Title":
            return 0
    return None


def _alignment(paragraph: Any, style: Any) -> str:
    given: list[Any] = [paragraph.alignment, *(each.paragraph_format.alignment for each in _styles(style))]
    first = next((each for each in given if each is not None), None)
    return "left" if first is None else _ALIGNED.get(str(first.name), str(first.name).lower())


def _worn(element: Any, inside: Any, paragraph: Any, defaults: dict[str, Leaf]) -> Callable[[str], Leaf]:
    """A function for the look of a run, or of an equation, which has no run. ``paragraph``: its paragraph's style."""
    from docx.text.run import Run

    run: Any = Run(element, inside) if element is not None else None

    def first(name: str, styles: Iterator[Any]) -> Leaf:
        return next((found for style in styles if (found := _given(style.font, name)) is not None), None)

    def look(name: str) -> Leaf:
        own = _given(run.font, name) if run is not None else None
        if own is not None:
            return own
        by_words = first(name, _styles(run.style)) if run is not None else None
        by_paragraph = first(name, _styles(paragraph))
        if name in ("bold", "italic") and by_words is not None and by_paragraph is not None:
            return by_words is not by_paragraph  # a bold character style in a bold paragraph toggles bold off
        found = by_words if by_words is not None else by_paragraph
        return found if found is not None else defaults.get(name)

    return look


def _given(font: Any, name: str) -> Any:
    """The value that a font itself specifies; None if it does not."""
    match name:
        case "underline":
            return None if font.underline is None else bool(font.underline)
        case "font":
            return font.name
        case "size":
            return None if font.size is None else font.size.pt
        case "colour":
            colour: Any = font.color
            if colour is None or colour.type is None:
                return None
            return f"#{colour.rgb}" if colour.rgb is not None else f"theme {colour.theme_color}"
        case _:
            return getattr(font, name)


def _defaults(document: Any) -> dict[str, Leaf]:
    found: dict[str, Leaf] = {"bold": False, "italic": False, "underline": False}
    size = document.styles.element.find(f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr/{_W}sz")
    font = document.styles.element.find(f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr/{_W}rFonts")
    if size is not None:
        found["size"] = int(size.get(f"{_W}val")) / 2
    if font is not None:
        found["font"] = font.get(f"{_W}ascii")
    return found
