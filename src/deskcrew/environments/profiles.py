"""A browser's persistent data, its cookies and what pages stored, as one value whose changes can be merged.

In Playwright's format: cookies, and for each origin its local storage and its databases.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Profile = Mapping[tuple[str, ...], Any]
"""Each item that is stored, by its unique key."""
_COOKIE = ("name", "domain", "path", "partitionKey")


def parsed(state: str) -> Profile:
    """The profile that :meth:`~deskcrew.environments.environment.Browser.stored` returned."""
    told = json.loads(state)
    found: dict[tuple[str, ...], Any] = {}
    for cookie in told.get("cookies", ()):
        found["cookies", *(str(cookie.get(key, "")) for key in _COOKIE)] = cookie
    for origin in told.get("origins", ()):
        for kind in ("localStorage", "indexedDB"):
            for kept in origin.get(kind, ()):
                found[kind, origin["origin"], kept["name"]] = kept
    return found


def written(profile: Profile) -> str:
    """A profile in the format of :meth:`~deskcrew.environments.environment.Browser.restore`."""
    cookies: list[Any] = []
    origins: dict[str, dict[str, list[Any]]] = {}
    for (kind, where, *_), kept in profile.items():
        if kind == "cookies":
            cookies.append(kept)
        else:
            origins.setdefault(where, {"localStorage": [], "indexedDB": []})[kind].append(kept)
    return json.dumps({"cookies": cookies, "origins": [{"origin": where, **kept} for where, kept in origins.items()]})


def carried_over(to: Profile, before: Profile, after: Profile) -> Profile:
    """The profile ``to`` with the changes between ``before`` and ``after``: additions, modifications and deletions."""
    changed = {key: kept for key, kept in after.items() if before.get(key) != kept}
    gone = before.keys() - after.keys()
    return {key: kept for key, kept in to.items() if key not in gone} | changed
