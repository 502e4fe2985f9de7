"""Finds, tells apart and reads the pages of a browser that a person, or a crew with mouse and keyboard, works in.

They are not changed: their dialogs stay on the screen to be answered there, files go where the browser puts them, and the
browser decides which page is in front.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple

from playwright.async_api import Error as BrowserError
from pydantic import JsonValue

from deskcrew.environments.browser.arriving import Arriving
from deskcrew.environments.browser.browsing import LONGEST_DOWNLOAD_WAIT
from deskcrew.environments.browser.downloads import LARGEST, HandedOver
from deskcrew.environments.browser.frames import Frame, FrameGone, FrameTree, Hung
from deskcrew.environments.browser.labels import PageLabels
from deskcrew.environments.browser.line import BrowserLine, LineSession
from deskcrew.environments.browser.looking import PageLook, read_page
from deskcrew.environments.browser.open_page import AWAITED, OpenPage
from deskcrew.environments.browser.protocol import (
    BrowserProcess,
    DownloadBegins,
    DownloadProgress,
    FrameEvent,
    FrameNavigated,
    PageResponse,
    RequestEvent,
    RequestPaused,
    RequestSent,
    ResponseBody,
    ResponseReceived,
    TargetAttached,
    TargetDetached,
    ask,
    hear,
)
from deskcrew.environments.browser.sending import Sending, answer_of, kind_of, only_queries
from deskcrew.environments.browser.thread import Stirring
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import ASKING

READ = ("http:", "https:", "file:", "data:", "blob:", "about:")
"""URL schemes of pages that are read. The browser's own pages (settings) are not."""
_TRIES = 3
_LOOK_SECONDS = 0.1
"""Seconds between two checks of a folder for files whose progress is no longer reported."""


class DisplayedPage(NamedTuple):
    """Where a page is displayed, according to itself. ``scale``: screen pixels per page pixel; sizes are in page pixels,
    ``left`` and ``top`` (the position of its window) in the browser's pixels."""

    page: AttachedPage
    title: str
    url: str
    width: int
    height: int
    scale: float
    left: int
    top: int
    focused: bool


class AttachedFrames(FrameTree):
    """The frames of a page on a line. The browser reports frames that come or go."""

    def __init__(self, session: LineSession) -> None:
        super().__init__(session)
        self.sessions: dict[str, LineSession] = {}
        """Sessions of frames in processes of their own, by the browser's ids of the frames."""
        self.inner: set[str] = set()
        """The ids of all frames except the page's own."""

    async def find(self) -> tuple[list[Frame], int]:
        """Like :meth:`FrameTree.find`; also records frames that existed before the browser reported any."""
        found, lost = await super().find()
        self.inner.update(frame.id for frame in found if frame.parent is not None)
        return found, lost

    async def _alone(self) -> bool:
        return not self.inner and not self.sessions

    async def _elsewhere(self) -> AsyncIterator[LineSession]:
        for session in list(self.sessions.values()):
            yield session


