"""A small cache of parsed files, because checks look up many addresses in one file, and the same ones in every state."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_FILES = 8
MOST_BYTES = 4 << 20
"""Total size of the cached files in bytes; parsed, they may take fifty times as much. A larger file is cached alone."""


class _PerThread(threading.local, Generic[T]):
    """A cache per thread, because parsers read lazily and only one thread at a time may use them."""

    def __init__(self) -> None:
        self.parsed: dict[bytes, T] = {}


def recent(parse: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """Wrap ``parse`` in a small cache by content. Callers must not modify what it returns."""
    kept = _PerThread[T]()

    @functools.wraps(parse)
    def parsed(content: bytes) -> T:
        mine = kept.parsed
        found = mine.pop(content) if content in mine else parse(content)
        mine[content] = found
        while len(mine) > 1 and (len(mine) > MOST_FILES or sum(map(len, mine)) > MOST_BYTES):
            del mine[next(iter(mine))]
        return found

    return parsed
