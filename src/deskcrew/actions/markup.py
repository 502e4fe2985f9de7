"""Markup made legible: unchanged except for characters written as numbers, texts in several pieces, and packed diagrams."""

from __future__ import annotations

import base64
import html
import re
import zlib
from collections.abc import Iterator
from urllib.parse import unquote

from deskcrew.actions.sections import MAX_PART, xml

_NUMBERED = re.compile(r"&#(?:x[0-9a-f]{1,6}|[0-9]{1,7});", re.IGNORECASE)
_OF_MARKUP = "<>&\"'"


def hides(text: str) -> bool:
    """Whether a text is markup in which :func:`legible` may find something to decode."""
    return text.startswith("<") and (_NUMBERED.search(text) is not None or "<svg" in text or "<diagram" in text)


def legible(text: str) -> Iterator[str]:
    """The lines of a text in markup, then texts that drawings split into pieces, and draw.io diagrams. Raises what parsers
    raise."""
    yield from _NUMBERED.sub(_character, text).splitlines()
    tree = xml((text.partition("?>")[2] if text.startswith("<?xml") else text).encode())
    for each in tree.iter("{*}text"):
        if len(each):
            yield f"(text) {' '.join(''.join(each.itertext()).split())}"
    for each in tree.iter("{*}diagram"):
        if each.text and each.text.strip():
            packed = base64.b64decode(each.text)
            yield f"(diagram) {unquote(zlib.decompressobj(-15).decompress(packed, MAX_PART).decode())}"


def _character(match: re.Match[str]) -> str:
    character = html.unescape(match[0])
    return character if character.isprintable() and character not in _OF_MARKUP else match[0]
