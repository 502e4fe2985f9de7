"""Elements of a page that react to the mouse without declaring it: no role, no `onclick`, no pointer, but an added listener.

The browser is queried for all listeners of a page at once, in one call that no page can see or disturb, while the page is
being read. New ones are reported to the script of their frame, once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.frames import Frame, FrameGone
from deskcrew.environments.browser.protocol import CdpSession, Evaluated, EventListener, ask
from deskcrew.facts.json_values import JsonObject

PRESSED = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"})
"""Events by which a page notices that something in it was pressed."""
MOST_NEW = 300
"""The maximum number of elements reported at one observation; the rest follow at the next."""


class Listening:
    """Finds the elements of one page that have event listeners, and remembers which were reported already."""

    def __init__(self) -> None:
        self._documents: dict[CdpSession, tuple[int | None, str]] = {}
        """For each session, the world of our script and the browser's id of the topmost document."""
        self._known: set[tuple[str, int | None, int]] = set()
        """Elements already reported: the frame's id, the world of our script there, the browser's id of the element."""

    async def find(self, frames: Sequence[Frame]) -> bool:
        """Report to the scripts of the frames which of their elements listen. Returns whether any are new. Frames that have
        never been observed are left out, since nothing can be reported to them yet."""
        by_session: dict[CdpSession, list[Frame]] = {}
        for frame in frames:
            if frame.world is not None:
                by_session.setdefault(frame.session, []).append(frame)
        finding = [self._in(session, there) for session, there in by_session.items()]
        # One alone is asked for at once, and not when a task for it has its turn.
        return await finding[0] if len(finding) == 1 else any(await asyncio.gather(*finding))

    def forget(self) -> None:
        """Forget what is known: the page has navigated."""
        self._documents.clear()
        self._known.clear()

    async def _in(self, session: CdpSession, frames: Sequence[Frame]) -> bool:
        told = False
        try:
            nodes = dict.fromkeys(await self._nodes(session, frames[0].world))
            for frame in frames:
                world = frame.world
                new = [node for node in nodes if (frame.id, world, node) not in self._known][:MOST_NEW]
                if new:
                    told = await frame.make_known(new) or told
                    self._known.update((frame.id, world, node) for node in new)
        except (BrowserError, FrameGone):
            self._documents.pop(session, None)  # the next look finds what is there then
        return told

    async def _nodes(self, session: CdpSession, world: int | None) -> Iterable[int]:
        """The elements that listen, by the browser's ids. Raises Playwright's error."""
        known = self._documents.get(session)
        if known is None or known[0] != world:
            # In the page's own world, since only listeners of the world that is asked in are told.
            answer = await ask(session, Evaluated, "Runtime.evaluate", {"expression": "document"})
            known = self._documents[session] = world, str(answer.result.object_id)
        asked: JsonObject = {"objectId": known[1], "depth": -1, "pierce": True}
        kind = tuple[EventListener, ...]
        listeners = await ask(session, kind, "DOMDebugger.getEventListeners", asked, of="listeners")
        return [one.backend_node_id for one in listeners if one.type in PRESSED and one.backend_node_id is not None]
