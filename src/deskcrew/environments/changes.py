"""The changes that a program made to the workspace, as data: the guard decides about them, and the journal keeps them."""

from __future__ import annotations

import difflib
import io
import re
import zipfile
import zlib
from collections import Counter
from typing import Literal

from pydantic import Field

from deskcrew.facts.observation import Frozen
from deskcrew.facts.texts import SHORTEST, words_in

COMPARED = 16 << 20
"""The number of bytes of a file that are compared to see how much of it remains."""
REMAINS, EDITED = 0.5, 0.1
"""The share of a file's words, and of its length, that its new content must have; with less, the file is lost. ``EDITED``
applies if the task is to edit it."""
RENAMED = 0.8
"""The same share for a missing file and a new one: with that much, the file was renamed and edited."""
LEAST_WORDS, VALUE_WORDS = 5, 2
LEAST_BYTES, SHORT, ALIKE = 16, 2000, 0.9
"""The minimum and maximum bytes of a short file, which is also compared by its characters, and the share that must match."""
_HEAD, _MAGIC, _ARCHIVE = 8192, 4, b"PK\x03\x04"
"""In a file that is not text, one of the first ``_HEAD`` bytes is zero, and the first ``_MAGIC`` bytes show its type."""
_OFFICE = frozenset({"[Content_Types].xml", "META-INF/manifest.xml"})
_ABOUT = ("docProps/", "meta.xml", "settings.xml", "META-INF/", "[Content_Types]")
_TAG = re.compile(rb"<[^>]*>")
LISTED = 20
"""The number of paths that a person is shown; the others are counted."""
Kind = Literal["removed", "emptied", "overwritten", "moved", "changed", "new"]
DESTROYED = frozenset[Kind]({"removed", "emptied", "overwritten"})


class Change(Frozen):
    """One path that would change. ``path``: printable. ``size``: bytes of the old content, for new files of the new one.
    ``moved``: gone from here, with all of its content elsewhere in the workspace."""

    path: str
    kind: Kind
    size: int = 0
    own: bool = Field(default=False, exclude_if=lambda own: not own)
    """The run itself created it, and it contains nothing from before: nobody loses anything."""


class Changes(Frozen):
    """Everything that one program would change, sorted by path."""

    entries: tuple[Change, ...] = ()

    @property
    def destroyed(self) -> tuple[Change, ...]:
        """What would be lost, the largest first."""
        lost = (change for change in self.entries if change.kind in DESTROYED and not change.own)
        return tuple(sorted(lost, key=lambda change: (-change.size, change.path)))

    @property
    def kept(self) -> tuple[Change, ...]:
        """The changes without a loss."""
        return tuple(change for change in self.entries if change.kind not in DESTROYED or change.own)

    def losses(self, most: int = LISTED) -> str:
        """What would be lost, in words: names and sizes, the largest first. '' if nothing would be."""
        lost = self.destroyed
        told = [f"{change.path} ({change.kind}, {size_words(change.size)})" for change in lost[:most]]
        rest = lost[most:]
        if rest:
            told.append(f"and {len(rest)} more ({size_words(sum(change.size for change in rest))})")
        return ", ".join(told)


def size_words(size: int) -> str:
    """Format a number of bytes for display: ``1.5 MB``."""
    for unit, power in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= power:
            return f"{size / power:.1f} {unit}"
    return f"{size} bytes"


def remains(old: bytes, new: bytes, *, edited: bool = False) -> bool:
    """Whether enough of a file is left in its new content. Both are the first :data:`COMPARED` bytes; of an office document
    its text is compared. ``edited``: editing it is the task; a single value or a picture may then be replaced as a whole."""
    if old.strip() in new:
        return True
    if not edited:
        return _shared(old, new, REMAINS)
    binary = b"\0" in old[:_HEAD] and old[:_MAGIC] == new[:_MAGIC] and not old.startswith(_ARCHIVE)
    value = bool(new.strip()) and _words(old).total() <= VALUE_WORDS
    return value or binary or _shared(old, new, EDITED)


def renamed(old: bytes, new: bytes) -> bool:
    """Whether a missing file was renamed to a new one and edited a little: the new one has most of its words or, for a short
    file, whose words could match by chance, nearly all of its characters in order."""
    if _words(_unpacked(old)).total() >= LEAST_WORDS and _shared(old, new, RENAMED):
        return True
    if not LEAST_BYTES <= len(old) <= SHORT or len(new) > SHORT:
        return False
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    # The first two are upper bounds of the third, which takes quadratic time.
    return all(ratio() >= ALIKE for ratio in (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio))


def _shared(old: bytes, new: bytes, part: float) -> bool:
    old, new = _unpacked(old), _unpacked(new)
    if len(new) < part * len(old):
        return False
    words = _words(old)
    return (words & _words(new)).total() >= max(1, part * words.total())


def _words(data: bytes) -> Counter[str]:
    """How often each word occurs in a text; in other data only long words, since short ones occur by chance."""
    words = words_in(data.decode("utf-8", "replace"))
    long = [word for word in words if len(word) >= SHORTEST] if b"\0" in data[:_HEAD] else []
    return Counter(long or words)


def _unpacked(data: bytes) -> bytes:
    """The content of an archive; of an office document only the text, since its structure stays when the text is deleted."""
    if not data.startswith(_ARCHIVE):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            room, parts, texts = COMPARED, list[bytes](), list[bytes]()
            for member in archive.infolist():
                with archive.open(member) as file:
                    parts.append(file.read(room))
                if member.filename.endswith(".xml") and not member.filename.startswith(_ABOUT):
                    texts.append(_TAG.sub(b" ", parts[-1]))
                room -= len(parts[-1])
                if room <= 0:
                    break
            office = not _OFFICE.isdisjoint(archive.namelist())
            return b"\n".join(texts if office else parts)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        return data
