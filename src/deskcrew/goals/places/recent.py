"""What was parsed last, kept for a while: checks ask one file for many places, and every state is asked the same."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_FILES = 8
MOST_BYTES = 4 << 20
"""Of the files, of which what is parsed may take fifty times the room; one that is larger is kept alone."""


class _Kept(threading.local, Generic[T]):
    """Each thread has its own: parsers read on while they are asked, which only one may do at a time."""

    def __init__(self) -> None:
        self.parsed: dict[bytes, T] = {}


def recent(parse: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """``parse`` that parses the same bytes once, as long as few others come between. Nobody may change what it returns."""
    kept = _Kept[T]()

    @functools.wraps(parse)
    def parsed(content: bytes) -> T:
        mine = kept.parsed
        found = mine.pop(content) if content in mine else parse(content)
        mine[content] = found
        while len(mine) > 1 and (len(mine) > MOST_FILES or sum(map(len, mine)) > MOST_BYTES):
            del mine[next(iter(mine))]
        return found

    return parsed
