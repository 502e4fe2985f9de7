"""Texts as tokens, without a tokenizer's vocabulary, which would have to be downloaded.

A text is cut as large models' tokenizers cut it before they look anything up: words with the blank before them, digits in
threes, runs of signs. What is longer than a token is on average counts as several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 8
"""Bytes of a piece that counts as one token."""
_PIECES = re.compile(r"[^\S\r\n]?[^\W\d_]+|\d{1,3}|[^\S\r\n]?(?:[^\w\s]|_)+[\r\n]*|\s*[\r\n]+|\s+")


def tokens(text: str) -> Iterator[bytes]:
    """The tokens of a text, which are all of it."""
    for piece in _PIECES.findall(text):
        data = piece.encode(errors="surrogatepass")
        for at in range(0, len(data), LONGEST):
            yield data[at : at + LONGEST]
