"""Documents other than tables: Word, LibreOffice, PDF, presentations, web pages, archives, pictures."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

from PIL import Image, ImageOps, UnidentifiedImageError

from deskcrew.actions.sections import LXML, Section, archive, csv_line, unpackable
from deskcrew.actions.tables import content_xml, ods_cells
from deskcrew.environments import ocr
from deskcrew.environments.pictures import DECODED
from deskcrew.errors import ActionError

if TYPE_CHECKING:
    import pypdf

MAX_FRAMES = 50
_ON_A_PAGE = 4
"""The number of a PDF page's pictures that are searched for text."""
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_UNSEEN = {"script", "style", "template", "noscript", "svg", "object", "iframe"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "option",
    "p", "pre", "section", "select", "table", "textarea", "title", "tr", "ul",
}  # fmt: skip


def word(content: bytes) -> Iterator[Section]:
    """Paragraphs and table rows, in order, and then those of headers and footers, marked as such."""
    import docx

    yield Section("text", "", _word_lines(docx.Document(unpackable(content))))


_MARGINS = ("header", "footer", "first_page_header", "first_page_footer", "even_page_header", "even_page_footer")


def _word_lines(document: Any) -> Iterator[str]:
    yield from _block_lines(document)
    for section in document.sections:
        for name in _MARGINS:
            margin = getattr(section, name)
            if not margin.is_linked_to_previous:  # else it is that of the section before, or none
                yield from (f"[{name.replace('_', ' ')}] {line}" for line in _block_lines(margin) if line.strip())


def _block_lines(container: Any) -> Iterator[str]:
    from docx.text.paragraph import Paragraph

    for block in container.iter_inner_content():
        if isinstance(block, Paragraph):
            yield block.text
        else:
            for row in block.rows:
                yield csv_line([cell.text for cell in row.cells])


def opendocument(content: bytes) -> Iterator[Section]:
    """Paragraphs, headings and table rows of a LibreOffice text or presentation."""
    yield Section("text", "", _blocks(content_xml(content)))


def _blocks(node: ElementTree.Element) -> Iterator[str]:
    for child in node:
        if child.tag == f"{_TABLE}table":
            yield f"[table {child.get(f'{_TABLE}name', '')}]"
            yield from _blocks(child)
        elif child.tag == f"{_TABLE}table-row":
            if cells := ods_cells(child):
                yield csv_line(cells)
        elif child.tag in {f"{_TEXT}p", f"{_TEXT}h"}:
            yield "".join(child.itertext())
        else:
            yield from _blocks(child)


def presentation(content: bytes) -> Iterator[Section]:
    """The slides in order, with their tables and notes."""
    import pptx

    shown: Any = pptx.Presentation(unpackable(content))
    for number, slide in enumerate(shown.slides, start=1):
        yield Section("slide", str(number), _slide_lines(slide))


def _slide_lines(slide: Any) -> Iterator[str]:
    yield from _shape_lines(slide.shapes)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        for line in frame.text.splitlines():
            if line.strip():
                yield f"(notes) {line}"


def _shape_lines(shapes: Iterable[Any]) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shape_lines(shape.shapes)
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                yield csv_line([cell.text for cell in row.cells])
        elif shape.has_text_frame:
            for paragraph in shape.text_frame.paragraphs:
                if paragraph.text:
                    yield paragraph.text


def opened_pdf(content: bytes) -> pypdf.PdfReader:
    """A PDF. Raises what its parser raises, and ActionError for one with a password."""
    import pypdf

    said = logging.getLogger("pypdf")
    if not said.hasHandlers():  # what it remarks on a damaged file would be printed between the lines of a run
        said.addHandler(logging.NullHandler())
    document = pypdf.PdfReader(io.BytesIO(content))
    if document.is_encrypted and not document.decrypt(""):
        raise ActionError("The PDF is protected by a password.")
    return document


def pdf(content: bytes) -> Iterator[Section]:
    """The pages; for one without text, the text in its pictures."""
    document = opened_pdf(content)
    for number, page in enumerate(document.pages, start=1):
        yield Section("page", str(number), _page_lines(page))


def _page_lines(page: pypdf.PageObject) -> Iterator[str]:
    text = page.extract_text().strip()
    if text:
        yield from text.split("\n")
        return
    names = _pictures_of(page)
    if not names:
        yield "(no text on this page)"
    elif not ocr.available():
        yield f"(no text on this page; it is a scanned picture. To read it: {ocr.INSTALL})"
    else:
        yield "(a scanned picture, in which this text was found; characters can be wrong)"
        for name in names:
            picture: Any = cast("Any", page).images[name].image
            if picture is not None:
                yield from _seen(picture)


