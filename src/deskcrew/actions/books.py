"""Electronic books and notebooks: chapters in order, and cells with their output."""

from __future__ import annotations

import json
import posixpath
import zipfile
from collections.abc import Iterator
from urllib.parse import unquote

from pydantic import JsonValue

from deskcrew.actions import documents
from deskcrew.actions.decoding import declared_in, decoded
from deskcrew.actions.sections import Note, Section, lxml, noted, unpackable, xml
from deskcrew.facts.json_values import JsonObject, list_in, object_in
from deskcrew.facts.legible import clean


def book(content: bytes) -> Iterator[Section]:
    """The chapters of an .epub in reading order."""
    with zipfile.ZipFile(unpackable(content)) as opened:
        container = xml(opened.read("META-INF/container.xml"))
        main = next(container.iter("{*}rootfile")).get("full-path", "")
        package = xml(opened.read(main))
        named = {each.get("id"): unquote(each.get("href", "")) for each in package.iter("{*}item")}
        order = [named[each.get("idref")] for each in package.iter("{*}itemref")]
        chapters = [opened.read(posixpath.normpath(posixpath.join(posixpath.dirname(main), name))) for name in order]
    for number, chapter in enumerate(chapters, start=1):
        page = decoded(chapter, declared_in(chapter))
        yield Section("chapter", str(number), (line for each in documents.web_page(page) for line in each.lines))
    about = (
        each
        for name in ("title", "creator", "publisher")
        for each in package.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}")
    )
    yield noted(Note(lxml().QName(each).localname, "", each.text or "") for each in about)


def notebook(content: bytes) -> Iterator[Section]:
    """The cells of a Jupyter notebook, each with its output. Raises what parsing JSON raises, LookupError for other JSON."""
    cells = map(object_in, list_in(json.loads(content)["cells"]))
    yield Section("text", "", (line for number, cell in enumerate(cells, start=1) for line in _cell_lines(number, cell)))


def _cell_lines(number: int, cell: JsonObject) -> Iterator[str]:
    yield f"[cell {number}, {cell.get('cell_type', 'code')}]"
    yield from _joined(cell.get("source")).splitlines()
    for output in map(object_in, list_in(cell.get("outputs"))):
        yield "[output]"
        data = object_in(output.get("data"))
        said = output.get("text") or data.get("text/plain") or output.get("traceback")
        yield from clean(_joined(said)).splitlines()  # errors are coloured for terminals
        yield from (f"[not shown: {kind}]" for kind in data if kind != "text/plain")


def _joined(text: JsonValue) -> str:
    return text if isinstance(text, str) else "".join(map(str, list_in(text)))
