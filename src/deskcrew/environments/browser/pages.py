"""Pages as a whole: opens them, goes back and forward, finds a text in them, reads them completely."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, TypeVar

from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.browsing import HANGS, Browsing
from deskcrew.environments.browser.frames import Frame, FrameGone, FrameTree, Hung
from deskcrew.environments.browser.protocol import PageHistory, ask
from deskcrew.environments.browser.tab import Tab
from deskcrew.errors import ActionError

EMPTY = "about:blank"
OPEN_SECONDS = 20.0
"""Seconds that a server may take to answer."""
READ_SECONDS = 5.0
"""Seconds that each frame may take to return all of its text."""
SENT_SECONDS = 10.0
"""Seconds to wait for the response to what a page has just sent, before it is reloaded."""
UNREAD = "[Here is a frame that does not answer.]"
Answer = TypeVar("Answer")
BACK, FORWARD, NEW, CLOSE, NEXT = (
    frozenset(keys) for keys in (("alt", "left"), ("alt", "right"), ("ctrl", "t"), ("ctrl", "w"), ("ctrl", "tab"))
)
_TRIES = 3
_INTERRUPTED = "interrupted by another navigation"
RELOAD = (frozenset(("f5",)), frozenset(("ctrl", "r")), frozenset(("ctrl", "shift", "r")))


class Pages:
    """The pages of one browser."""

    def __init__(self, browsing: Browsing) -> None:
        self._browsing = browsing

    async def open(self, url: str, *, new: bool) -> None:
        """Go to an address. Raises ActionError if it does not load."""
        if new or not self._browsing.tabs:
            await self._browsing.new_page()
            self._browsing.acted = True
            await self._browsing.settle()
        tab = self._browsing.front
        self._browsing.downloads.expect(url)
        for left in range(_TRIES, 0, -1):
            try:
                await self._go(tab, tab.page.goto(url, wait_until="commit", timeout=0), f"{url} did not answer")
                return
            except ActionError as error:
                if is_there(str(error), url):
                    return
                if left == 1 or _INTERRUPTED not in str(error):  # the page that was there went on by itself at that moment
                    raise

    async def anew(self, tab: Tab) -> None:
        """Reload a page by GET, so that nothing is sent again. A dialog that asks whether to leave it is confirmed. Raises
        ActionError if it does not load."""
        await self._browsing.until(lambda: not self._browsing.sending.waits, SENT_SECONDS)
        await self._browsing.bring_forward(tab)
        url, self._browsing.sending.aside = tab.page.url, True
        if tab.posted and "#" in url:  # to the same address with a fragment a browser only scrolls
            await self._go(tab, tab.page.goto("about:blank"), "An empty page did not load")
        again = tab.page.goto(url, wait_until="commit", timeout=0) if tab.posted else _reloaded(tab)
        await self._go(tab, again, f"{url} did not answer")
        while tab.question is not None and tab.question.leaves:
            await tab.questions.pop(0).answer(True, Path)
            await self._browsing.settle()

    async def leave(self, go: Any, step: int) -> None:
        """Go back (-1) or forward (+1). The empty page that a window begins with does not count."""
        tab = self._browsing.front
        visited = await ask(tab.session, PageHistory, "Page.getNavigationHistory")
        at = visited.current_index + step
        if not 0 <= at < len(visited.entries) or visited.entries[at].url == EMPTY:
            raise ActionError(f"There is no {'earlier' if step < 0 else 'later'} page.")
        await self._go(tab, go(wait_until="commit", timeout=0), "That page did not answer")

    async def _go(self, tab: Tab, work: Awaitable[Answer], problem: str) -> Answer | None:
        if tab.question is not None:
            raise ActionError(f"The window {tab.question.title!r} is in front; answer it first.")
        if not tab.responding:
            await _interrupt(tab)
        tab.acted_on()
        going = self._browsing.errands.begin(work)
        began, self._browsing.acted = len(self._browsing.downloads.going), True
        if not await tab.through(going, OPEN_SECONDS) and tab.question is None:
            await tab.session.send("Page.stopLoading")
            why = "" if tab.responding else " The page in front does not answer and may keep it: open it in a new window."
            raise ActionError(f"{problem} within {OPEN_SECONDS:g} seconds.{why}")
        tab.responding = True
        if not going.done():
            return None
        try:
            return going.result()
        except BrowserError as error:
            await self._browsing.presence.ask()
            said = error.message.splitlines()[0].partition(": ")[2] or error.message
            if len(self._browsing.downloads.going) > began or "Download is starting" in said or "ERR_ABORTED" in said:
                return None  # it is no page, but a file
            raise ActionError(f"{problem}: {said.split(' at ')[0]}.") from None

    async def close(self, tab: Tab) -> None:
        """Close a page, which may ask for confirmation."""
        tab.closed_here = True
        await self._browsing.do(tab, tab.page.close(run_before_unload=False))

    async def press(self, keys: frozenset[str]) -> bool:
        """Do what these keys do in a browser. Returns whether they do anything there."""
        await self._browsing.settle()  # a page that is only just coming has no other before it yet
        tab = self._browsing.front
        page = tab.page
        if keys == BACK:
            await self.leave(page.go_back, -1)
        elif keys == FORWARD:
            await self.leave(page.go_forward, +1)
        elif keys in RELOAD:
            await self._browsing.do(tab, page.reload(wait_until="commit"))
        elif keys == NEW:
            await self._browsing.new_page()
            self._browsing.acted = True
        elif keys == CLOSE:
            await self.close(tab)
        elif keys == NEXT:
            await self._browsing.bring_forward(self._browsing.tabs[-1])
        else:
            return False
        return True


def is_there(said: str, url: str) -> bool:
    """Whether the page that interrupted the loading of ``url`` is ``url`` itself: an earlier attempt that had only seemed to
    fail."""
    _, _, instead = said.partition(f'{_INTERRUPTED} to "')
    return instead.rstrip('/".') == url.rstrip("/")


async def found_in(tree: FrameTree, text: str) -> str:
    """Bring a text of a page into view. Returns how often it occurs, and its line. Raises ActionError if it does not occur,
    or the page does not answer."""
    for frame in await _frames_of(tree):
        try:
            found = await frame.ask("find", text)
        except (FrameGone, Hung):
            if frame.parent is None:  # nothing is known then of what is on the page
                raise ActionError(HANGS) from None
            continue
        if found["times"]:
            times = f"{found['at']} of {found['times']}: " if found["times"] > 1 else ""
            return f"{times}{found['line']}"
    raise ActionError(f"{text!r} is not on this page.")


async def markdown_of(tree: FrameTree) -> str:
    """A whole page as Markdown, with the contents of its frames in their places. Raises ActionError if it does not
    answer."""
    frames = await _frames_of(tree)
    texts: dict[Frame, str] = {}
    for frame in frames:
        try:
            texts[frame] = await _text_of(frame)
            await frame.find_owner()
        except FrameGone:
            continue
    for frame in reversed(frames):
        if frame.parent is not None and frame in texts and frame.parent in texts:
            texts[frame.parent] = texts[frame.parent].replace(f"\0{frame.owner}\0", texts[frame])
    if frames[0] not in texts:  # it has just gone on to another
        raise ActionError(HANGS)
    return _without_marks(texts[frames[0]])


async def _text_of(frame: Frame) -> str:
    """The text of the page itself or of a frame in it; a frame that hangs must not hide the rest. Raises ActionError if the
    page hangs, or FrameGone."""
    try:
        return str(await frame.ask("markdown", seconds=READ_SECONDS))
    except Hung:
        if frame.parent is None:
            raise ActionError(HANGS) from None
        return UNREAD


async def _frames_of(tree: FrameTree) -> list[Frame]:
    """The frames of a page. Raises ActionError if the page does not answer, or goes away meanwhile."""
    try:
        frames, _ = await asyncio.wait_for(tree.find(), READ_SECONDS)
    except (TimeoutError, FrameGone):
        raise ActionError(HANGS) from None
    return frames


async def _reloaded(tab: Tab) -> None:
    await tab.page.reload(wait_until="commit", timeout=0)


async def _interrupt(tab: Tab) -> None:
    """Stop an endless script of a page, so that it can be left."""
    with contextlib.suppress(TimeoutError, BrowserError):
        await asyncio.wait_for(tab.session.send("Runtime.terminateExecution"), 1.0)


def _without_marks(text: str) -> str:
    """A text without the placeholders of frames that could not be read."""
    return "".join(part for at, part in enumerate(text.split("\0")) if at % 2 == 0)
