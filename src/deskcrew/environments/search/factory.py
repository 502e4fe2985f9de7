"""Makes a search provider from settings. Its key is read from the environment at that moment, like a model's.

========== ================================================================ searxng no key; ``search.address`` is that of
your instance brave BRAVE_API_KEY, else BRAVE_SEARCH_API_KEY tavily TAVILY_API_KEY ==========
================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from deskcrew.environments.search.provider import Patience, SearchProvider
from deskcrew.errors import UsageError, needing
from deskcrew.facts.loopback import on_this_machine
from deskcrew.secrets.binding import SHORTEST, Binding, Secret
from deskcrew.secrets.redactor import Redactor
from deskcrew.settings import SearchSettings

KEY_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "brave": ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),
    "tavily": ("TAVILY_API_KEY",),
}
AGENT = "deskcrew"
"""The User-Agent header."""


def create(
    settings: SearchSettings, *, environment: Mapping[str, str] | None = None, patience: Patience | None = None
) -> SearchProvider | None:
    """The configured provider, None if there is none. Makes no request. ``environment``: None for this process's own.

    Raises UsageError if its key is missing, or may not be sent to its address.
    """
    name, address = settings.provider, settings.address
    if name == "none":
        return None
    # Whoever has no search need not wait until what speaks HTTP is there.
    with needing("services"):
        from deskcrew.environments.search.asking import Asking
        from deskcrew.environments.search.providers import Brave, SearXNG, Tavily

    bounds = patience or Patience()
    if name == "searxng":
        return SearXNG(Asking(name, address, {"Accept": "application/json", "User-Agent": AGENT}, patience=bounds))
    variables = KEY_VARIABLES[name]
    key = _key(name, variables, os.environ if environment is None else environment)
    if urlsplit(address).scheme == "http" and not on_this_machine(address):
        told = f"The key of {name} would be sent to {address} unencrypted."
        raise UsageError(told, hint="Write the address with https://, or leave it out for the provider's own.")
    redactor = Redactor([Secret(variables[0], key, Binding())])
    own = {"brave": Brave.ADDRESS, "tavily": Tavily.ADDRESS}[name]
    mark = {"X-Subscription-Token": key} if name == "brave" else {"Authorization": f"Bearer {key}"}
    headers = {"Accept": "application/json", "User-Agent": AGENT, **mark}
    asking = Asking(name, address or own, headers, redactor, bounds)
    return Brave(asking, variables[0]) if name == "brave" else Tavily(asking, variables[0])


def _key(name: str, variables: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """The key. Raises UsageError, which never contains it."""
    variable = next((each for each in variables if environment.get(each, "").strip()), "")
    hint = f"export {variables[0]}=..., or turn the search off: DESKCREW_SEARCH__PROVIDER=none"
    if not variable:
        raise UsageError(f"Searching with {name} needs its API key.", hint=hint)
    key = environment[variable].strip()
    if len(key) < SHORTEST or not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(
            f"The value of {variable} is not an API key: it is too short, or contains characters that no key has.", hint=hint
        )
    return key
