"""A page in a window of a browser: what the accessibility bus reports, and what the page's own script reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from deskcrew.facts.observation import Box, Control

if TYPE_CHECKING:
    from deskcrew.environments.browser.looking import ControlPlace


class PageReport(NamedTuple):
    """The accessibility bus's report on a page in a window. ``window``: the window's box; ``factor``: screen pixels per
    pixel of the browser."""

    path: str
    name: str
    box: Box
    window: Box
    factor: float


class PagePart(NamedTuple):
    """A control of a page, in its place on the screen; its label and window are not set yet."""

    identity: str
    place: ControlPlace
    control: Control


class PageSeen(NamedTuple):
    """A page in a window, as its own script reports it."""

    number: int
    url: str
    title: str
    box: Box
    parts: Sequence[PagePart]
    lines: Sequence[tuple[str, Box]]
    focus: str | None
    """The identity of the focused part."""
    notes: Sequence[str]
    loads: int = 0
    """How many pages have been loaded in its tab by GET."""
