"""Mutations of files whose content cannot be taken apart here: one part is damaged, the rest stays as it was.

Nobody knows which part of such a file a check looks at (a picture's size, its colours; a page's text, its rotation). So it
is enough that one of its mutations is noticed, whereas other files need every mutation noticed. Without these mutations, a
check that sees only that there is a picture would be believed about what the picture shows.
"""

from __future__ import annotations

import copy
import io
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from PIL import Image, ImageOps

from deskcrew.actions import readers
from deskcrew.actions.documents import opened_pdf
from deskcrew.actions.sections import damaged, lxml, unpackable, xml
from deskcrew.environments.pictures import DECODED, FORMATS
from deskcrew.errors import ActionError

T = TypeVar("T")
Alter = Callable[[str], str | None]
_ZIP = b"PK"

MOST_PIXELS = 20_000_000
"""The largest picture that is altered, in pixels."""
MOST_PARTS = 3
"""The maximum number of parts of a file that are damaged, one at a time."""
_NUMBER = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}value"
"""The attribute of an OpenDocument cell that holds the number shown by its text."""


def parts_damaged(path: str, before: bytes | None, now: bytes, alter: Alter) -> Iterator[tuple[str, bytes]]:
    """Yield the file with one part damaged, as pairs of name and content. ``alter``: returns another text in place of the
    given one, None if nothing in it can be altered."""
    try:
        made = list(_made(path, before, now, alter))
    except (ActionError, *unreadable()):
        made = []
    yield from made or [("cut in half", now[: len(now) // 2])]


def _made(path: str, before: bytes | None, now: bytes, alter: Alter) -> Iterator[tuple[str, bytes]]:
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in FORMATS:
        yield from _pictures(now)
    elif suffix == ".pdf":
        yield from _pages(now, alter)
    elif now.startswith(_ZIP):
        yield from _members(path, before, now, alter)


def spread(places: Sequence[T], most: int = MOST_PARTS) -> Sequence[T]:
    """At most ``most`` of ``places``, evenly spread from the first to the last."""
    if len(places) <= most:
        return places
    return [places[round(number * (len(places) - 1) / (most - 1))] for number in range(most)]


def unreadable() -> tuple[type[Exception], ...]:
    """The exceptions of :func:`damaged`, which says where to call it, and that of an archive with a password."""
    return (*damaged(), RuntimeError)


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    """What ``save`` writes, such as a document's ``save``."""
    written = io.BytesIO()
    save(written)
    return written.getvalue()


def packed(archive: bytes, member: str, content: bytes | None) -> bytes:
    """A zip archive with other content of one member, or without it. Raises what :func:`unpackable` raises."""
    written = io.BytesIO()
    with zipfile.ZipFile(unpackable(archive)) as opened, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        for info in opened.infolist():
            kept = content if info.filename == member else opened.read(info)
            if kept is not None:
                made.writestr(info, kept)
    return written.getvalue()


def _pictures(now: bytes) -> Iterator[tuple[str, bytes]]:
    with Image.open(io.BytesIO(now), formats=DECODED) as image:
        if image.width * image.height > MOST_PIXELS or image.height < 2:
            return
        made = {
            "one row of pixels less": image.crop((0, 0, image.width, image.height - 1)),
            "a tenth of its size": image.resize((max(1, image.width // 10), max(1, image.height // 10))),
            "upside down": image.transpose(Image.Transpose.ROTATE_180),
            "in other colours": ImageOps.invert(image.convert("RGB")),
        }
        for what, other in made.items():
            yield what, saved(partial(other.save, format=image.format, exif=image.getexif()))


def _pages(now: bytes, alter: Alter) -> Iterator[tuple[str, bytes]]:
    import pypdf
    from pypdf.generic import DictionaryObject, NameObject, StreamObject, TextStringObject

    count = len(opened_pdf(now).pages)

    def without_content(page: pypdf.PageObject) -> None:
        page[NameObject("/Contents")] = StreamObject()
        page[NameObject("/Resources")] = DictionaryObject()

    def turned(page: pypdf.PageObject) -> None:
        page.rotate(90)

    def other_value(page: pypdf.PageObject) -> None:
        for field in page.annotations or ():
            values: Any = field.get_object()
            for key in ("/V", "/Contents"):
                if (other := alter(str(values.get(key, "")))) is not None:
                    values[NameObject(key)] = TextStringObject(other)

    changes = {"empty": without_content, "turned": turned, "with another text in its fields and notes": other_value}
    for number in spread(range(count)):
        for what, change in changes.items():
            made = pypdf.PdfWriter(clone_from=io.BytesIO(now))
            change(made.pages[number])
            yield f"page {number + 1} {what}", saved(made.write)


def _members(path: str, before: bytes | None, now: bytes, alter: Alter) -> Iterator[tuple[str, bytes]]:
    """An XML document with another text or number in its new parts, preferably in those that reading the file shows."""
    old = _contents(before) if before is not None and before.startswith(_ZIP) else {}
    there = _contents(now)
    trees = {
        name: xml(content)
        for name, content in there.items()
        if old.get(name) != content and content.lstrip().startswith(b"<")
    }
    known = {
        text
        for content in old.values()
        if content.lstrip().startswith(b"<")
        for text in lxml().fromstring(content).itertext()
    }
    places = [(name, at) for name, tree in trees.items() for at, each in enumerate(tree.iter()) if _new(each.text, known)]
    try:
        said = readers.read_content(Path(path), now)
    except ActionError:
        said = ""
    shown = [(name, at) for name, at in places if _at(trees[name], at).text.strip() in said]
    for name, at in spread(shown or places):
        tree = copy.deepcopy(trees[name])
        element = _at(tree, at)
        if (other := alter(element.text)) is not None:
            element.text = other
            cell = element.getparent()
            if cell is not None and _NUMBER in cell.attrib:
                cell.set(_NUMBER, alter(cell.get(_NUMBER)) or "")
            yield f"another text in {name}", packed(now, name, lxml().tostring(tree))


def _new(text: object, known: set[str]) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text not in known


def _at(tree: Any, number: int) -> Any:
    return next(each for at, each in enumerate(tree.iter()) if at == number)


def _contents(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(unpackable(data)) as opened:
        return {info.filename: opened.read(info) for info in opened.infolist()}
