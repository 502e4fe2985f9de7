"""The search services, each as its documentation describes it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from deskcrew.environments.search.asking import Asking, SearchReply
from deskcrew.environments.search.provider import MOST, SearchHit, first, hit, plain
from deskcrew.errors import SearchFailure
from deskcrew.facts.json_values import JsonObject, is_list, is_object

_LATER = "The service itself has a problem: try again later."
_ENGINES = 5


@dataclass(frozen=True, slots=True)
class _Service:
    """What all services have in common. ``variable``: the key's environment variable, for hints; '' if it takes none."""

    asking: Asking
    variable: str = ""

    @property
    def name(self) -> str:
        return self.asking.name

    @property
    def host(self) -> str:
        return host_of(self.asking.address)


@dataclass(frozen=True, slots=True)
class SearXNG(_Service):
    """The user's own SearXNG instance; it takes no key.

    ``GET /search?q=...&format=json``, as docs.searxng.org/dev/search_api.html has it. It takes no number of results,
    and returns ``{"results": [{"title", "url", "content"}], "unresponsive_engines": [[name, why]]}`` with some ten to
    thirty. A format that is not enabled is refused with status 403; only HTML is enabled by default.
    """

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """See :class:`~deskcrew.environments.search.provider.SearchProvider`."""
        data = self.asking.ask("GET", "/search", params={"q": words, "format": "json"}, hint=self._hint)
        found = first(
            (hit(each.get("title"), each.get("url"), each.get("content")) for each in listed(self.name, data)), count
        )
        engines = data.get("unresponsive_engines")
        if not found and is_list(engines) and engines:
            silent = ", ".join(_engine(each) for each in engines[:_ENGINES])
            hint = "Choose engines that work in its preferences: Engines, then reliability."
            raise SearchFailure(f"{self.name} found nothing, and some of its engines did not answer: {silent}.", hint=hint)
        return found

    def _hint(self, reply: SearchReply) -> str:
        if reply.status == 429:
            return "Its limiter refuses programs: in its settings.yml, `server: limiter: false`; then restart it."
        if reply.status == 403 or (reply.status == 200 and reply.is_page):
            return "Enable JSON in its settings.yml, `search: formats: [html, json]`, and restart it."
        if reply.status >= 500:
            return _LATER
        return "Check its address: the one of its search page, without /search."


@dataclass(frozen=True, slots=True)
class Brave(_Service):
    """The Brave Search API.

    ``GET /res/v1/web/search?q=...&count=...`` with the key as ``X-Subscription-Token``, see
    api-dashboard.search.brave.com: at most 400 characters and 50 words, 20 results. It returns ``{"type": "search",
    "web": {"results": [{"title", "url", "description"}]}}``, without ``web`` if nothing was found; texts contain HTML
    entities. Errors are ``{"error": {"code", "detail"}}``: a wrong key is status 422 with SUBSCRIPTION_TOKEN_INVALID, a
    limit 429 with RATE_LIMITED (too many a second) or QUOTA_LIMITED (the plan's). X-RateLimit-Remaining and
    X-RateLimit-Reset list the windows.
    """

    ADDRESS = "https://api.search.brave.com"

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """See :class:`~deskcrew.environments.search.provider.SearchProvider`."""
        asked: dict[str, str | int] = {
            "q": words,
            "count": min(count, MOST),
            "result_filter": "web",
            "text_decorations": "false",
        }
        data = self.asking.ask("GET", "/res/v1/web/search", params=asked, hint=self._hint)
        web = data.get("web")
        if not is_object(web):
            if data.get("type") != "search":
                raise unlike(self.name)
            return ()
        results = listed(self.name, web)
        return first((hit(_text(each, "title"), each.get("url"), _text(each, "description")) for each in results), count)

    def _hint(self, reply: SearchReply) -> str:
        if reply.status in (401, 403) or b"SUBSCRIPTION_TOKEN" in reply.body:
            return f"The key was refused: set {self.variable} to a key of a Search plan (api-dashboard.search.brave.com)."
        if b"SUBSCRIPTION_NOT_FOUND" in reply.body:
            return "The key belongs to no plan: subscribe to one (api-dashboard.search.brave.com)."
        if reply.status == 429 and b"QUOTA_LIMITED" in reply.body:
            return "The plan's searches are used up: see api-dashboard.search.brave.com."
        if reply.status == 429:
            return "That was too often for the plan: wait a little before you try again."
        return _otherwise(reply)


@dataclass(frozen=True, slots=True)
class Tavily(_Service):
    """Tavily.

    ``POST /search`` with ``{"query", "max_results"}`` and the key as bearer, see docs.tavily.com: at most 400
    characters, 20 results. It returns ``{"results": [{"title", "url", "content", "score"}]}``. Errors are ``{"detail":
    {"error"}}``: 401 for the key, 429 for too many at once, 432 and 433 for a plan or a budget that is used up.
    """

    ADDRESS = "https://api.tavily.com"

    def search(self, words: str, count: int) -> tuple[SearchHit, ...]:
        """See :class:`~deskcrew.environments.search.provider.SearchProvider`."""
        asked = {"query": words, "max_results": min(count, MOST), "search_depth": "basic"}
        results = listed(self.name, self.asking.ask("POST", "/search", body=asked, hint=self._hint))
        return first((hit(each.get("title"), each.get("url"), each.get("content")) for each in results), count)

    def _hint(self, reply: SearchReply) -> str:
        match reply.status:
            case 401 | 403:
                return f"The key was refused: set {self.variable} to a valid one (app.tavily.com)."
            case 429:
                return "That was too often: wait a little before you try again."
            case 432 | 433:
                return "The plan's searches are used up: see app.tavily.com."
            case _:
                return _otherwise(reply)


def host_of(address: str) -> str:
    """The host of an address, as a policy names it."""
    return (urlsplit(address).hostname or "").rstrip(".")


def listed(name: str, data: JsonObject) -> Sequence[JsonObject]:
    """The results in the response of ``name``. Raises SearchFailure if it has no list of results."""
    results = data.get("results")
    if not is_list(results):
        raise unlike(name)
    return [each for each in results if is_object(each)]


def unlike(name: str) -> SearchFailure:
    """The error for JSON without a list of results."""
    return SearchFailure(
        f"{name} answered with JSON that is not a list of results.", hint="Check that the address is that of its API."
    )


def _otherwise(reply: SearchReply) -> str:
    if reply.status >= 500:
        return _LATER
    if reply.status in (200, 404):
        return "Check the address in your settings. Without one, the provider's own is used."
    return "Its answer says why."


def _text(result: JsonObject, key: str) -> str:
    found = result.get(key)
    return html.unescape(found) if isinstance(found, str) else ""


def _engine(told: Any) -> str:
    pair = [plain(each, 40) for each in told[:2]] if is_list(told) else [plain(told, 40)]
    return f"{pair[0]} ({pair[1]})" if len(pair) == 2 else (pair[0] if pair else "")
