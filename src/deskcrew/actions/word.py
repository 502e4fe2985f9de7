"""Word documents: paragraphs and tables, also in content controls, tracked changes and text boxes, and their notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from deskcrew.actions import documents
from deskcrew.actions.decoding import declared_in, decoded
from deskcrew.actions.sections import Note, Section, csv_line, noted, plain_document, xml
from deskcrew.facts.excerpts import shorten

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_AROUND = frozenset(_W + name for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo"))
"""Elements that may enclose paragraphs, tables, rows and cells."""
_GONE = frozenset((_W + "del", _W + "moveFrom", _FALLBACK))
_CHANGES = {"ins": "inserted", "del": "deleted", "moveFrom": "moved away", "moveTo": "moved here"}
_MARGINS = ("header", "footer", "first_page_header", "first_page_footer", "even_page_header", "even_page_footer")
_UNREAD = {
    "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds": "diagram",
    "{urn:schemas-microsoft-com:office:office}OLEObject": "embedded file",
}
_LINK = re.compile(r'HYPERLINK\s+"([^"]+)"')
_OF_CHARTS = (
    "{http://schemas.openxmlformats.org/drawingml/2006/main}t",
    "{http://schemas.openxmlformats.org/drawingml/2006/chart}v",
)
"""The elements of a chart's titles, categories and numbers."""
_QUOTED = 60
"""Maximum characters quoted of the text that a remark is attached to."""


def word(content: bytes) -> Iterator[Section]:
    """Paragraphs and table rows, in order; then those in headers, footers, footnotes and endnotes, marked as such."""
    import docx

    document: Any = docx.Document(plain_document(content))
    yield Section("text", "", _lines(document))
    body = document.element.body
    unread = Counter(_UNREAD[each.tag] for each in body.iter(*_UNREAD))
    unread["embedded document"] = sum(1 for each in _parts(document, "aFChunk") if not _is_web(each))
    unread["picture"] = sum(_is_shown(each) and _is_picture(each) and not each.get("descr") for each in body.iter(_DRAWN))
    yield noted(_remarks(document), unread)


def _lines(document: Any) -> Iterator[str]:
    yield from lines_in(document.element.body)
    for name, margin in _margins(document):
        yield from (f"[{name.replace('_', ' ')}] {line}" for line in lines_in(margin) if line.strip())
    yield from _footnotes(document)
    for part in filter(_is_web, _parts(document, "aFChunk")):
        page = decoded(part.blob, declared_in(part.blob))
        for section in documents.web_page(page):
            yield from (f"[embedded document] {line}" for line in section.lines)


def _margins(document: Any) -> Iterator[tuple[str, Any]]:
    """The headers and footers, each with its name."""
    for section in document.sections:
        for name in _MARGINS:
            margin = getattr(section, name)
            if not margin.is_linked_to_previous:  # else it is that of the section before, or none
                yield name, margin._element


def _is_web(part: Any) -> bool:
    """Whether an embedded document is a web page or plain text."""
    return part.content_type in ("text/html", "application/xhtml+xml", "text/plain")


def blocks(container: Any, *names: str) -> Iterator[Any]:
    """The elements with one of ``names`` ("p", "tbl", "tr", "tc") in a container, including those in content controls."""
    for child in container:
        if child.tag in _AROUND:
            yield from blocks(child, *names)
        elif isinstance(child.tag, str) and child.tag.removeprefix(_W) in names:
            yield child


def rows_of(table: Any) -> Iterator[list[Any]]:
    """The cells of each row; a cell that spans several columns or rows is listed in each."""
    above: list[Any] = []
    for row in blocks(table, "tr"):
        cells: list[Any] = [None] * int(next(iter(row.xpath("./w:trPr/w:gridBefore/@w:val")), 0))
        for cell in blocks(row, "tc"):
            merged = next(iter(cell.xpath("./w:tcPr/w:vMerge")), None)
            goes_on = merged is not None and merged.get(f"{_W}val", "continue") == "continue"
            shown = above[len(cells)] if goes_on and len(cells) < len(above) else cell
            cells += [shown] * int(next(iter(cell.xpath("./w:tcPr/w:gridSpan/@w:val")), 1))
        above = cells
        yield [cell for cell in cells if cell is not None]


def lines_in(container: Any) -> Iterator[str]:
    for block in blocks(container, "p", "tbl"):
        if block.tag == f"{_W}p":
            yield text_of(block)
            for box in block.iter(f"{_W}txbxContent"):
                if _is_shown(box) and next(box.iterancestors(f"{_W}p")) is block:
                    yield from (f"[text box] {line}" for line in lines_in(box) if line.strip())
        else:
            for row in rows_of(block):
                yield csv_line(["\n".join(lines_in(cell)) for cell in row])


def text_of(paragraph: Any) -> str:
    """The text of a paragraph with all tracked changes accepted, including what fields and controls show."""
    return "".join(text for text, _ in pieces(paragraph))


def pieces(node: Any) -> Iterator[tuple[str, Any]]:
    """The pieces of a paragraph's text, each with its run; None for an equation's."""
    for child in node:
        if child.tag == f"{_W}r":
            yield child.text, child
            for base in child.iter(f"{_W}rubyBase"):
                yield from pieces(base)
        elif child.tag == f"{_M}oMath":
            yield "".join(each.text or "" for each in child.iter(f"{_M}t")), None
        elif child.tag not in _GONE:
            yield from pieces(child)


