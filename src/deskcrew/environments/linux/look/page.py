"""A page in a window of a browser: what the accessibility bus reports, and what its own script does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from deskcrew.facts.observation import Box, Control

if TYPE_CHECKING:
    from deskcrew.environments.browser.looking import ControlPlace


class PageReport(NamedTuple):
    """What the accessibility bus reports of a page in a window. ``window``: the whole of that; ``factor``: screen pixels for
    each pixel of the browser's."""

    path: str
    name: str
    box: Box
    window: Box
    factor: float


class PagePart(NamedTuple):
    """A control of a page, in its place on the screen; its label and window are still to come."""

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
