"""The words of texts in any script, as the full-text index stores them."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w{1,500}")
"""A word of at most the length that full-text indexes can hold: 2,046 bytes in PostgreSQL."""
_UNSPACED = re.compile(r"([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])")
"""A character of a script without spaces between words: each counts as a word."""


def words_of(text: str) -> list[str]:
    """The words of ``text`` without case and accents, in order."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    return _WORD.findall(_UNSPACED.sub(r" \1 ", plain))
