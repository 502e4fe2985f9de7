"""Which controls belong to a window's content, and which to its frame or to the browser around a page."""

from __future__ import annotations

from deskcrew.english.mentions import mentions
from deskcrew.observation import Control, Observation

_DECORATIONS = frozenset({"minimize", "maximize", "restore", "close"})


def inner(seen: Observation) -> list[Control]:
    """The controls of the active window's content: without its frame or, if it shows a document, without what is around
    that."""
    inside = seen.in_front
    document = next((c for c in inside if c.role == "document"), None)
    if document is not None:
        return [c for c in inside if c is not document and document.box.contains(*c.box.centre)]
    return [c for c in inside if not (c.role == "button" and c.name.casefold() in _DECORATIONS and c.owner)]


def frame(seen: Observation, part: str) -> frozenset[str]:
    """The labels of the controls around a browser's page, and of the buttons in window frames, if ``part`` mentions
    none of them."""
    if seen.active_window is None or mentions("frame", part):
        return frozenset()
    inside = seen.in_front
    shown = {c.label for c in inner(seen)}
    around = [c for c in inside if c.label not in shown and c.role in ("button", "tab", "text field", "menu button")]
    bare = [c for c in seen.controls if c.role == "button" and c.name.casefold() in ("minimize", "maximize")]
    return frozenset(c.label for c in (*(around if browses(seen) else ()), *bare))


def browses(seen: Observation) -> bool:
    """Whether the active window is a browser."""
    return any(c.role == "text field" and "address" in c.name.casefold() for c in seen.in_front)
