"""Documents other than tables: PDF, presentations, web pages, pictures."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

from PIL import ExifTags, Image, ImageFile, ImageOps, IptcImagePlugin, UnidentifiedImageError

from deskcrew.actions.decoding import decoded
from deskcrew.actions.sections import Note, Section, chart_titles, csv_line, lxml, noted, plain_document, xml
from deskcrew.environments import ocr
from deskcrew.environments.pictures import DECODED
from deskcrew.errors import ActionError
from deskcrew.facts.json_values import is_list

if TYPE_CHECKING:
    import pypdf

MAX_FRAMES = 50
_EXIF = {
    0x010E: "caption", 0x013B: "author", 0x8298: "copyright", 0x9003: "taken", 0x9286: "comment", 0x9C9B: "title",
    0x9C9C: "comment", 0x9C9D: "author", 0x9C9E: "keywords", 0x9C9F: "subject",
}  # fmt: skip
_IPTC = {(2, 5): "title", (2, 25): "keyword", (2, 80): "author", (2, 116): "copyright", (2, 120): "caption"}
_ANNOTATIONS = {"/FreeText": "text box", "/FileAttachment": "attachment", "/Link": "link"}
_LONGEST_LINK = 300
_ON_A_PAGE = 4
"""Maximum number of pictures on a PDF page that are searched for text."""
_UNSEEN = {"script", "style", "template", "noscript", "svg", "object", "iframe"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "fieldset", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "option",
    "p", "pre", "section", "select", "table", "textarea", "title", "tr", "ul",
}  # fmt: skip


def presentation(content: bytes) -> Iterator[Section]:
    """The slides in order, with their tables, charts, notes and comments."""
    import pptx

    shown: Any = pptx.Presentation(plain_document(content))
    behind: dict[str, None] = {}
    for number, slide in enumerate(shown.slides, start=1):
        yield Section("slide", str(number), _slide_lines(slide))
        for layer in (slide.slide_layout, slide.slide_layout.slide_master):
            behind |= dict.fromkeys(shape_lines(each for each in layer.shapes if not each.is_placeholder))
    yield noted(Note("behind slides", "", line) for line in behind)


def _slide_lines(slide: Any) -> Iterator[str]:
    if slide._element.get("show") in ("0", "false"):
        yield "(this slide is hidden)"
    yield from shape_lines(slide.shapes)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        for line in frame.text.splitlines():
            if line.strip():
                yield f"(notes) {line}"
    for relation in slide.part.rels.values():
        if relation.is_external:
            yield f"(link) {relation.target_ref}"
        elif relation.reltype.endswith("/comments"):
            tree, authors = xml(relation.target_part.blob), _authors(slide)
            for each in tree.iter("{*}text", "{*}t"):
                by = authors.get(next(each.iterancestors("{*}cm", "{*}reply")).get("authorId"), "")
                yield f"(comment{by and f' by {by}'}) {each.text}"
        elif relation.reltype.endswith("/diagramData"):
            tree = xml(relation.target_part.blob)
            yield from (f"(diagram) {each.text}" for each in tree.iter("{*}t"))


def _authors(slide: Any) -> dict[str, str]:
    """The names of those who comment, by their ids."""
    relations = slide.part.package.presentation_part.rels.values()
    parts = [each.target_part for each in relations if each.reltype.endswith(("/authors", "/commentAuthors"))]
    return {
        each.get("id"): each.get("name", "") for part in parts for each in xml(part.blob).iter("{*}author", "{*}cmAuthor")
    }


def shape_lines(shapes: Iterable[Any]) -> Iterator[str]:
    """The texts of shapes, including those in groups, the rows of tables and charts, and the descriptions of pictures."""
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from shape_lines(shape.shapes)
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                yield csv_line([cell.text for cell in row.cells])
        elif getattr(shape, "has_chart", False):
            yield from _chart_lines(shape.chart)
        elif shape.has_text_frame:
            for paragraph in shape.text_frame.paragraphs:
                if paragraph.text:
                    yield paragraph.text
        else:
            yield from _described(shape._element)


def _described(shape: Any) -> Iterator[str]:
    kinds = {"pic": "picture", "graphicFrame": "embedded object"}
    if (kind := kinds.get(lxml().QName(shape).localname)) is not None:
        described = "".join(shape.xpath("./*/p:cNvPr/@descr"))
        yield f"({kind}: {described})" if described else f"({kind}, not shown)"


def _chart_lines(chart: Any) -> Iterator[str]:
    """The numbers of a chart as a table, its categories first."""
    titles = chart_titles(chart._chartSpace)
    yield f"(chart{f': {titles}' if titles else ''})"
    for plot in chart.plots:
        yield csv_line(["", *(str(each) for each in plot.categories)])
        for series in plot.series:
            yield csv_line([series.name, *("" if value is None else f"{value:.15g}" for value in series.values)])


def opened_pdf(content: bytes) -> pypdf.PdfReader:
    """A parsed PDF. Raises what its parser raises, and ActionError if it has a password."""
    import pypdf

    said = logging.getLogger("pypdf")
    if not said.hasHandlers():  # what it remarks on a damaged file would be printed between the lines of a run
        said.addHandler(logging.NullHandler())
    document = pypdf.PdfReader(io.BytesIO(content))
    if document.is_encrypted and not document.decrypt(""):
        raise ActionError("The PDF is protected by a password.")
    return document


def pdf(content: bytes) -> Iterator[Section]:
    """The pages, each with its links and remarks; for a page without text, the text in its pictures. Then form fields and
    notes."""
    document = opened_pdf(content)
    for number, page in enumerate(document.pages, start=1):
        yield Section("page", str(number), chain(_page_lines(page), _annotation_lines(page)))
    yield noted(_pdf_notes(document))


def form_fields(document: pypdf.PdfReader) -> dict[str, str]:
    """The values of a form's fields by name; '' for an empty field."""
    fields: dict[str, Any] = cast("Any", document).get_fields() or {}
    return {name: str(field.get("/V", "")) for name, field in fields.items() if field.get("/FT") is not None}