def _pictures_of(page: pypdf.PageObject) -> list[str]:
    """The names of a page's pictures that are small enough to be decoded."""
    resources: Any = page.get("/Resources", {})
    resources = resources.get_object() if hasattr(resources, "get_object") else resources
    parts: Any = resources["/XObject"].get_object() if "/XObject" in resources else {}
    found = ((str(name), parts[name].get_object()) for name in parts)
    pictures = (
        name
        for name, part in found
        if part.get("/Subtype") == "/Image"
        and 0 < int(part.get("/Width", 0)) * int(part.get("/Height", 0)) <= ocr.MAX_PIXELS
    )
    return list(islice(pictures, _ON_A_PAGE))


def opened_picture(content: bytes) -> Image.Image:
    """A picture, of which nothing is decoded yet. Raises as Pillow does, in words that are the same for the same content."""
    try:
        return Image.open(io.BytesIO(content), formats=DECODED)
    except UnidentifiedImageError as error:
        raise UnidentifiedImageError(f"it is none of {', '.join(DECODED)}") from error


def picture(content: bytes) -> Iterator[Section]:
    """The text in a picture; of each page if it is a TIFF with several."""
    with opened_picture(content) as opened:
        kind, width, height = opened.format, opened.width, opened.height
        frames = min(getattr(opened, "n_frames", 1), MAX_FRAMES) if kind == "TIFF" else 1
    told = f"{kind} picture, {width} x {height} pixels"
    if not ocr.available():
        raise ActionError(f"{told}. To read the text in it: {ocr.INSTALL}")
    if frames == 1:
        yield Section("text", "", _picture_lines(content, 0, told))
        return
    for number in range(frames):
        yield Section("page", str(number + 1), _picture_lines(content, number, told))


def _picture_lines(content: bytes, frame: int, told: str) -> Iterator[str]:
    with opened_picture(content) as opened:
        opened.seek(frame)
        if opened.width * opened.height > ocr.MAX_PIXELS:
            raise ActionError(f"{told}: too large to be read; at most {ocr.MAX_PIXELS // 1_000_000} million.")
        lines = list(_seen(ImageOps.exif_transpose(opened)))
    yield f"{told}. " + ("Text found in it; characters can be wrong:" if lines else "No text was found in it.")
    yield from lines


def _seen(image: Image.Image) -> Iterator[str]:
    lines = ocr.read_text(image)
    yield from ocr.in_rows(lines)
    unread = sum(1 for line in lines if not line.text)
    if unread:
        yield f"[{unread} more lines were not read, since it took too long]"


def web_page(text: str) -> Iterator[Section]:
    """The text of a web page, without its markup: one line for each block and table row."""
    yield Section("text", "", _web_lines(text))


def _web_lines(text: str) -> Iterator[str]:
    """Hidden text is marked: a person would not have seen it."""
    # As UTF-8 with the encoding given: a declaration in the page may say another.
    parser = LXML.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root: Any = LXML.fromstring(text.encode("utf-8", "replace"), parser)
    if root is None:
        return
    said: list[str] = []
    unseen = hidden = 0
    events: Any = LXML.iterwalk(root, events=("start", "end"))
    for event, node in events:
        begins = event == "start"
        step = 1 if begins else -1
        unshown = _is_hidden(node)
        if node.tag in _BLOCKS or unshown:
            if line := " ".join("".join(said).split()):
                yield f"(hidden) {line}" if hidden else line
            said.clear()
        unseen += step * (node.tag in _UNSEEN)
        hidden += step * unshown
        if begins and node.tag in {"td", "th"} and "".join(said).strip():
            said.append(" | ")
        words = node.text if begins else node.tail
        if words and not unseen:
            said.append(words)
    if line := " ".join("".join(said).split()):
        yield line


def _is_hidden(node: Any) -> bool:
    style = "".join((node.get("style") or "").lower().split())
    return node.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style


def listing(content: bytes) -> Iterator[Section]:
    """The contents of a zip archive; nothing of it is unpacked."""
    with archive(content) as opened:
        entries = opened.infolist()
    files = [entry for entry in entries if not entry.is_dir()]
    total = sum(entry.file_size for entry in files)
    lines = [f"Archive with {len(files)} files, {total} bytes unpacked. Nothing in it was opened:"]
    for entry in entries:
        locked = ", locked by a password" if entry.flag_bits & 1 else ""
        # A name with a line break in it must not look like two.
        name = "".join(character if character.isprintable() else "?" for character in entry.filename)
        lines.append(name if entry.is_dir() else f"{name}  {entry.file_size} bytes{locked}")
    yield Section("text", "", iter(lines))
