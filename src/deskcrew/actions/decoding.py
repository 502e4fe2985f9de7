"""Text from bytes in any encoding."""

from __future__ import annotations

import codecs
import re
import unicodedata
from contextlib import suppress

import disarm

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_HEAD = 1024
_LOOKED_AT = 1 << 20
"""The number of bytes from which an encoding is detected."""
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def decoded(content: bytes, declared: str = "") -> str:
    """The text, without a byte order mark: as UTF-8, else as ``declared``, else in the detected encoding."""
    for mark, name in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(name, "replace")
    # The bytes decide about UTF-8 before the declaration does: what is declared is often what another program wrote.
    for name in filter(None, (declared, "utf-8") if _is_of_ascii(declared) else ("utf-8", declared)):
        with suppress(UnicodeDecodeError, LookupError):
            return content.decode(name)
    return content.decode(encoding_of(content), "replace")


def _is_of_ascii(name: str) -> bool:
    """Whether an encoding writes other scripts in ASCII as well, as mail in Japanese does: such bytes are UTF-8, too."""
    with suppress(LookupError):
        return codecs.lookup(name).name.startswith(("iso2022", "hz", "utf-7"))
    return False


def encoding_of(content: bytes) -> str:
    """The name of the encoding that the bytes seem to have."""
    name, _ = disarm.detect_encoding(content[:_LOOKED_AT])
    try:
        found = codecs.lookup(_KNOWN.get(name, name)).name
    except LookupError:
        found = _WESTERN[0]
    # Of text of DOS and of old Macintoshes it is said that it is of Windows, where its letters are signs.
    return min(_WESTERN, key=lambda each: _misplaced(content[:_LOOKED_AT], each)) if found == _WESTERN[0] else found


def doubtful(content: bytes) -> str:
    """The encoding of a text for which several are possible and its words decide; '' for other texts."""
    with suppress(UnicodeDecodeError):
        content.decode()
        return ""
    found = encoding_of(content)
    return found if found in _WESTERN[1:] else ""


def _misplaced(content: bytes, encoding: str) -> int:
    """How many non-ASCII characters are in impossible places: signs between letters, capitals within a word."""
    text = content.decode(encoding, "replace")
    return sum(
        _is_misplaced(each, before, after)
        for before, each, after in zip(f" {text}", text, f"{text[1:]} ", strict=False)
        if each > "\x7f"
    )


def _is_misplaced(each: str, before: str, after: str) -> bool:
    if each.isalpha():
        return each.isupper() and (before.islower() or (before.isalpha() and after.islower()))
    return (before + after).isalpha() and unicodedata.category(each) not in ("Pd", "Pf", "Po")


_WESTERN = ("cp1252", "cp850", "mac_roman")
_KNOWN = {"GBK": "gb18030", "Shift_JIS": "cp932", "EUC-KR": "cp949", "windows-874": "cp874"}
"""What browsers take these names to mean."""


def declared_in(content: bytes) -> str:
    """The encoding that a web page or XML document declares; '' if it declares none."""
    match = _DECLARED.search(content[:_HEAD])
    return match[1].decode() if match is not None else ""


def text_of(content: bytes) -> tuple[str, int]:
    """The text in a file of unknown kind without its NUL bytes, and the number of these: crashed programs leave some in
    their logs. Raises ValueError if it is not text."""
    if b"\0" not in content[:8192] or content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return decoded(content), 0
    wide = encoding_of(content).startswith("utf-16")
    text = content.decode(encoding_of(content), "replace") if wide else decoded(content.replace(b"\0", b""))
    if (
        any((sign < " " or sign == "\x7f") and sign not in "\t\n\r\f\x1b\b" for sign in text[:8192])
        or "\ufffd" in text[:8192]
    ):
        raise ValueError("it is not text")
    return text, 0 if wide else content.count(b"\0")
