"""The text of documents, and places in them that hold a text."""

import zipfile
from pathlib import Path
from xml.etree import ElementTree

TEXTS = (".txt", ".md", ".csv", ".html", ".htm", ".json", ".xml", ".tex", ".ics", ".vcf", ".eml", "")
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


def _text_of(path):
    """All text of a document, line by line; the cells of a table's row are separated by tabs."""
    kind = Path(path).suffix.lower()
    if kind == ".docx":
        import docx

        return "\n".join(_blocks(docx.Document(path)))
    if kind == ".odt":
        with zipfile.ZipFile(path) as opened:
            tree = ElementTree.fromstring(opened.read("content.xml"))
        return "\n".join("".join(each.itertext()) for each in tree.iter() if each.tag in (OFFICE + "p", OFFICE + "h"))
    if kind == ".pdf":
        from pypdf import PdfReader

        return "\n\n".join(page.extract_text() for page in PdfReader(path).pages)
    data = Path(path).read_bytes()
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            pass
    raise ValueError(f"{path} is no text file")


def _blocks(document):
    for block in document.iter_inner_content():
        if hasattr(block, "rows"):
            for row in block.rows:
                yield "\t".join(cell.text.replace("\n", " ") for cell in row.cells)
        else:
            yield block.text


def _paragraphs(document):
    """Every paragraph of a document, also in tables, headers and footers."""
    parts = [document.element.body]
    for section in document.sections:
        parts += [part._element for part in (section.header, section.footer) if not part.is_linked_to_previous]
    from docx.text.paragraph import Paragraph

    for part in parts:
        for element in part.iter("{http://schemas.openxmlformats.org/wordprocessingml/2006/main}p"):
            yield Paragraph(element, document)


def _replaced(paragraph, changes):
    """Replaces texts in a paragraph, also where their formatting changes within, and says how often: what is put in looks
    like the beginning of what was there."""
    count = 0
    for find, replacement in changes.items():
        at = 0
        while (at := "".join(run.text for run in paragraph.runs).find(find, at)) >= 0:
            end, place, put = at + len(find), 0, replacement
            for run in paragraph.runs:
                text = run.text
                first, last = max(at - place, 0), min(end - place, len(text))
                place += len(text)
                if first < last:
                    run.text = text[:first] + put + text[last:]
                    put = ""
            at, count = at + len(replacement), count + 1
    return count
