"""What is new or gone in a document besides its text: comments, headers, notes, tracked changes, hidden parts, metadata.

Reading a document yields only what people read. A model that checks it must be told of the rest as well, or it is as blind
as the model that wrote it.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator

from deskcrew.actions.documents import opened_pdf
from deskcrew.actions.sections import damaged, lxml, unpackable, xml
from deskcrew.errors import ActionError
from deskcrew.evidence.caller import raw_parts
from deskcrew.facts.excerpts import shorten

DOCUMENTS = frozenset({".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".odt", ".ods", ".odp", ".epub", ".pdf"})
LONGEST, MOST, LONGEST_IN_ALL = 80, 12, 2000
"""Maximum characters of an entry, entries of a part, and characters in total."""
_MARKS = frozenset({"author", "display", "hidden", "show", "state", "visibility"})
"""Attributes that say who wrote something, or whether it is visible."""
_COMMON = ("slideLayouts/", "slideMasters/", "theme/", "docProps/app.xml", "xl/styles.xml", "[Content_Types].xml", ".rels")
"""Parts that every program writes in its own way."""
_CELLS = ("xl/worksheets/sheet", "xl/sharedStrings.xml", "xl/calcChain.xml")
"""Parts of a workbook that are compared cell by cell elsewhere."""
_OF_PROGRAMS = ("/Producer", "/Creator", "/CreationDate", "/ModDate")


def told(before: bytes, now: bytes, text: str) -> str:
    """What is new (+) and gone (-) in each part of a document and does not show in its ``text``. ``before``: b'' for a new
    document, of which only words are listed, not marks."""
    try:
        old, new = (_entries(content) for content in (before, now))
    except (ActionError, *damaged()):
        return ""
    lines: list[str] = []
    for part in dict.fromkeys((*old, *new)):
        was, became = old.get(part, Counter[str]()), new.get(part, Counter[str]())
        for sign, entries in (("-", was - became), ("+", became - was)):
            hidden = [each for each in entries if each.strip("' ") not in text and (before or not each.startswith("<"))]
            lines += [f"{sign} {part}: {'; '.join(shorten(each, LONGEST) for each in hidden[:MOST])}"] if hidden else []
    return shorten("\n".join(lines), LONGEST_IN_ALL)


def _entries(content: bytes) -> dict[str, Counter[str]]:
    """The words and marks in each part, with their counts."""
    if not content:
        return {}
    if content.startswith(b"%PDF"):
        opened_pdf(content)
        lines = (line for part in raw_parts(io.BytesIO(content)).values() for line in part.splitlines())
        return {"objects": Counter(line for line in lines if ": '" in line and not line.startswith(_OF_PROGRAMS))}
    parts = raw_parts(unpackable(content))
    skipped = (*_COMMON, *_CELLS)
    names = (name for name in parts if not any(each in name for each in skipped))
    return {name: Counter(_words(parts[name])) for name in names if parts[name].lstrip().startswith("<")}


def _words(part: str) -> Iterator[str]:
    for element in xml(part.encode()).iter(lxml().Element):
        yield from (text.strip() for text in (element.text, element.tail) if text and text.strip())
        name = lxml().QName(element).localname
        yield f"<{name}>"
        marks = ((lxml().QName(key).localname, value) for key, value in element.items())
        yield from (f"<{name} {key}={value!r}>" for key, value in marks if key in _MARKS)
