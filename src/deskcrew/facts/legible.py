"""Makes untrusted text legible and harmless, on one line or several; counts in words.

Control sequences in a model's text, a window title or a file name are never interpreted. Colour sequences are dropped; any
other control character is *shown*, because dropping it could hide what a person is asked to approve.
"""

from __future__ import annotations

import json
import re
import unicodedata

from deskcrew.facts.excerpts import cut

_COLOUR = re.compile(r"\x1b\[[0-9;:]*m")
_KEPT = frozenset("\u200c\u200d")
"""Joiners: they shape letters and emoji and hide nothing."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def clean(text: str) -> str:
    """``text`` without anything that a terminal would interpret. Line breaks stay; a tab becomes four spaces."""
    text = _COLOUR.sub("", text).replace("\r\n", "\n").replace("\t", "    ")
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    code = ord(character)
    if character == "\n" or character in _KEPT:
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) in _HIDDEN:
        return "\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
    return character


def one_line(text: str, limit: int = 160) -> str:
    """``text`` cleaned, on one line, truncated to ``limit`` characters with an ellipsis."""
    # A short head is enough to fill a line: an endless reply is not walked through twice.
    return cut(" ".join(clean(text[: limit * 8]).split()), limit)


def counted(count: int, thing: str) -> str:
    """``1 window``, ``2 windows``."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def as_text(value: object) -> str:
    """Any value as text: '' for None, a string as it is, anything else as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