def attached_to(document: pypdf.PdfReader) -> Iterator[tuple[str, bytes]]:
    """The names and contents of the files attached to a PDF."""
    yield from ((str(name), data) for name, files in cast("Any", document).attachments.items() for data in files)


def _pdf_notes(document: pypdf.PdfReader) -> Iterator[Note]:
    if document.metadata is not None and document.metadata.title:
        yield Note("title", "", document.metadata.title)
    yield from (Note("bookmark", "", title) for title in _bookmarks(document.outline))
    for name, value in form_fields(document).items():
        yield Note("form field", name, value.removeprefix("/") or "(empty)")
    for name, data in attached_to(document):
        yield Note("attachment", name, f"{len(data)} bytes")


def _bookmarks(outline: Iterable[Any]) -> Iterator[str]:
    for each in outline:
        if is_list(each):
            yield from _bookmarks(each)
        else:
            yield str(each.title)


def _annotation_lines(page: pypdf.PageObject) -> Iterator[str]:
    for reference in cast("Any", page).get("/Annots") or ():
        annotation: Any = reference.get_object()
        action: Any = annotation.get("/A", {}).get_object() if annotation.get("/A") is not None else {}
        if "/URI" in action:
            yield f"(link) {action['/URI']}"
        elif annotation.get("/Contents") and annotation.get("/Subtype") != "/Widget":
            by = f" by {annotation['/T']}" if annotation.get("/T") else ""
            yield f"({_ANNOTATIONS.get(str(annotation.get('/Subtype')), 'comment')}{by}) {annotation['/Contents']}"


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


def opened_picture(content: bytes) -> ImageFile.ImageFile:
    """A picture, not decoded yet. Raises what Pillow raises, with the same message for the same content."""
    try:
        return Image.open(io.BytesIO(content), formats=DECODED)
    except UnidentifiedImageError as error:
        raise UnidentifiedImageError(f"it is none of {', '.join(DECODED)}") from error


