"""The line to a Chromium on a desktop, for blocking code: reads its pages in their places on the screen, and queries them.

A page reports places relative to its own corner, in its own pixels. The accessibility bus reports where that corner is on
the screen, whatever bars surround it; title, size and window together identify the browser's page.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.arriving import Arriving
from deskcrew.environments.browser.attached import Attached, AttachedPage, DisplayedPage
from deskcrew.environments.browser.line import BrowserLine
from deskcrew.environments.browser.looking import ControlPlace, PageLook, thing_of
from deskcrew.environments.browser.sending import COME_SECONDS
from deskcrew.environments.browser.thread import Errands, EventThread
from deskcrew.environments.linux.look.page import PagePart, PageReport, PageSeen
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Control, Sent

JOIN_SECONDS = 30.0
"""Seconds that a browser may take to start."""
PAGE_SECONDS = 3.0
"""Seconds within which a responsive browser has a page."""
ANSWER_SECONDS = 90.0
"""The maximum number of seconds for anything here; each part has a much smaller limit of its own."""
NEAR = 2
"""Pixels by which two reports of the same size may differ, plus one pixel of the page."""
Answer = TypeVar("Answer")


class BrowserLink:
    """The line to one browser. ``pid``: the browser's process id as its desktop sees it; 0 while it is starting."""

    def __init__(self, listener: socket.socket, place: Path, arriving: Arriving) -> None:
        """``listener``: bound to ``place``; accepts once."""
        self.pid = 0
        self.scales: dict[int, float] = {}
        """Screen pixels per pixel of a page, by its number."""
        self.coming = True
        self.arriving = arriving
        self._attached: Attached | None = None
        self._thread = EventThread("deskcrew-pages")
        self._thread.do(self._begin(listener, place), 5.0)

    async def _begin(self, listener: socket.socket, place: Path) -> None:
        self._errands = Errands()
        self._errands.begin(self._join(listener, place))

    async def _join(self, listener: socket.socket, place: Path) -> None:
        """Wait for the browser. A browser that hands over to one that is already running closes the line."""
        try:
            listener.setblocking(False)
            try:
                connection, _ = await asyncio.wait_for(asyncio.get_running_loop().sock_accept(listener), JOIN_SECONDS)
            finally:
                listener.close()
                os.unlink(place)
            line = await BrowserLine.over(connection)
            attached = Attached(line, self.arriving)
            try:
                pid = await asyncio.wait_for(attached.begin(), JOIN_SECONDS)
            except (BrowserError, TimeoutError):
                line.close()
                raise
            self._attached, self.pid = attached, pid
        finally:
            self.coming = False

    @property
    def alive(self) -> bool:
        """Whether a browser is at the other end, or starting."""
        return self.coming or (self._attached is not None and self._attached.line.alive)

    @property
    def attached(self) -> Attached:
        """The browser's pages. Raises ActionError if it has gone."""
        if self._attached is None or not self._attached.line.alive:
            raise ActionError("The browser has gone. Look again.")
        return self._attached

    def page(self, number: int) -> AttachedPage:
        """An open page. Raises ActionError if it has gone."""
        found = next((page for page in list(self.attached.pages.values()) if page.number == number), None)
        if found is None:
            raise ActionError("That page has gone. Look again.")
        return found

    def do(self, work: Coroutine[Any, Any, Answer], seconds: float = ANSWER_SECONDS) -> Answer:
        """The result of ``work`` on the line's own thread. Raises ActionError if the browser does not answer, or refuses."""
        try:
            return self._thread.do(work, seconds)
        except TimeoutError:
            raise ActionError("The browser did not answer. Wait, or open the page again.") from None
        except BrowserError as error:
            raise ActionError(f"The browser could not do that: {error.message.splitlines()[0]}") from error

    def close(self) -> None:
        """Close the line, which ends the browser. Safe to call twice."""
        attached, self._attached = self._attached, None
        if attached is not None:
            with contextlib.suppress(TimeoutError, RuntimeError):
                self._thread.do(_hang_up(attached.line), 2.0)
        self._thread.close()
        self.arriving.close()

    # -- looking

    def read(self, documents: Sequence[PageReport]) -> dict[str, PageSeen]:
        """The contents of these documents' pages by path, for pages that can be identified and answer."""
        if self._attached is None or not self._attached.line.alive:
            return {}
        try:
            return self._thread.do(self._read(self._attached, documents), ANSWER_SECONDS)
        except (TimeoutError, BrowserError):
            return {}

    async def _read(self, attached: Attached, documents: Sequence[PageReport]) -> dict[str, PageSeen]:
        pairs = paired(documents, await attached.shown())
        read = (shown.page.read((shown.width, shown.height), shown.scale) for _, shown in pairs)
        looks = await asyncio.gather(*read)
        self.scales |= {shown.page.number: shown.scale for _, shown in pairs}
        return {
            document.path: seen(document, shown, look)
            for (document, shown), look in zip(pairs, looks, strict=True)
            if look is not None
        }

    def sent(self) -> tuple[Sent, ...]:
        """What its pages have sent since the last call."""
        if self._attached is None:
            return ()

        async def take(attached: Attached) -> tuple[Sent, ...]:
            await attached.until(lambda: not attached.sending.reading, COME_SECONDS)
            return attached.sending.take()

        try:
            return self._thread.do(take(self._attached), ANSWER_SECONDS)
        except TimeoutError:
            return ()

    def told(self) -> list[str]:
        """Notes on the files that its pages have handed over since the last call."""

        if self._attached is None:
            return []

        async def take() -> list[str]:
            self.arriving.collect()
            return self.arriving.told()

        try:
            return self._thread.do(take(), ANSWER_SECONDS)
        except TimeoutError:
            return []

    def by_crew(self) -> None:
        """Note that what pages send from now on is the crew's doing."""
        if self._attached is not None:
            self._attached.sending.aside = False

    @property
    def shows(self) -> bool:
        """Whether any readable page is displayed."""
        try:
            return bool(self.do(self.attached.shown()))
        except ActionError:
            return False

    def settle(self, number: int | None = None) -> None:
        """Wait until an action has had its effect on a page, or with None on the newest one; bounded."""
        with contextlib.suppress(ActionError):
            self.do(self._settle(self.attached, number))

    async def _settle(self, attached: Attached, number: int | None) -> None:
        await attached.until(lambda: bool(attached.pages), PAGE_SECONDS)
        pages = [page for page in attached.pages.values() if number in (None, page.number)]
        if pages:
            await attached.settle(pages[-1])


