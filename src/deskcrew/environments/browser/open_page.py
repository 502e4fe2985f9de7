"""An open page, whoever reports on it: what is happening in it, and when it has settled.

Nothing here waits for a fixed time: it waits for an event (a request that ends, a page that has loaded, a change in the
page), and every wait has a bound.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any

from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.frames import FIRST_TIMEOUT, HUNG_TIMEOUT, Frame, FrameGone, FrameTree, Hung
from deskcrew.environments.browser.listening import Listening
from deskcrew.environments.browser.protocol import CdpSession
from deskcrew.environments.browser.sending import ANSWER_SECONDS, Sending
from deskcrew.environments.browser.thread import Errands, Stirring

QUIET, LONGEST_SETTLE = 0.06, 1.5
"""Seconds without a change in the page that count as settled, and the maximum that an observation waits for that."""
LONGEST_LOAD = 10.0
"""Seconds that an observation waits for a page that is loading, once."""
LONGEST_REQUEST = 3.0
"""Seconds that an observation waits for a page's requests, once for each request."""
AWAITED = frozenset({"document", "xhr", "fetch", "script", "stylesheet"})
"""Kinds of requests that the visible content may depend on."""


class OpenPage(Stirring, ABC):
    """A page. ``number``: our number of it."""

    def __init__(
        self, number: int, session: CdpSession, frames: FrameTree, sending: Sending, stirred: Callable[[], None]
    ) -> None:
        """``sending``: notified of what the page sends. ``stirred``: called when something happened that somebody may be
        waiting for."""
        super().__init__()
        self.number = number
        self.session = session
        self.frames: FrameTree = frames
        self.listening = Listening()
        self.title = ""
        self.responding = True
        self.loads: int = 0
        """How many pages have been loaded in it by GET."""
        self.posted = False
        """Whether its page is the response to another method, which reloading would send again."""
        self._sending = sending
        self._stirred = stirred
        self._errands = Errands()
        self._pending: set[object] = set()
        """The requests under way that the page's content may depend on."""
        self._given_up: set[object] = set()
        """The requests and loads that were waited for in vain."""

    @property
    @abstractmethod
    def dialogs_open(self) -> int:
        """The number of dialogs in front of the page, which it waits for."""

    @property
    @abstractmethod
    def coming(self) -> object | None:
        """The loading of the next page; None if none is loading."""

    @property
    def loading(self) -> bool:
        """Whether the page is still loading after the wait for it."""
        return self.coming is not None

    @property
    def patience(self) -> float:
        """Seconds that the page may take to answer."""
        return FIRST_TIMEOUT if self.responding else HUNG_TIMEOUT

    def stir(self) -> None:
        """Wake whoever waits for a change of this page, or of the whole browser."""
        super().stir()
        self._stirred()

    def forget(self) -> None:
        """Forget what is known of the page's contents."""
        self.frames.forget()
        self.listening.forget()

    async def main(self) -> Frame:
        """The page's own frame. Raises FrameGone or Hung."""
        if self.frames.main is None:
            try:
                await asyncio.wait_for(self.frames.find(), self.patience)
            except TimeoutError:
                raise Hung from None
        assert self.frames.main is not None
        return self.frames.main

    # -- its requests

    def _ends(self, request: object, body: Callable[[], Coroutine[Any, Any, str]]) -> None:
        """A request has ended. ``body``: reads the response, if the browser still has it."""
        if self._sending.reads(request):
            self._errands.begin(self._read(request, body))  # before it counts as ended: a look tells both at once
        else:
            self._ended(request)

    async def _read(self, request: object, body: Callable[[], Coroutine[Any, Any, str]]) -> None:
        answer = ""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await body()
        except (TimeoutError, BrowserError):
            pass
        self._ended(request, answer)

    def _ended(self, request: object, answer: str = "") -> None:
        self._sending.ended(request, answer)
        self._pending.discard(request)
        self._given_up.discard(request)
        self.stir()

    def _waiting(self) -> bool:
        return not self._pending <= self._given_up

    # -- coming to rest

    async def settle(self, quiet: float = QUIET, longest: float = LONGEST_SETTLE) -> None:
        """Wait until an action has had its effect: a page has loaded, its requests have been answered, and nothing has
        changed for a moment; bounded."""
        for _ in range(8):
            await self._arrival()
            await self._answers()
            if self.dialogs_open or self.over or not self.responding:
                return
            if not await self._says("settle", quiet, longest):
                continue
            if not self.responding or (self.coming is None and not self._waiting()):
                return

    async def _says(self, function: str, quiet: float, seconds: float) -> bool:
        """Wait until the page reports that it has changed or settled (``function``), or opens a dialog. False if it was left
        meanwhile."""
        longest = seconds + self.patience
        try:
            frame = await self.main()
            task = asyncio.ensure_future(frame.ask(function, quiet * 1000, seconds * 1000, seconds=longest))
            try:
                if await self.through(task, longest + 1):
                    task.result()
            finally:
                task.cancel()
        except FrameGone:
            self.forget()
            return False
        except Hung:
            self.responding = self.dialogs_open > 0
        return True

    async def through(self, task: asyncio.Future[Any], seconds: float) -> bool:
        """Wait until a task is done, another dialog opens, or ``seconds`` are over. Returns whether it is done."""
        before = self.dialogs_open
        task.add_done_callback(lambda _: self.stir())
        await self.until(lambda: task.done() or self.dialogs_open > before, seconds)
        return task.done()

    async def _arrival(self) -> None:
        """Wait for the page that is loading, once."""
        coming = self.coming
        if coming is None or coming in self._given_up:
            return
        if not await self.until(lambda: self.coming is not coming or self.dialogs_open > 0, LONGEST_LOAD):
            self._given_up.add(coming)

    async def _answers(self) -> None:
        """Wait for the responses to the page's requests."""
        answered = not self._waiting() or await self.until(
            lambda: not self._waiting() or self.dialogs_open > 0, LONGEST_REQUEST
        )
        if not answered:
            self._given_up |= self._pending
