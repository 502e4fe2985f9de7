"""Holds back what pages want to send until it is known whether it may be sent.

The browser itself stops each request, of whatever page, frame, window or worker, before any of it leaves. Requests that only
read data continue at once, unless a rule says otherwise. So a request is sent once, or never.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from playwright.async_api import Browser, WebSocketRoute
from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.frames import browser_session
from deskcrew.environments.browser.protocol import CdpSession, FrameNavigated, RequestPaused, hear
from deskcrew.environments.browser.sending import Bodies, Sending, kind_of
from deskcrew.environments.browser.thread import Errands
from deskcrew.environments.describe import wish
from deskcrew.environments.environment import Fate, MayGo
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.observation import ASKING, LINE, Sent

LONGEST_HELD = 120.0
"""The maximum seconds that a page waits for the decision; then its request fails."""
SINCE = 10.0
"""Seconds after an operation in which what a page sends counts as the operation's effect, not as the page's own doing."""
MOST_LED_ON = 64
SWITCHED = 101
"""The status of the only response to a WebSocket."""
_TOLD = frozenset({"Document", "XHR", "Fetch"})
"""Kinds of GET requests whose response the page depends on; not pictures, scripts and the like."""
_EVENTS = "text/event-stream"


@dataclass(slots=True)
class _Held:
    id: str
    sent: Sent
    kind: str
    body: bytes
    go: Callable[[], None] | None = None
    """For a message over a WebSocket: sends it."""

    @property
    def place(self) -> tuple[str, str]:
        return self.sent.method, self.sent.url


class Holding:
    """Holds back what the pages of one browser want to send."""

    def __init__(self, session: CdpSession, sending: Sending, stir: Callable[[], None]) -> None:
        self._session = session
        self._sending = sending
        self._stir = stir
        self._errands = Errands()
        self._bodies = Bodies()
        self._judge: MayGo | None = None
        self._asking = self._went = False
        self._told: set[tuple[str, str]] = set()
        self._windows: set[str] = set()
        """The main frames of windows that have shown a page."""
        self._until = 0.0
        self._gone: dict[str, tuple[str, str]] = {}
        """Host and path of requests that were sent: one that a server redirects to the same page is nothing new."""
        self.waiting: list[_Held] = []
        self.notes: list[str] = []

    @classmethod
    async def begin(cls, browser: Browser, sending: Sending, stir: Callable[[], None]) -> Self:
        """Begin, before the first page is opened, so that all pages are reached."""
        session = await browser_session(browser)
        holding = cls(session, sending, stir)
        hear(session, "Fetch.requestPaused", RequestPaused, holding._paused)
        await session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return holding

    def judge_by(self, may_go: MayGo | None) -> None:
        """Begin an operation: ``may_go`` judges what pages send until the next operation. None: everything may go."""
        self._judge, self._asking, self._until = may_go, may_go is not None, float("inf")
        self._went = False

    def over(self) -> None:
        """End the operation: from now on nobody is asked about what a page sends because of it."""
        self._asking, self._until = False, time.monotonic() + SINCE
        self._judge = self._judge.afterwards() if self._judge is not None else None
        waiting, self.waiting = self.waiting, []
        for one in waiting:
            self._withhold(one)

    def arrived(self, event: FrameNavigated) -> None:
        """A window shows another page: what that page sends by itself is not the effect of the operation that led to it."""
        if event.frame.parent_id is not None:
            return
        self._windows.add(event.frame.id)
        if self._judge is not None:
            self._judge = self._judge.of_new_page()

    async def settle(self, *, go: bool) -> bool:
        """Send everything that waits, or discard it. False if a page has given up something that was to be sent."""
        waiting, self.waiting = self.waiting, []
        self._went |= go and any(one.sent.method not in ASKING for one in waiting)
        done: list[bool] = []
        for one in waiting:
            if go:
                self._sending.held[one.place] -= 1
            done.append(await (self._let_go(one) if go else self._refuse(one)))
        return all(done)

    # -- what happens

    @property
    def _judging(self) -> MayGo | None:
        """The rule that decides now; None while the engine only looks, or what pages send is their own doing."""
        return self._judge if time.monotonic() < self._until and not self._sending.aside else None

    def _fate(self, sent: Sent, *, beacon: bool = False) -> Fate:
        if self._sending.aside:
            # The engine only looks: a page that it leaves or opens for that sends nothing on its account.
            known = self._judge is not None and self._judge.only_asks(sent)
            whole = sent.method == "PUT" and sent.changed  # a state that is put again as such a page is opened
            return Fate.GO if known or whole or not sent.saves else Fate.NEVER
        if (judge := self._judging) is None:
            return Fate.GO
        fate = judge(sent, beacon=beacon, further=self._went)
        # Nobody waits for what comes later.
        return Fate.NEVER if fate is Fate.WAIT and not self._asking else fate

    def opened(self, page: WebSocketRoute) -> None:
        """A page opens a WebSocket. Text messages that it sends there are held like posted data."""
        server = page.connect_to_server()

        def said(text: str | bytes) -> None:
            if isinstance(text, bytes):
                server.send(text)
                return
            bare = text.lstrip("0123456789")  # of the kind of message, as some libraries put it before
            body = (bare if bare[:1] in ("{", "[") else text).encode()
            sent = self._bodies.told(LINE, page.url, "", body, keep=False)
            held = _Held("", sent, "", body, lambda: server.send(text))
            if (fate := self._fate(sent)) is Fate.GO:
                server.send(text)
            else:
                self._hold(held, fate)

        page.on_message(said)

    def _paused(self, event: RequestPaused) -> None:
        request = event.request
        method, url = request.method.upper(), request.url + request.url_fragment
        judged, asks = self._judging is not None, method in ASKING
        # Where a server leads on to, it has done already what it does.
        plain = asks and (not judged or event.redirected_request_id is not None)
        if plain or not url.startswith(("http://", "https://")):
            self._errands.begin(self._continue(event.request_id))
            return
        body = b"".join(base64.b64decode(part.bytes) for part in request.post_data_entries)
        sent = self._bodies.told(method, url, kind_of(request.headers), body, keep=False)
        sent = sent.model_copy(update={"aside": asks and self._is_aside(event)})
        held = _Held(event.request_id, sent, kind_of(request.headers), body)
        led_on = self._gone.get(event.redirected_request_id or "") == _place(url)
        fate = Fate.GO if led_on else self._fate(sent, beacon=event.resource_type == "Ping")
        if fate is not Fate.GO:
            self._hold(held, fate)
            return
        self._went |= judged and not led_on and not asks and bool(sent.fields)
        self._errands.begin(self._continue(held.id) if asks else self._let_go(held))

    def _is_aside(self, event: RequestPaused) -> bool:
        """Whether the page may show nothing of the response. A new window's first page counts: nobody has seen it."""
        kind, headers = event.resource_type, event.request.headers
        accepts = next((each for name, each in headers.items() if name.casefold() == "accept"), "")
        framed = kind == "Document" and event.frame_id not in self._windows
        return kind not in _TOLD or framed or accepts == _EVENTS

    def _hold(self, held: _Held, fate: Fate) -> None:
        self._sending.held[held.place] += 1
        if fate is Fate.NEVER:
            self._withhold(held)
            return
        self.waiting.append(held)
        self._errands.begin(self._expire(held))
        self._stir()

    def _withhold(self, held: _Held) -> None:
        """Refuse without asking. The next observation says so, once for each address, unless the engine only looked."""
        self._errands.begin(self._refuse(held))
        if not self._sending.aside and held.place not in self._told:
            self._told.add(held.place)
            note = f"The page wanted to send something that nothing orders, and it was not sent: {wish(held.sent)}."
            self.notes.append(note)

    async def _expire(self, held: _Held) -> None:
        await asyncio.sleep(LONGEST_HELD)
        if held in self.waiting:  # nobody has decided in time
            self.waiting.remove(held)
            await self._refuse(held)

    async def _let_go(self, held: _Held) -> bool:
        if held.go is not None:
            self._sending.requested(held.go, LINE, held.sent.url, held.kind, held.body, page=False)
            self._sending.answered(held.go, SWITCHED)
            held.go()
            return True
        self._bodies.told(held.sent.method, held.sent.url, held.kind, held.body)
        self._gone[held.id] = _place(held.sent.url)
        while len(self._gone) > MOST_LED_ON:
            del self._gone[next(iter(self._gone))]
        return await self._continue(held.id)

    async def _refuse(self, held: _Held) -> bool:
        self._sending.held[held.place] -= 1
        if held.go is not None:
            return True
        self._sending.refused[held.place] += 1
        return await self._do("Fetch.failRequest", {"requestId": held.id, "errorReason": "Aborted"})

    async def _continue(self, request: str) -> bool:
        return await self._do("Fetch.continueRequest", {"requestId": request})

    async def _do(self, what: str, params: JsonObject) -> bool:
        try:
            await self._session.send(what, params)
        except BrowserError:
            return False  # its page has gone, or has given it up
        return True


def _place(url: str) -> tuple[str, str]:
    """The host and path of an address, without a slash at the end."""
    parts = urlsplit(url)
    return parts.netloc, parts.path.rstrip("/")
