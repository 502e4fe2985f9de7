"""A subtask that only opens a page whose address it gives."""

from __future__ import annotations

from deskcrew.english.openings import visiting
from deskcrew.events import Operation
from deskcrew.situation import Reply, Situation

OPEN_URL, LOADED = "open_url", "wait_for_loading"


def opens_page(situation: Situation) -> Reply | None:
    """Opens the page. If it is already in front, waits until it has loaded: opening it again would lose what was filled
    in."""
    if not {OPEN_URL, LOADED} <= situation.domain.keys() or situation.last_done is not None:
        return None
    order = visiting(situation.part)
    if order is None:
        return None
    address = order.what[0]
    front = situation.now.active_window
    if front is not None and front.url.rstrip("/") == address.rstrip("/"):
        return Reply((Operation(function=LOADED, params={"seconds": 0.1}),))
    return Reply((Operation(function=OPEN_URL, params={"url": address}),))