def paired(documents: Sequence[PageReport], shown: Sequence[DisplayedPage]) -> list[tuple[PageReport, DisplayedPage]]:
    """Pairs each document with its page. Ambiguous documents are left out: better no page than the wrong one."""
    found: list[tuple[PageReport, DisplayedPage]] = []
    for document in documents:
        fitting = [one for one in shown if _fits(document, one)]
        named = [one for one in fitting if " ".join(one.title.split()) == " ".join(document.name.split())]
        able = named or fitting
        nearest = min((_apart(document, one) for one in able), default=0.0)
        able = [one for one in able if _apart(document, one) <= nearest]
        if len(able) == 1:
            found.append((document, able[0]))
    return found


def _fits(document: PageReport, shown: DisplayedPage) -> bool:
    sizes = (document.box.width, shown.width), (document.box.height, shown.height)
    return all(abs(pixels - own * shown.scale) <= NEAR + shown.scale for pixels, own in sizes)


def _apart(document: PageReport, shown: DisplayedPage) -> float:
    """The distance between a page's window, as the page reports it, and the document's window."""
    x, y = shown.left * document.factor, shown.top * document.factor
    return abs(x - document.window.x) + abs(y - document.window.y)


def seen(document: PageReport, shown: DisplayedPage, look: PageLook) -> PageSeen:
    """A page with everything in its place on the screen."""
    page, corner = shown.page, document.box
    _name_the_whole(page, look, corner)
    labels = page.labels.of([thing_of(place, control) for place, control in look.controls])
    parts: list[PagePart] = []
    focus = None
    for (place, control), label in zip(look.controls, labels, strict=True):
        identity = f"{page.number}.{label}"
        if shown.focused and place == look.focus:
            focus = identity
        parts.append(PagePart(identity, place, _placed(control, corner, shown.focused)))
    lines = [(words, _moved(box, corner)) for words, box in look.lines]
    notes = [*look.notes, *(["The page is still loading."] if page.loading else [])]
    return PageSeen(page.number, shown.url, page.title, corner, parts, lines, focus, notes, page.loads)


def _name_the_whole(page: AttachedPage, look: PageLook, corner: Box) -> None:
    """Add the page's own name to its report, to distinguish its contents from the bars around it."""
    if not look.controls or look.controls[0][1].role != "document":
        box = Box(x=0, y=0, width=corner.width, height=corner.height)
        whole = Control(label="", role="document", box=box, window=page.number, operations=("scroll",))
        look.controls.insert(0, (ControlPlace(page.number, page.frames.main, 0), whole))
    place, whole = look.controls[0]
    look.controls[0] = place, whole.model_copy(update={"name": page.title, "states": (), "operations": ("scroll",)})


def _placed(control: Control, corner: Box, focused: bool) -> Control:
    states = control.states
    if not focused:  # the keyboard is with the browser's own bars, or elsewhere
        states = tuple(state for state in states if state != "focused")
    return control.model_copy(update={"box": _moved(control.box, corner), "states": states})


def _moved(box: Box, corner: Box) -> Box:
    return Box(x=box.x + corner.x, y=box.y + corner.y, width=box.width, height=box.height)


async def _hang_up(line: BrowserLine) -> None:
    line.close()