class AttachedPage(OpenPage):
    """One page. ``number``: our number of it; ``id``: the browser's id."""

    def __init__(
        self, number: int, id: str, session: LineSession, stirred: Callable[[], None], sending: Sending, files: HandedOver
    ) -> None:
        self.reported = AttachedFrames(session)
        super().__init__(number, session, self.reported, sending, stirred)
        self.id = id
        self.labels = PageLabels()
        self.asks = False
        """Whether a dialog of the browser is in front of the page and waits for an answer, and the page with it."""
        self.closed = False
        self.guarded = False
        """Whether the page can send nothing that changes anything."""
        self._method = "GET"
        self.led: dict[str, str] = {}
        """The addresses at which pages and files were requested, by the addresses that servers redirected to."""
        self._keys: dict[str, tuple[object, str]] = {}
        """The keys of requests under way in :class:`Sending`, and the content types of their responses, by id."""
        self._files = files
        self._main = id
        """The browser's id of the page's own frame."""
        self._coming: object | None = None
        session.on("Page.javascriptDialogOpening", lambda _: self._ask(True))
        session.on("Page.javascriptDialogClosed", lambda _: self._ask(False))
        hear(session, "Page.frameStartedLoading", FrameEvent, self._started)
        hear(session, "Page.frameStoppedLoading", FrameEvent, self._stopped)
        hear(session, "Page.frameNavigated", FrameNavigated, self._navigated)
        hear(session, "Network.requestWillBeSent", RequestSent, self._requested)
        hear(session, "Network.responseReceived", ResponseReceived, lambda event: self._answered(event, event.response))
        hear(session, "Network.loadingFinished", RequestEvent, self._finished)
        hear(session, "Network.loadingFailed", RequestEvent, self._failed)
        hear(session, "Fetch.requestPaused", RequestPaused, self._paused)
        self.follow(session)

    def follow(self, session: LineSession) -> None:
        """Get notified of the frames that a session reaches."""
        hear(session, "Page.frameAttached", FrameEvent, lambda event: self.reported.inner.add(event.frame_id))
        hear(session, "Page.frameDetached", FrameEvent, self._detached)

    @property
    def dialogs_open(self) -> int:
        return int(self.asks)

    @property
    def coming(self) -> object | None:
        return self._coming

    @property
    def over(self) -> bool:
        return self.closed

    def close(self) -> None:
        """Mark the page as closed, and wake whoever waits for it."""
        self.closed = True
        self.stir()

    # -- what happens

    def _ask(self, asks: bool) -> None:
        self.asks = asks
        self.stir()

    def _started(self, event: FrameEvent) -> None:
        if event.frame_id == self._main:
            self._coming = object()

    def _stopped(self, event: FrameEvent) -> None:
        if event.frame_id == self._main:
            self._coming = None
            self.stir()

    def _navigated(self, event: FrameNavigated) -> None:
        if event.frame.parent_id is None:
            self._main = event.frame.id
            self.posted, self._method = self._method != "GET", "GET"
            self.loads += not self.posted
            self.reported.inner.clear()
            self._pending.clear()
            self.responding = True
            self._files.arrived(event.frame.url)
            self.forget()
        self.stir()

    def _detached(self, event: FrameEvent) -> None:
        if event.reason != "swap":
            self.reported.inner.discard(event.frame_id)

    def _requested(self, event: RequestSent) -> None:
        request, opens = event.request, event.type == "Document"
        if (response := event.redirect_response) is not None:
            self._answered(event, response)
            if opens:
                self.led = {request.url: self.led.get(response.url, response.url)}
        body = request.post_data.encode() if request.post_data is not None else None
        # One that is sent on elsewhere keeps its id, and is another request.
        key = (event.request_id, request.url)
        if opens and event.frame_id == self._main:
            self._method = request.method
        awaited = event.type.lower() in AWAITED
        self._sending.requested(
            key, request.method, request.url, kind_of(request.headers), body, page=opens,
            window=self.number, loads=self.loads, reads=awaited,
        )  # fmt: skip
        if awaited:
            before, _ = self._keys.get(event.request_id, (None, ""))
            self._pending.discard(before)
            self._keys[event.request_id] = key, ""
            self._pending.add(key)
            self.stir()

    def _answered(self, event: RequestEvent, response: PageResponse) -> None:
        self._sending.answered((event.request_id, response.url), response.status)
        if (id := event.request_id) in self._keys:
            self._keys[id] = self._keys[id][0], kind_of(response.headers)

    def _finished(self, event: RequestEvent) -> None:
        key, kind = self._keys.pop(event.request_id, (None, ""))

        async def body() -> str:
            answer = await ask(self.session, ResponseBody, "Network.getResponseBody", {"requestId": event.request_id})
            return answer_of(base64.b64decode(answer.body) if answer.base64_encoded else answer.body.encode(), kind)

        if key is not None:
            self._ends(key, body)

    def _failed(self, event: RequestEvent) -> None:
        key, _ = self._keys.pop(event.request_id, (None, ""))
        if key is not None:
            self._ended(key)

    def _paused(self, event: RequestPaused) -> None:
        """Let a request through, unless the page is guarded and the request is more than a query."""
        request = event.request
        if not self.guarded or request.method in ASKING or only_queries((request.post_data or "").encode()):
            told = self._told("Fetch.continueRequest", {"requestId": event.request_id})
        else:
            told = self._told("Fetch.failRequest", {"requestId": event.request_id, "errorReason": "BlockedByClient"})
        self._errands.begin(told)

    async def _told(self, method: str, params: JsonObject) -> None:
        with contextlib.suppress(BrowserError):  # it has gone meanwhile
            await self.session.send(method, params)

    async def guard(self, guarded: bool) -> None:
        """Stop the page from sending anything that changes anything, or let it send everything again."""
        self.guarded = guarded
        every: JsonObject = {"patterns": [{"urlPattern": "*"}]}
        await self.session.send("Fetch.enable", every) if guarded else await self.session.send("Fetch.disable")

    # -- looking

    async def shown(self) -> DisplayedPage | None:
        """Where the page is displayed; None if it is not, or does not answer."""
        if self.asks:
            return None
        try:
            said = await (await self.main()).ask("where", seconds=self.patience)
        except FrameGone:
            self.forget()
            return None
        except Hung:
            self.responding = False
            return None
        self.responding = True
        if not said["shown"] or not str(said["url"]).startswith(READ):
            return None
        return DisplayedPage(
            self,
            str(said["title"]),
            str(said["url"]),
            int(said["width"]),
            int(said["height"]),
            float(said["scale"]),
            int(said["left"]),
            int(said["top"]),
            bool(said["focused"]),
        )

    async def read(self, size: tuple[int, int], scale: float) -> PageLook | None:
        """The page's contents; None if it does not answer, or is gone."""
        for _ in range(_TRIES):
            try:
                return await read_page(self, size, scale)
            except FrameGone:
                self.forget()
            except Hung:
                self.responding = self.asks
                return None
        return None