def _is_shown(node: Any) -> bool:
    return next(node.iterancestors(_FALLBACK), None) is None


def _is_picture(drawn: Any) -> bool:
    return next(drawn.getparent().iter("{http://schemas.openxmlformats.org/drawingml/2006/picture}pic"), None) is not None


def _quoted(text: str) -> str:
    return f'"{shorten(" ".join(text.split()), _QUOTED)}"'


def _footnotes(document: Any) -> Iterator[str]:
    """Footnotes and endnotes, each with the text it is attached to."""
    for kind in ("footnote", "endnote"):
        marks = {each.get(f"{_W}id"): each for each in document.element.body.iter(f"{_W}{kind}Reference")}
        for note in _in_part(document, f"{kind}s"):
            if (mark := marks.get(note.get(f"{_W}id"))) is not None:  # the others are the lines above notes
                on = text_of(next(mark.iterancestors(f"{_W}p")))
                yield f"[{kind} to {_quoted(on)}] {' '.join(lines_in(note)).strip()}"


def _in_part(document: Any, kind: str) -> Iterator[Any]:
    from docx.oxml import parse_xml

    for part in _parts(document, kind):
        yield from parse_xml(part.blob)


def _parts(document: Any, kind: str) -> Iterator[Any]:
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.endswith(f"/{kind}"):
            yield relation.target_part


def _remarks(document: Any) -> Iterator[Note]:
    body = document.element.body
    for comment in _in_part(document, "comments"):
        on = _between(body, comment.get(f"{_W}id"))
        by = f"by {comment.get(f'{_W}author')}" if comment.get(f"{_W}author") else ""
        yield Note("comment", f"{by}{f' on {_quoted(on)}' if on else ''}", " ".join(lines_in(comment)))
    for change in body.iter(*(_W + name for name in _CHANGES)):
        if what := "".join(each.text or "" for each in change.iter(f"{_W}t", f"{_W}delText")):
            by = f"by {change.get(f'{_W}author') or 'somebody'}"
            yield Note("tracked change", by, f"{_CHANGES[change.tag.removeprefix(_W)]} {_quoted(what)}")
    for link in body.iter(f"{_W}hyperlink"):
        if (relation := document.part.rels.get(link.get(f"{_R}id"))) is not None and relation.is_external:
            yield Note("link", f"on {_quoted(text_of(link))}", relation.target_ref)
    for field in body.iter(f"{_W}instrText"):
        if target := _LINK.search(field.text or ""):
            yield Note("link", "", target[1])
    for part in _parts(document, "chart"):
        chart = xml(part.blob)
        yield Note("chart", "", ", ".join(dict.fromkeys(each.text for each in chart.iter(*_OF_CHARTS) if each.text)))
    for place in (body, *(margin for _, margin in _margins(document))):  # watermarks are in these
        for art in place.iter("{urn:schemas-microsoft-com:vml}textpath"):
            yield Note("WordArt", "", art.get("string", ""))
    for ruby in body.iter(f"{_W}ruby"):
        said, on = (
            "".join(each.text or "" for each in ruby.iterfind(f"{{*}}{name}//{{*}}t")) for name in ("rt", "rubyBase")
        )
        yield Note("reading", f"of {_quoted(on)}", said)
    for run in body.iter(f"{_W}r"):
        if run.xpath("./w:rPr/w:vanish[not(@w:val='0' or @w:val='false')]") and run.text.strip():
            yield Note("hidden text", "", run.text)
    for data in body.iter(f"{_W}ffData"):
        yield from _form_field(data)
    for drawn in body.iter(_DRAWN):
        if drawn.get("descr") and _is_shown(drawn):
            yield Note("description", "of a picture", drawn.get("descr"))


def _between(body: Any, number: str) -> str:
    """The text that a comment is attached to."""
    said: list[str] = []
    inside = False
    for node in body.iter(f"{_W}commentRangeStart", f"{_W}commentRangeEnd", f"{_W}r"):
        if node.tag == f"{_W}r":
            said += [node.text] if inside else []
        elif node.get(f"{_W}id") == number:
            inside = node.tag == f"{_W}commentRangeStart"
    return "".join(said)


def _form_field(data: Any) -> Iterator[Note]:
    """A note on what is ticked or chosen in a legacy form field; what is typed there is ordinary text."""

    def at(*paths: str) -> str | None:
        """The value of the first of these elements that exists; 1 if it has no value."""
        found = (data.find(path, {"w": _W.strip("{}")}) for path in paths)
        return next((each.get(f"{_W}val", "1") for each in found if each is not None), None)

    name = at("w:name") or ""
    if data.find(f"{_W}checkBox") is not None:
        ticked = at("w:checkBox/w:checked", "w:checkBox/w:default") in ("1", "true")
        yield Note("form field", name, "ticked" if ticked else "not ticked")
    elif choices := [each.get(f"{_W}val") for each in data.iter(f"{_W}listEntry")]:
        chosen = int(at("w:ddList/w:result", "w:ddList/w:default") or 0)
        yield Note("form field", name, f"{choices[chosen] if chosen < len(choices) else 'none'} of {', '.join(choices)}")
