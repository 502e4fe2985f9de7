"""Looks at other pages of a site in a separate browser, to see where else something that was sent is shown.

They are opened by GET, and can send nothing that changes anything. The pages that the crew works on stay as they are.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from deskcrew.environments.environment import Browser, Desktop, Link
from deskcrew.environments.loading_anew import LoadingPress, led_back, unfolded, with_whole
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Observation

PAUSE = 3.0
"""Seconds before other pages are opened again if they contradict the reloaded ones: some are made from cached copies."""
REFUSED = 400
"""The lowest HTTP status of a response without a page."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What a page showed in a separate browser. ``alone``: a browser without anything that the run's browser has stored;
    ``lost``: the view that the run's browser shows could not be reached, so that the page says nothing about it."""

    address: str
    look: Observation
    alone: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """A view of the page at an ``address``. ``there``: whether an observation shows it; ``ways``: what to press to get there
    from the start of the page."""

    address: str
    there: Callable[[Observation], bool]
    ways: Sequence[LoadingPress] = ()


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Where else to look. ``first``: the addresses to start from; ``chosen``: selects the links there to follow; ``alone``:
    a view to open in a browser without stored data too, None for none; ``otherwise``: whether the pages contradict the
    reloaded ones; ``until``: how long they are opened again in that case, in Unix seconds."""

    first: Sequence[str]
    chosen: Callable[[Sequence[Link]], Sequence[Link]]
    alone: View | None
    otherwise: Callable[[Sequence[Glance]], bool]
    until: float


def look_elsewhere(desktop: Desktop | None, wanted: Elsewhere) -> tuple[Glance, ...]:
    """What the pages show that could be opened; empty if the browser is somebody else's. Blocking, and takes longer only
    while they contradict the reloaded ones."""
    if not isinstance(desktop, Browser):
        return ()
    while True:
        found: list[Glance] = []
        links: dict[str, Link] = {}
        if wanted.alone is not None:
            with suppress(ActionError), desktop.aside(alone=True) as browser:
                found += _alone(browser, wanted.alone, links)
        left = [url for url in wanted.first if all(glance.address != url for glance in found)]
        if left or wanted.chosen([*links.values()]):
            with suppress(ActionError), desktop.aside(alone=False) as browser:
                found += _seen(browser, left, links)
                found += _seen(browser, [link.url for link in wanted.chosen([*links.values()])], {})
        if not wanted.otherwise(found) or time.time() + PAUSE > wanted.until:
            return tuple(found)
        time.sleep(PAUSE)


def _seen(browser: Browser, urls: Sequence[str], links: dict[str, Link], *, alone: bool = False) -> Iterator[Glance]:
    """What the pages show that can be opened; their links are added to ``links``."""
    for url in urls:
        if (glance := _opened(browser, url, alone=alone)) is not None:
            yield glance
            with suppress(ActionError):
                links |= {link.url: link for link in browser.links()}


def _alone(browser: Browser, view: View, links: dict[str, Link]) -> Iterator[Glance]:
    """What the page shows in the view, if its ways lead there in a new browser; else at its start, marked as ``lost``."""
    for glance in _seen(browser, (view.address,), links, alone=True):
        front, route = glance.look.active_window, urlsplit(view.address).fragment
        left = bool(route) and front is not None and urlsplit(front.url).fragment != route
        if not left and view.there(glance.look):
            yield glance
            continue
        with suppress(ActionError):
            back, _ = led_back(browser, browser.observe, glance.look, view.ways, view.there)
            if back is not None:
                yield replace(glance, look=with_whole(browser, back))
                continue
        yield replace(glance, lost=True)


def _opened(browser: Browser, url: str, *, alone: bool = False) -> Glance | None:
    """A page as the browser shows it; None if the server has none, redirects to another site, or asks for a password."""
    try:
        browser.open_url(url)
        look = with_whole(browser, unfolded(browser, browser.observe, browser.observe()))
        refused = browser.status() >= REFUSED
    except ActionError:
        return None
    front = look.active_window
    if front is None or refused or any(control.role == "password field" for control in look.in_front):
        return None
    there = front.url.split("#")[0]
    if there != url.split("#")[0] and (alone or urlsplit(there)[:2] != urlsplit(url)[:2]):
        return None
    return Glance(there if not alone else url, look, alone)
