"""The pages of one browser and which one is in front: everything that runs on the browser's thread.

Pages are windows. A new one comes to the front, as in any browser; when it closes, the one before it is in front again.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from playwright.async_api import Browser, BrowserContext, Page
from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.downloads import Downloads
from deskcrew.environments.browser.frames import HUNG_TIMEOUT, FrameGone, Hung, browser_session, session_of
from deskcrew.environments.browser.holding import Holding
from deskcrew.environments.browser.looking import APP, ControlPlace, PageLook, PageObserving, read_page
from deskcrew.environments.browser.open_page import QUIET
from deskcrew.environments.browser.presence import RESUME, Presence
from deskcrew.environments.browser.protocol import FrameNavigated, TargetFacts, ask, hear
from deskcrew.environments.browser.sending import COME_SECONDS, Sending
from deskcrew.environments.browser.tab import Tab
from deskcrew.environments.browser.thread import Errands, Stirring
from deskcrew.environments.environment import MayGo
from deskcrew.environments.expecting import NOTHING
from deskcrew.environments.names import gone
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.observation import Control, Observation, Sent, page_of

MOST_TABS = 20
"""The maximum number of open windows. Further ones are closed at once: a page that opens windows does not stop by itself."""
LONGEST_DOWNLOAD_WAIT = 3.0
"""Seconds that an observation waits, once, for a file that is being downloaded."""
PICTURE_SECONDS, OPENING_SECONDS = 5.0, 3.0
ACT_SECONDS = 5.0
"""Seconds that a page may take to process a click or a key."""
HELD_SECONDS = 30.0
"""Seconds to wait for an operation's effect, to see what its page wants to send."""
_TRIES = 4
Answer = TypeVar("Answer")
Meant = list[str | None]
"""A control's expected identity: role, name, and if a person was shown it also owner, title and address."""
HANGS = "The page does not answer. Wait, or open it again."


