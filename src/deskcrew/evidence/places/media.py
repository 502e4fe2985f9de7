"""Addresses in PDFs, pictures and archives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PIL import ExifTags

from deskcrew.actions.archives import entries_of
from deskcrew.actions.decoding import decoded
from deskcrew.actions.documents import form_fields, opened_pdf, opened_picture
from deskcrew.actions.sections import MAX_UNPACKED, archive
from deskcrew.errors import ActionError
from deskcrew.evidence.places.tree import Leaf, Many, PlaceNode, bounded, lines

if TYPE_CHECKING:
    import pypdf

MOST_PAGES = 500
"""Maximum number of pages of a PDF whose whole text is read."""
MOST_TEXT = 4 << 20
"""The largest file in an archive that is read, in bytes."""
_POINTS = 72 / 25.4
_ON_THEIR_SIDE = (5, 6, 7, 8)
"""Values of a picture's Exif orientation that mean a rotation by a quarter turn."""


def pdf(content: bytes) -> PlaceNode:
    """The root node of a PDF. Raises what its parser raises, and ActionError if it has a password."""
    document = opened_pdf(content)
    pages = bounded(iter(document.pages), "pages")
    meta = document.metadata
    fields = form_fields(document)

    def text() -> str:
        if len(pages) > MOST_PAGES:
            raise ActionError(f"It has more than {MOST_PAGES} pages; use page[1].text.")
        return "\n".join(page.extract_text() for page in pages)

    return PlaceNode(
        "the PDF",
        {
            "pages": lambda: len(pages),
            "page": lambda: Many("page", pages, _page),
            "text": text,
            "title": lambda: meta.title if meta is not None else "",
            "author": lambda: meta.author if meta is not None else "",
            "field": lambda: Many("field", list(fields), lambda name: fields[name], str),
            "fields": lambda: lines(list(fields)),
        },
    )


def _page(page: pypdf.PageObject) -> PlaceNode:
    turned = page.rotation % 180 != 0
    sides = float(page.mediabox.width), float(page.mediabox.height)
    wide, high = sides[::-1] if turned else sides
    names: dict[str, Callable[[], Leaf]] = {
        "text": page.extract_text,
        "width": lambda: round(wide / _POINTS),
        "height": lambda: round(high / _POINTS),
        "rotation": lambda: page.rotation % 360,
    }
    return PlaceNode("a page", names)


def picture(content: bytes) -> PlaceNode:
    """The root node of a picture, not decoded. ``width`` and ``height`` are as displayed. Raises what its parser raises."""
    with opened_picture(content) as opened:
        kind, mode, size = opened.format, opened.mode, opened.size
        frames, dpi = getattr(opened, "n_frames", 1), opened.info.get("dpi")
        turned = opened.getexif().get(ExifTags.Base.Orientation) in _ON_THEIR_SIDE
    width, height = size[::-1] if turned else size
    names: dict[str, Callable[[], Leaf]] = {
        "width": lambda: width,
        "height": lambda: height,
        "size": lambda: f"{width}x{height}",
        "format": lambda: kind,
        "mode": lambda: mode,
        "frames": lambda: frames,
        "dpi": lambda: round(float(dpi[0])) if dpi else "",
    }
    return PlaceNode("the picture", names)


def zipped(content: bytes) -> PlaceNode:
    """The root node of a .zip. Only the requested file is unpacked. Raises what its parser raises."""
    opened = archive(content)
    files = {info.filename: info for info in opened.infolist() if not info.is_dir()}

    def read(name: str) -> bytes:
        if files[name].flag_bits & 1:
            raise ActionError(f"{name} is locked by a password.")
        with opened.open(files[name]) as file:
            return file.read(MOST_TEXT + 1)

    return _listed({name: info.file_size for name, info in files.items()}, read)


def taped(content: bytes) -> PlaceNode:
    """The root node of a .tar, uncompressed or compressed with gzip, bzip2 or xz. Raises what its parser raises."""
    sizes: dict[str, int] = {}
    kept: dict[str, bytes] = {}
    room = MAX_UNPACKED // 4
    for entry in entries_of(content):
        if not entry.is_folder:
            sizes[entry.name] = entry.size
            if entry.size <= min(MOST_TEXT, room):
                kept[entry.name] = entry.read()
                room -= entry.size
    return _listed(sizes, lambda name: kept.get(name, bytes(MOST_TEXT + 1)))


def _listed(sizes: dict[str, int], read: Callable[[str], bytes]) -> PlaceNode:
    def text(name: str) -> str:
        content = read(name) if sizes[name] <= MOST_TEXT else bytes(MOST_TEXT + 1)
        if len(content) > MOST_TEXT:
            raise ActionError(f"{name} is too large to be read without unpacking it.")
        if b"\0" in content:
            raise ActionError(f"{name} is not text.")
        return decoded(content)

    def entry(name: str) -> PlaceNode:
        return PlaceNode(
            "a file in the archive", {"text": lambda: text(name), "size": lambda: sizes[name]}, lambda: text(name)
        )

    names = sorted(sizes)
    return PlaceNode(
        "the archive",
        {
            "names": lambda: lines(names),
            "files": lambda: len(names),
            "entry": lambda: Many("file", names, entry, str),
        },
    )