def picture(content: bytes) -> Iterator[Section]:
    """The text in a picture, page by page for a TIFF with several, and its captions."""
    with opened_picture(content) as opened:
        kind, width, height = opened.format, opened.width, opened.height
        frames = min(getattr(opened, "n_frames", 1), MAX_FRAMES) if kind == "TIFF" else 1
        about = list(_captions(opened))
    told = f"{kind} picture, {width} x {height} pixels"
    if not ocr.available() and not about:
        raise ActionError(f"{told}. To read the text in it: {ocr.INSTALL}")
    if not ocr.available():
        yield Section("text", "", iter((f"{told}. To read the text in it: {ocr.INSTALL}",)))
    elif frames == 1:
        yield Section("text", "", _picture_lines(content, 0, told))
    else:
        for number in range(frames):
            yield Section("page", str(number + 1), _picture_lines(content, number, told))
    yield noted(about)


def _captions(opened: ImageFile.ImageFile) -> Iterator[Note]:
    """The texts stored in a picture's file: as EXIF, IPTC or XMP, or as PNG text."""
    exif = opened.getexif()
    given = {**exif, **exif.get_ifd(ExifTags.IFD.Exif)}
    for tag, word in _EXIF.items():
        value = given.get(tag, "")
        if text := value if isinstance(value, str) else _wide(value):
            yield Note(word, "", text)
    for key, value in (IptcImagePlugin.getiptcinfo(opened) or {}).items():
        if word := _IPTC.get(key):
            for each in value if isinstance(value, list) else [value]:
                yield Note(word, "", decoded(each))
    if packet := opened.info.get("xmp"):
        yield from (Note("XMP", "", text) for text in xml(packet).itertext() if text.strip())
    for key, value in opened.info.items():
        if key == "comment" or (isinstance(value, str) and key != "XML:com.adobe.xmp"):
            yield Note(str(key).lower(), "", value if isinstance(value, str) else decoded(value))


def _wide(value: Any) -> str:
    """A text that EXIF stores as bytes: in UTF-16, or after the name of its encoding."""
    if not isinstance(value, bytes):
        return ""
    name, text = (value[:8], value[8:]) if value[:7] in (b"UNICODE", b"ASCII\0\0") else (b"UNICODE", value)
    if name.startswith(b"ASCII"):
        return decoded(text).strip("\0 ")
    return text.decode("utf-16-be" if text[:1] == b"\0" else "utf-16-le", "replace").strip("\0 ")


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
    """The lines of a web page. Hidden text is marked: a person would not have seen it."""
    # As UTF-8 with the encoding given: a declaration in the page may say another.
    parser = lxml().HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    root: Any = lxml().fromstring(text.encode("utf-8", "replace"), parser)
    if root is None:
        return
    said: list[str] = []
    unseen = hidden = 0
    events: Any = lxml().iterwalk(root, events=("start", "end"))
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
        if not unseen and (more := _of_markup(node, begins=begins)):
            said.append(more)
        words = node.text if begins else node.tail
        if words and not unseen:
            said.append(words)
    if line := " ".join("".join(said).split()):
        yield line


def _of_markup(node: Any, *, begins: bool) -> str:
    """What an element without text of its own says: where a link leads, a field's value, a picture's description."""
    match node.tag, begins:
        case "a", False:
            target = (node.get("href") or "").strip()
            outside = target.partition(":")[0].lower() in ("http", "https", "mailto", "tel", "ftp")
            return f" <{target[:_LONGEST_LINK]}>" if outside and target not in "".join(node.itertext()) else ""
        case "img", True:
            return f" (picture: {node.get('alt')}) " if node.get("alt") else ""
        case "input", True:
            return f" {node.get('value')} " if node.get("value") and node.get("type") not in ("hidden", "password") else ""
        case _:
            return ""


def _is_hidden(node: Any) -> bool:
    style = "".join((node.get("style") or "").lower().split())
    return node.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style