class Attached(Stirring):
    """All pages of one browser. To be used on the line's event loop."""

    def __init__(self, line: BrowserLine, arriving: Arriving) -> None:
        super().__init__()
        self.line = line
        line.on_end(self._end)
        self.arriving = arriving
        self.sending = Sending()
        self.pages: dict[str, AttachedPage] = {}
        """Pages by the ids of their sessions, the newest last."""
        self._numbers = 0
        self._tasks: set[asyncio.Future[Any]] = set()
        self.browser = line.session()

    async def begin(self) -> int:
        """Find the existing pages, and get notified of new ones. Returns the browser's process id as the browser sees it.
        Raises Playwright's error."""
        hear(self.browser, "Target.attachedToTarget", TargetAttached, self._came)
        hear(self.browser, "Target.detachedFromTarget", TargetDetached, self._went)
        processes = await ask(self.browser, tuple[BrowserProcess, ...], "SystemInfo.getProcessInfo", of="processInfo")
        await self.browser.send("Target.setAutoAttach", _attaching(waits=True))
        return next(one.id for one in processes if one.type == "browser")

    @property
    def over(self) -> bool:
        return not self.line.alive

    def _end(self) -> None:
        for page in self.pages.values():
            page.close()
        self.stir()

    def _came(self, event: TargetAttached) -> None:
        info, id = event.target_info, event.session_id
        if info.type != "page":
            self._begin(self.line.session(id))
            return
        self._numbers += 1
        session = self.line.session(id)
        page = AttachedPage(self._numbers, info.target_id, session, self.stir, self.sending, self.arriving)
        self.pages[id] = page
        # Asking the browser itself to tell of files would have it save pages without a word, where it would ask for a name.
        self._follow_files(page, session)
        self._follow_frames(page, session)
        self._begin(session, "Page.enable", "Network.enable")

    def _follow_frames(self, page: AttachedPage, session: LineSession) -> None:
        hear(session, "Target.attachedToTarget", TargetAttached, lambda event: self._frame_came(page, event))
        hear(session, "Target.detachedFromTarget", TargetDetached, lambda event: self._frame_went(page, event))

    def _frame_came(self, page: AttachedPage, event: TargetAttached) -> None:
        info = event.target_info
        if info.type != "iframe":
            return
        session = page.reported.sessions[info.target_id] = self.line.session(event.session_id)
        self._follow_frames(page, session)
        page.follow(session)
        self._follow_files(page, session)
        self._begin(session, "Page.enable")

    def _frame_went(self, page: AttachedPage, event: TargetDetached) -> None:
        for id in [id for id, session in page.reported.sessions.items() if session.id == event.session_id]:
            del page.reported.sessions[id]
        self.arriving.lose(event.session_id)
        self.line.forget(event.session_id)

    def _begin(self, session: LineSession, *domains: str) -> None:
        # A page waits until it is let go, so that one that only hands over a file is not gone before anything is told of it.
        task = asyncio.gather(
            *(session.send(method) for method in domains),
            session.send("Target.setAutoAttach", _attaching()),
            session.send("Runtime.runIfWaitingForDebugger"),
        )
        self._tasks.add(task)
        task.add_done_callback(self._begun)

    def _begun(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # it has gone again
        self.stir()

    def _went(self, event: TargetDetached) -> None:
        if (page := self.pages.pop(event.session_id, None)) is not None:
            page.close()
        self.arriving.lose(event.session_id)
        self.line.forget(event.session_id)
        self.stir()

    def _follow_files(self, page: AttachedPage, session: LineSession) -> None:
        """Get notified of the downloads in a session."""

        def begins(event: DownloadBegins) -> None:
            addresses = event.url, page.led.get(event.url, event.url)
            self.arriving.begins(event.guid, event.suggested_filename, session.id, *addresses)
            self.stir()

        def goes_on(event: DownloadProgress) -> None:
            if event.state != "inProgress":
                self.arriving.ends(event.guid, failed=event.state != "completed")
            elif event.received_bytes > LARGEST:
                self._abort(event.guid)
            self.stir()

        hear(session, "Page.downloadWillBegin", DownloadBegins, begins)
        hear(session, "Page.downloadProgress", DownloadProgress, goes_on)

    def _abort(self, guid: str) -> None:
        task = asyncio.ensure_future(self.browser.send("Browser.cancelDownload", {"guid": guid}))
        self._tasks.add(task)
        task.add_done_callback(self._begun)

    async def shown(self) -> list[DisplayedPage]:
        """The pages that are displayed."""
        await asyncio.gather(*self._tasks, return_exceptions=True)
        found = await asyncio.gather(*(page.shown() for page in list(self.pages.values())))
        return [one for one in found if one is not None]

    async def settle(self, page: AttachedPage) -> None:
        """Wait until an action has had its effect on a page: it has loaded, its requests have been answered, and nothing has
        changed for a moment; bounded."""
        shown = [one.page for one in await self.shown()]
        if shown and page not in shown and not page.asks:  # another one has come in front of it
            page = max(shown, key=lambda one: one.number)
        await page.settle()
        await self.collect(LONGEST_DOWNLOAD_WAIT)

    async def collect(self, seconds: float) -> None:
        """Wait, at most ``seconds`` and once for each, for the files that were asked for."""
        deadline = time.monotonic() + seconds
        self.arriving.collect()
        while (fresh := [one for one in self.arriving.going.values() if not one.waited]) and time.monotonic() < deadline:
            await self.until(lambda: any(one.done for one in fresh), _LOOK_SECONDS)
            self.arriving.collect()
        for one in fresh:
            one.waited = True


def _attaching(*, waits: bool = False) -> JsonObject:
    only: list[JsonValue] = [{"type": "page"}, {"type": "iframe"}]
    return {"autoAttach": True, "waitForDebuggerOnStart": waits, "flatten": True, "filter": only}
