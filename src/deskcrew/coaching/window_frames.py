"""What of a window is its own, and what is only around it: its frame, and around a page all that is the browser's."""

from __future__ import annotations

from deskcrew.english.mentions import mentions
from deskcrew.english.vocabulary import vocabulary
from deskcrew.observation import Control, Observation


def inner(seen: Observation) -> list[Control]:
    """What stands in the active window itself: not in the frame around it, nor, where it shows a document, around that."""
    inside = seen.in_front
    document = next((c for c in inside if c.role == "document"), None)
    if document is not None:
        return [c for c in inside if c is not document and document.box.contains(*c.box.centre)]
    buttons = vocabulary().things["frame"]
    return [c for c in inside if not (c.role == "button" and c.name.casefold() in buttons and c.owner)]


def frame(seen: Observation, part: str) -> frozenset[str]:
    """The labels of what stands around the page of a browser, and of buttons of windows' frames, where ``part`` speaks of
    none of it."""
    if seen.active_window is None or mentions("frame", part):
        return frozenset()
    inside = seen.in_front
    shown = {c.label for c in inner(seen)}
    around = [c for c in inside if c.label not in shown and c.role in ("button", "tab", "text field", "menu button")]
    bare = [c for c in seen.controls if c.role == "button" and c.name.casefold() in vocabulary().things["resizes"]]
    return frozenset(c.label for c in (*(around if seen.on_page else ()), *bare))
