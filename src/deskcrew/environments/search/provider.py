"""The protocol of a search service: words in, results out.

What a service returns was written by strangers: everything in a :class:`SearchHit` is one line without invisible characters
and of limited length, and its address leads to a page. Callers that show it must mark it as data.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

from deskcrew.errors import SearchFailure
from deskcrew.facts.excerpts import cut
from deskcrew.facts.observation import Frozen

LONGEST_WORDS, MOST_WORDS = 400, 50
"""Maximum characters and words of one query: what Brave and Tavily accept, see ``environments/search/providers.py``."""
MOST = 20
"""The maximum number of results of one search: what Brave and Tavily return."""
LONGEST_ADDRESS = 500
"""The maximum length of an address. Longer ones are left out: half of an address leads nowhere."""
LONGEST_TITLE, LONGEST_EXCERPT = 200, 1000
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
"""Invisible characters that some scripts and emoji need."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a service. ``seconds``: in total; ``retries``: the first one after about ``backoff`` seconds,
    unless the service asks for another wait."""

    seconds: float = 20.0
    retries: int = 2
    backoff: float = 0.5
    sleep: Callable[[float], None] = time.sleep


class SearchHit(Frozen):
    """One result. ``excerpt`` may be ''."""

    title: str
    address: str
    excerpt: str = ""


class SearchProvider(Protocol):
    """A web search service."""

    @property
    def name(self) -> str:
        """The provider's name in the settings."""
        ...

    @property
    def host(self) -> str:
        """The host that receives the words, as a policy names it."""
        ...

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """At most ``count`` results, the best first; empty if nothing was found. Blocking, and limited in time.

        Raises SearchFailure if the service does not answer with results.
        """
        ...


@dataclass(frozen=True, slots=True)
class Remembered:
    """A provider as a journal records it, for the guard and for prompts. It cannot search."""

    name: str
    host: str

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """Always raises SearchFailure: this provider cannot search."""
        raise SearchFailure(f"{self.name} is only recorded here, and cannot be asked.")


def hit(title: object, address: object, excerpt: object) -> SearchHit | None:
    """A result from what a service returned; None if it does not lead to a web page."""
    if not isinstance(address, str) or len(address) > LONGEST_ADDRESS or plain(address, LONGEST_ADDRESS) != address:
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or " " in address:
        return None
    said = plain(title, LONGEST_TITLE) or parts.hostname
    return SearchHit(title=said, address=address, excerpt=plain(excerpt, LONGEST_EXCERPT))


def first(hits: Iterable[SearchHit | None], count: int) -> tuple[SearchHit, ...]:
    """The first ``count`` results, without duplicate addresses."""
    found: dict[str, SearchHit] = {}
    for each in hits:
        if each is not None:
            found.setdefault(each.address, each)
    return tuple(found.values())[:count]


def plain(text: object, longest: int) -> str:
    """A text on one line, without invisible characters; if truncated, it ends with '…'. '' for anything but a string."""
    if not isinstance(text, str):
        return ""
    # A short head is enough to fill a line: an endless text is not walked through.
    spaced = " ".join(text[: longest * 8].split())
    seen = "".join(c for c in spaced if c in _JOINERS or unicodedata.category(c) not in _INVISIBLE)
    return cut(seen, longest)