class Browsing(Stirring):
    """The pages of one browser, handled on the browser's thread."""

    def __init__(
        self,
        browser: Browser | None,
        context: BrowserContext,
        *,
        size: tuple[int, int],
        scale: float,
        folder: Path,
        partial: Path | None,
        only: Page | None = None,
        first: Page | None = None,
        home: str = "",
        hint: str = RESUME,
    ) -> None:
        """``size``: the size of pages in CSS pixels; ``folder``: the workspace; ``partial``: see :class:`Downloads`.
        ``only``: the only page that may be used, with the pages that it opens; None: all pages. ``first``: the page that
        begins in front. ``home``: the browser's id of the context to open pages in, if Playwright would open them in
        another. ``hint``: what to do when the browser has ended."""
        super().__init__()
        self.browser = browser
        self.presence = Presence(browser, hint)
        self.context = context
        self.size = size
        self.scale = scale
        self.folder = folder
        self._only = only
        self._begins = first
        self._home = home
        self._making = 0
        self.tabs: list[Tab] = []
        """The open pages, the one in front first."""
        self.downloads = Downloads(folder, partial, self.stir)
        self.sending = Sending()
        self.holding: Holding | None = None
        self.errands = Errands()
        self.acted = False
        self.quiet = QUIET
        self.expected = NOTHING
        self.asked: object = None
        """The dialog that was open at the last observation."""
        self._observing = PageObserving(size, scale)
        self._last = PageLook()
        self._notes: list[str] = []
        self._numbers = 0
        self._opening: set[asyncio.Future[None]] = set()
        self._ours: set[Page] = set()
        """Pages for internal use, which no observation shows."""
        self._waited: set[object] = set()

    async def begin(self) -> None:
        """Find the existing pages, or open the first. Raises EnvironmentFailure if none opens."""
        self.context.on("page", self._came)
        pages = [self._only] if self._only is not None else self.context.pages
        for page in sorted(pages, key=lambda page: page is self._begins):  # the last one comes to the front
            await self._add(page)
        if not self.tabs:
            await self.new_page()
            await self._opened()
        if not self.tabs:
            raise EnvironmentFailure("The browser opened no page.")

    async def hold(self) -> None:
        """Hold back what pages want to send. Only for a browser that nobody else uses."""
        assert self.browser is not None
        self.holding = await Holding.begin(self.browser, self.sending, self.stir)
        await self.context.route_web_socket("**/*", self.holding.opened)

    async def let_go(self) -> None:
        """Leave the pages to their owner, as they are."""
        self.context.remove_listener("page", self._came)
        for tab in self.tabs:
            with contextlib.suppress(BrowserError):
                await tab.let_go()
        for page in self._ours:
            await page.close()

    async def new_page(self) -> None:
        """Open an empty page."""
        self._making += 1
        try:
            await (self._page_at_home() if self._home else self.context.new_page())
        finally:
            self._making -= 1

    async def _page_at_home(self) -> None:
        """Open a page in the context ``home``. To a client that connects, Playwright shows the pages of all contexts as if
        they were in the first, and opens pages there: with other cookies, and invisible to the owner of ``home``."""
        assert self.browser is not None
        session = await browser_session(self.browser)
        async with self.context.expect_page(timeout=OPENING_SECONDS * 1000):
            await session.send("Target.createTarget", {"url": "about:blank", "browserContextId": self._home})
        await session.detach()

    # -- what happens

    def _came(self, page: Page) -> None:
        if page in self._ours:
            return
        task = self.errands.begin(self._add_if_ours(page, asked=self._making > 0))
        self._opening.add(task)
        task.add_done_callback(self._there)

    def _there(self, task: asyncio.Future[None]) -> None:
        self._opening.discard(task)
        self.stir()

    async def _add_if_ours(self, page: Page, *, asked: bool) -> None:
        """Add a page, unless somebody else opened it beside the only page that is lent to us."""
        if self._only is not None and not asked:
            opener = await page.opener()
            if all(tab.page is not opener for tab in self.tabs):
                return
        await self._add(page)

    async def _add(self, page: Page) -> None:
        try:
            session = await session_of(page)
            await session.send("Page.enable")
            title = (await ask(session, TargetFacts, "Target.getTargetInfo", of="targetInfo")).title
            if len(self.tabs) >= MOST_TABS:  # only now, as several come at once
                self._notes = [f"More than {MOST_TABS} windows were opened; the rest was closed."]
                await page.close()
                return
        except BrowserError:
            return  # it has gone again
        self._numbers += 1
        tab = Tab(self._numbers, page, session, self.stir, self.sending, shared=bool(self._home))
        tab.title = title
        if self.holding is not None:
            hear(session, "Page.frameNavigated", FrameNavigated, self.holding.arrived)
        tab.hear("close", lambda _: self._went(tab))
        tab.hear("crash", lambda _: self._crashed(tab))
        tab.hear("download", lambda download: self.downloads.begin(download, tab.asked_for(download.url)))
        tab.hear("domcontentloaded", lambda _: self.downloads.arrived(page.url))
        for opener in self.tabs:
            opener.opens = 0
        if not page.is_closed():
            self.tabs.insert(0, tab)
            self.presence.has_pages()
        self.stir()

    def _went(self, tab: Tab) -> None:
        if tab in self.tabs:
            self.tabs.remove(tab)
            self._notes += [tab.note] if tab.note else []  # why it went, perhaps
            if not self.tabs and self._lent and not tab.closed_here:
                self.presence.lost_pages()
        self.stir()

    def _crashed(self, tab: Tab) -> None:
        tab.responding = False
        tab.note = "The page has crashed: open it again."
        self.stir()

    async def _opened(self) -> None:
        """Wait until windows that are opening are open; bounded."""
        await self.until(lambda: not self._opening and not any(tab.opens for tab in self.tabs), OPENING_SECONDS)
        for tab in self.tabs:
            tab.opens = 0

    # -- looking

    @property
    def front(self) -> Tab:
        """The page in front. Raises ActionError if none is open, EnvironmentFailure if the browser has ended."""
        self.presence.check()
        if not self.tabs:
            raise ActionError("No page is open; open one first.")
        return self.tabs[0]

    @property
    def _lent(self) -> bool:
        """Whether the pages were lent by somebody else."""
        return self._only is not None or bool(self._home)

    async def settle(self) -> None:
        """Wait until an action has had its effect; bounded."""
        if not self.acted:
            return
        self.acted = False
        for _ in range(_TRIES):
            await self._opened()
            if not self.tabs:
                return
            front = self.tabs[0]
            await front.settle(self.quiet)
            if not self._opening and not front.opens and self.tabs and self.tabs[0] is front:
                break
        self.quiet = QUIET
        await self._landed()

    async def _landed(self) -> None:
        """Wait for files that are being downloaded, once for each."""
        await self.until(lambda: self.downloads.going.keys() <= self._waited, LONGEST_DOWNLOAD_WAIT)
        self._waited.update(self.downloads.going)

    async def observe(self, *, screenshot: bool) -> Observation:
        """Observe. Raises EnvironmentFailure if the browser has ended."""
        self.presence.check()
        await self.settle()
        seen = await self.look()
        if not screenshot:
            return seen
        return seen.model_copy(update={"screenshot": await self.picture()})

    async def look(self) -> Observation:
        """Observe without waiting for anything but the page's own answer."""
        self.presence.check()
        notes = [*self._notes, *self.downloads.told()]
        self._notes = []
        if self.holding is not None:
            notes += self.holding.notes
            self.holding.notes = []
        if not self.tabs:
            await self.presence.ask()
            self._last = PageLook()
            return self._observing.observation((), self._last, notes)
        front = self.tabs[0]
        notes += [front.note] if front.note else []
        front.note = ""
        if front.question is None:
            await self._read(front, notes)
        notes += ["The page is still loading."] if front.loading else []
        self.asked = front.question
        return self._observing.observation(self.tabs, self._last, notes)

    async def sent(self) -> tuple[Sent, ...]:
        """What pages have sent since the last call."""
        await self.until(lambda: not self.sending.reading, COME_SECONDS)
        return self.sending.take()

    async def judge_sends(self, may_go: MayGo) -> None:
        """Begin an operation: ``may_go`` decides what pages may send from now on."""
        if self.holding is not None:
            self.holding.judge_by(may_go)

    async def held(self) -> tuple[Sent, ...]:
        """What is held back for a decision, as soon as there is any; () once the last action has had its effect."""
        if self.holding is None:
            return ()
        holding, acted = self.holding, self.acted
        settling = self.errands.begin(self.settle())
        settling.add_done_callback(lambda _: self.stir())
        await self.until(lambda: bool(holding.waiting) or settling.done(), HELD_SECONDS)
        if not settling.done():
            settling.cancel()
            self.acted = acted
        return tuple(one.sent for one in holding.waiting)

    async def settle_sends(self, *, go: bool) -> bool:
        """Send what is held back, or discard it. See :class:`~deskcrew.environments.environment.Holds`."""
        return self.holding is None or await self.holding.settle(go=go)

    async def end_judging(self) -> None:
        """End the operation: nothing is held back for a decision any more."""
        if self.holding is not None:
            self.holding.over()

    async def _read(self, tab: Tab, notes: list[str]) -> None:
        for _ in range(_TRIES):
            try:
                self._last = await read_page(tab, self.size, self.scale)
                tab.responding = True
                return
            except FrameGone:
                await self.presence.ask()
                tab.forget()
                if tab.page.is_closed():
                    break
                await tab.settle()
            except Hung:
                if tab.question is not None:
                    return  # it asks something, and waits: what was seen of it before still holds
                tab.responding = False
                if not tab.loading:  # a browser tells nothing of a page that is about to be left
                    notes.append("The page does not answer: something in it does not come to an end.")
                break
        self._last = PageLook()

    async def picture(self) -> bytes | None:
        """PNG of the page in front, None if it cannot be drawn."""
        if not self.tabs:
            return None
        tab = self.tabs[0]
        seconds = PICTURE_SECONDS if tab.responding and tab.question is None else HUNG_TIMEOUT
        asked = ask(tab.session, str, "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}, of="data")
        try:
            return base64.b64decode(await asyncio.wait_for(asked, seconds))
        except (TimeoutError, BrowserError):
            return None

    async def wait(self, seconds: float) -> None:
        """Wait until something changes and settles, at most ``seconds``."""
        tab = self.front
        tab.responding = True
        self._waited.clear()
        if self.downloads.going:
            await self.until(lambda: not self.downloads.going, seconds)
        else:
            await tab.change(seconds)

    # -- acting

    async def do(self, tab: Tab, work: Awaitable[Answer]) -> Answer | None:
        """Await an operation of the page. None if it opens a dialog first, navigates away, or hangs."""
        if tab.question is None:
            tab.acted_on()
        task = self.errands.begin(work)
        self.acted = True
        if not await tab.through(task, ACT_SECONDS):
            tab.responding = tab.responding and tab.question is not None
            return None
        try:
            return task.result()
        except BrowserError:
            await self.presence.ask()
            return None

    # -- finding

    def place(self, control: Control) -> ControlPlace:
        """Where a control of the last observation is. Raises ActionError if it has gone."""
        known = self._observing.places.get(control.label)
        if known is None or (known[1].role, known[1].window) != (control.role, control.window):
            raise gone(control)
        return known[0]

    async def meant(self, control: Control) -> Meant:
        """The identity that an element must have before anything is done to it. Raises ActionError if the last observation
        already shows something else, or the page is not the one that a person was shown."""
        place, seen = self._observing.places[control.label]
        expected = self.expected
        expected.check_control(control, seen.role, seen.name, seen.owner)
        meant: Meant = [seen.role, seen.name]
        if expected.approved is None or place.frame is None:
            return meant
        tab = self.tab(place.page)
        expected.check_window(tab.title, APP, page_of(tab.page.url))
        aimed = expected.control is not None and expected.control.label == control.label
        meant.append(seen.owner if aimed else None)
        if place.frame.parent is None:
            return [*meant, tab.title, page_of(tab.page.url)]
        try:
            now = await (await tab.main()).ask("where")
        except (FrameGone, Hung):
            raise gone(control) from None
        expected.check_window(str(now["title"]).strip() or tab.title, APP, page_of(str(now["url"])))
        return meant

    def tab(self, number: int) -> Tab:
        """An open window by its id. Raises ActionError if it has gone."""
        found = next((tab for tab in self.tabs if tab.number == number), None)
        if found is None:
            raise ActionError(f"Window {number} has gone. Look again.")
        return found

    async def bring_forward(self, tab: Tab) -> None:
        """Put a page in front. Raises ActionError if it has gone, EnvironmentFailure if the browser has ended."""
        self.presence.check()
        if tab not in self.tabs:
            raise ActionError(f"Window {tab.number} has gone. Look again.")
        if self.tabs[0] is not tab:
            self.tabs.remove(tab)
            self.tabs.insert(0, tab)
            await tab.page.bring_to_front()

    # -- pages of ours

    async def own_page(self) -> Page:
        """A page that no observation shows, for internal use."""
        for page in self._ours:
            return page
        self.context.remove_listener("page", self._came)
        try:
            page = await self.context.new_page()
        finally:
            self.context.on("page", self._came)
        self._ours.add(page)
        return page


async def find_target(browser: Browser, target: str) -> tuple[Page, str]:
    """The page with this id, and the id of its context. Raises EnvironmentFailure if there is none."""
    for context in browser.contexts:
        for page in context.pages:
            session = await session_of(page)
            info = await ask(session, TargetFacts, "Target.getTargetInfo", of="targetInfo")
            await session.detach()
            if info.target_id == target:
                return page, info.browser_context_id
    raise EnvironmentFailure("The page is no longer open in that browser.", hint="Name a page that is open.")
