"""The protocol of a search service: words in, results out.

What a service answers was written by strangers: everything in a :class:`Hit` is one line without invisible characters and
of bounded length, and its address leads to a page. Whoever shows it says that it is data.
"""

from __future__ import annotations

import ipaddress
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from deskcrew.errors import SearchFailure
from deskcrew.observation import Frozen

LONGEST_WORDS, MOST_WORDS = 400, 50
"""Characters and words of one search: what Brave and Tavily take, see ``search/providers.py``."""
MOST = 20
"""Results of one search: what Brave and Tavily give."""
LONGEST_ADDRESS = 500
"""A longer one is left out: half of an address leads nowhere."""
LONGEST_TITLE, LONGEST_EXCERPT = 200, 1000
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
"""Scripts and emoji need them."""


class Hit(Frozen):
    """One result. ``excerpt`` may be ''."""

    title: str
    address: str
    excerpt: str = ""


class SearchProvider(Protocol):
    """A web search service."""

    @property
    def name(self) -> str:
        """Its name in the settings."""
        ...

    @property
    def host(self) -> str:
        """The host that receives the words, as a policy names it."""
        ...

    def search(self, words: str, count: int) -> tuple[Hit, ...]:
        """At most ``count`` results, the best first; none where nothing was found. Blocking, and bounded in time.

        Raises SearchFailure.
        """
        ...


@dataclass(frozen=True, slots=True)
class Remembered:
    """A provider as a journal tells of it, for the guard and for prompts. Nobody can be asked through it."""

    name: str
    host: str

    def search(self, words: str, count: int) -> tuple[Hit, ...]:
        """Raises SearchFailure."""
        raise SearchFailure(f"{self.name} is only remembered here, and cannot be asked.")


def as_told(provider: SearchProvider | None) -> dict[str, Any]:
    """What events keep of a provider among a run's settings; nothing where there is none."""
    return {} if provider is None else {"search": {"provider": provider.name, "host": provider.host}}


def remembered(told: dict[str, Any]) -> Remembered | None:
    """The provider that a run's settings tell of; None where they tell of none."""
    search: Any = told.get("search")
    if not isinstance(search, dict):  # a journal may come from anybody
        return None
    kept = cast("dict[str, Any]", search)
    return Remembered(str(kept.get("provider", "")), str(kept.get("host", "")))


def hit(title: object, address: object, excerpt: object) -> Hit | None:
    """A result from what a service says; None for one that leads to no page of the web."""
    if not isinstance(address, str) or len(address) > LONGEST_ADDRESS or plain(address, LONGEST_ADDRESS) != address:
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or " " in address:
        return None
    said = plain(title, LONGEST_TITLE) or parts.hostname
    return Hit(title=said, address=address, excerpt=plain(excerpt, LONGEST_EXCERPT))


def first(hits: Iterable[Hit | None], count: int) -> tuple[Hit, ...]:
    """The first ``count`` of them, each address once."""
    found: dict[str, Hit] = {}
    for each in hits:
        if each is not None:
            found.setdefault(each.address, each)
    return tuple(found.values())[:count]


def on_this_machine(address: str) -> bool:
    """Whether an address is one of this machine's own."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def plain(text: object, longest: int) -> str:
    """A text on one line, without what cannot be seen; '…' at its end where it was cut. '' for what is no text."""
    if not isinstance(text, str):
        return ""
    # A short head is enough to fill a line: an endless text is not walked through.
    spaced = " ".join(text[: longest * 8].split())
    seen = "".join(c for c in spaced if c in _JOINERS or unicodedata.category(c) not in _INVISIBLE)
    return seen if len(seen) <= longest else seen[: longest - 1].rstrip() + "…"
