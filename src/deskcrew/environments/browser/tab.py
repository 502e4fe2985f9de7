"""One page of the browser: what is happening in it, when it has settled, and its dialogs.

Nothing here waits for a fixed time: it waits for an event (a request that ends, a page that has loaded, a change in the
page), and every wait has a bound.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from playwright.async_api import Dialog, FileChooser, Page, Request, Response
from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.frames import (
    FIRST_TIMEOUT,
    HUNG_TIMEOUT,
    Frame,
    FrameGone,
    Frames,
    Hung,
    Session,
)
from deskcrew.environments.browser.listening import Listening
from deskcrew.environments.browser.questions import Question
from deskcrew.environments.browser.sending import ANSWER_SECONDS, Sending, answer_of, kind_of
from deskcrew.environments.browser.thread import Errands

QUIET, LONGEST_SETTLE = 0.06, 1.5
"""Seconds without a change in the page that count as settled, and the maximum that an observation waits for that."""
LONGEST_LOAD = 10.0
"""Seconds that an observation waits for a page that is loading, once."""
LONGEST_REQUEST = 3.0
"""Seconds that an observation waits for a page's requests, once for each request."""
AWAITED = frozenset({"document", "xhr", "fetch", "script", "stylesheet"})
"""Kinds of requests that the visible content may depend on."""
MOST_DIALOGS = 8
"""The number of dialogs that a page may open in a row, without any other action on it, before they are no longer shown."""
OTHERS_SECONDS = 0.25
"""Seconds in which somebody else who works on the page may answer a dialog, before it is shown here."""
MOST_DISMISSED = 40
"""The number of automatically declined dialogs after which a page is closed: it will not stop."""


class Tab:
    """A page. ``number``: of its window."""

    def __init__(
        self,
        number: int,
        page: Page,
        session: Session,
        stirred: Callable[[], None],
        sending: Sending,
        *,
        shared: bool = False,
    ) -> None:
        """``stirred``: called when something happened that somebody may be waiting for. ``sending``: notified of what the
        page sends. ``shared``: whether somebody else works on the page too, who may answer its dialogs."""
        self.number = number
        self.page = page
        self.session = session
        self.frames = Frames(page, session)
        self.listening = Listening()
        self.title = ""
        self.loads = 0
        """How many pages have been loaded in it by GET."""
        self.posted = False
        """Whether its page is the answer to something else, which loading it again would send again."""
        self.responding = True
        self.questions: list[Question] = []
        self.dialogs = 0
        self.closed_here = False
        """Whether it was us who had it closed."""
        self.note = ""
        self._shared = shared
        self._unasked: list[Question] = []
        """Dialogs that somebody else may be answering just now."""
        self._stirred = stirred
        self._sending = sending
        self._moved = asyncio.Event()
        self._errands = Errands()
        self._pending: dict[Request, float] = {}
        self._given_up: set[Request] = set()
        self._way: Request | None = None
        """The request for the page that is to come."""
        self._led: Request | None = None
        """The last request for a page."""
        self.opens = 0
        """Windows that it has opened and that are not there yet."""
        session.on("Page.windowOpen", self._opens)
        session.on("Page.javascriptDialogClosed", self._answered)
        self._heard: list[tuple[Any, Callable[[Any], None]]] = []
        self.hear("request", self._requested)
        self.hear("response", self._answered_by)
        self.hear("requestfinished", self._ended)
        self.hear("requestfailed", self._failed)
        self.hear("domcontentloaded", lambda _: self._arrived())
        self.hear("dialog", self._asked)
        self.hear("filechooser", self._asked_for_a_file)

    def hear(self, event: Any, told: Callable[[Any], None]) -> None:
        """Call a function with each event of this kind, until :meth:`let_go`."""
        self.page.on(event, told)
        self._heard.append((event, told))

    def acted_on(self) -> None:
        """An action is done on the page now, not in answer to a dialog: later dialogs may be its result."""
        self.dialogs = 0

    async def let_go(self) -> None:
        """Remove all listeners, so that the page is as it was before: its dialogs are its owner's."""
        for event, told in self._heard:
            self.page.remove_listener(event, told)
        self._heard.clear()
        for question in self.questions:
            await question.answer(False, Path)
        self.questions.clear()
        self._unasked.clear()
        await self.session.detach()

    # -- what happens

    def _stir(self) -> None:
        self._moved.set()
        self._stirred()

    def _requested(self, request: Request) -> None:
        opens = request.is_navigation_request()
        kind = kind_of(request.headers)
        reads = request.resource_type in AWAITED
        self._sending.requested(
            request, request.method, request.url, kind, request.post_data_buffer, page=opens,
            window=self.number, loads=self.loads, reads=reads,
        )  # fmt: skip
        self._led = request if opens else self._led
        if opens and request.frame == self.page.main_frame:
            self._way = request
            self._pending.clear()
        elif request.resource_type in AWAITED:
            self._pending[request] = time.monotonic()
        self._stir()

    def _answered_by(self, response: Response) -> None:
        self._sending.answered(response.request, response.status)

    def _ended(self, request: Request) -> None:
        if self._sending.reads(request):
            self._errands.begin(self._read(request))  # before it counts as ended: a look tells both at once
        else:
            self._done(request)

    async def _read(self, request: Request) -> None:
        """Read what a server answered, if the browser still has it."""
        answer = ""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                response = await request.response()
                if response is not None:
                    answer = answer_of(await response.body(), kind_of(response.headers))
        except (TimeoutError, BrowserError):
            pass
        self._done(request, answer)

    def _done(self, request: Request, answer: str = "") -> None:
        self._sending.ended(request, answer)
        self._pending.pop(request, None)
        self._given_up.discard(request)
        self._stir()

    def asked_for(self, address: str) -> str:
        """The address that was asked for when servers led on to this one."""
        request = self._led
        if request is None or request.url != address:
            return address
        while request.redirected_from is not None:
            request = request.redirected_from
        return request.url

    def _opens(self, _: object) -> None:
        self.opens += 1
        self._stir()

    def _failed(self, request: Request) -> None:
        if request is self._way:  # it was no page: a download, or nothing at all
            self._way = None
        self._done(request)

    def _arrived(self) -> None:
        if self._way is not None:
            self.posted = self._way.method != "GET"
            self.loads += not self.posted
        self._way = None
        self.responding = True
        self.listening.forget()
        self._stir()

    def _asked(self, dialog: Dialog) -> None:
        self.dialogs += 1
        if self.dialogs > MOST_DIALOGS:
            self.note = f"The page opened one dialog after the other; {self._remedy()}."
            self._errands.begin(self._decline(dialog))
            return
        question = Question.of_dialog(dialog, self.title or self.page.url)
        if self._shared:
            self._errands.begin(self._ask_unless_answered(question))
        else:
            self._ask(question)

    async def _ask_unless_answered(self, question: Question) -> None:
        """Playwright declines a dialog at once if its program does not listen for dialogs."""
        self._unasked.append(question)
        await asyncio.sleep(OTHERS_SECONDS)
        if question in self._unasked:
            self._unasked.remove(question)
            self._ask(question)

    def _answered(self, _: object) -> None:
        """A dialog has gone. If nobody here has answered it, whoever else works on the page has."""
        for there in (self._unasked, self.questions):
            for question in [one for one in there if isinstance(one.source, Dialog) and not one.answering]:
                there.remove(question)
                self.note = f"The page asked {question.message!r}, and somebody else answered."
                self._stir()

    def _asked_for_a_file(self, chooser: FileChooser) -> None:
        self._ask(Question.of_chooser(chooser))

    def _ask(self, question: Question) -> None:
        self.questions.append(question)
        self._stir()

    async def _decline(self, dialog: Dialog) -> None:
        try:
            await dialog.dismiss()
            if self._endless:
                self.closed_here = True
                await self.page.close()
        except BrowserError:
            return  # the page went away with it

    @property
    def _endless(self) -> bool:
        return self.dialogs > MOST_DIALOGS + MOST_DISMISSED

    def _remedy(self) -> str:
        return "it would not stop, and was closed" if self._endless else "the rest was declined"

    # -- asking the page

    @property
    def question(self) -> Question | None:
        """The dialog that the page waits for, None if there is none."""
        return self.questions[0] if self.questions else None

    async def main(self) -> Frame:
        """The page's own frame. Raises FrameGone, Hung."""
        if self.frames.main is None:
            try:
                await asyncio.wait_for(self.frames.find(), self.patience)
            except TimeoutError:
                raise Hung from None
        assert self.frames.main is not None
        return self.frames.main

    @property
    def patience(self) -> float:
        """Seconds that the page may take to answer."""
        return FIRST_TIMEOUT if self.responding else HUNG_TIMEOUT

    # -- coming to rest

    async def settle(self, quiet: float = QUIET, longest: float = LONGEST_SETTLE) -> None:
        """Wait until an action has had its effect: a page has loaded, its requests have been answered, and nothing has
        changed for a moment; bounded."""
        for _ in range(8):
            await self._arrival()
            await self._answers()
            if self.question is not None or self.page.is_closed() or not self.responding:
                return
            try:
                frame = await self.main()
                asked = frame.ask("settle", quiet * 1000, longest * 1000, seconds=longest + self.patience)
                await self._unless_asked(asked)
            except FrameGone:
                continue
            except Hung:
                self.responding = False
                return
            if self._way is None and not self._waiting():
                return

    async def _unless_asked(self, work: Coroutine[Any, Any, Any]) -> None:
        """Wait for ``work``; give up if a dialog opens meanwhile."""
        task = asyncio.ensure_future(work)
        try:
            if await self.through(task):
                task.result()
        finally:
            task.cancel()

    async def through(self, task: asyncio.Future[Any], seconds: float | None = None) -> bool:
        """Wait until a task is done, another dialog opens, or ``seconds`` are over. Whether it is done."""
        before, deadline = len(self.questions), None if seconds is None else time.monotonic() + seconds
        while not task.done() and len(self.questions) <= before:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                break
            self._moved.clear()
            moved = asyncio.ensure_future(self._moved.wait())
            await asyncio.wait({task, moved}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            moved.cancel()
        return task.done()

    async def _arrival(self) -> None:
        """Wait for the page that is loading, once."""
        way = self._way
        if way is None or way in self._given_up:
            return
        if not await self.until(lambda: self._way is not way or self.question is not None, LONGEST_LOAD):
            self._given_up.add(way)

    def _waiting(self) -> list[Request]:
        return [request for request in self._pending if request not in self._given_up]

    async def _answers(self) -> None:
        """Wait for the responses to the page's requests."""
        waiting = self._waiting()
        if waiting and not await self.until(lambda: not self._waiting() or self.question is not None, LONGEST_REQUEST):
            self._given_up.update(self._waiting())

    async def until(self, reached: Callable[[], bool], seconds: float) -> bool:
        """Wait, at most ``seconds``, until a condition holds that events bring about; whether it does."""
        deadline = time.monotonic() + seconds
        while not reached():
            self._moved.clear()
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self._moved.wait(), left)
            except TimeoutError:
                return reached()
        return True

    async def change(self, seconds: float) -> None:
        """Wait until something changes and settles, ``seconds`` at most."""
        deadline = time.monotonic() + seconds
        if self._way is None and not self._waiting():
            try:
                frame = await self.main()
                asked = frame.ask("change", QUIET * 1000, seconds * 1000, seconds=seconds + self.patience)
                await self._unless_asked(asked)
            except FrameGone:
                pass
            except Hung:
                self.responding = False
                return
        self._given_up.clear()
        await self.settle(longest=max(QUIET, min(LONGEST_SETTLE, deadline - time.monotonic())))

    @property
    def loading(self) -> bool:
        """Whether the page is still loading after the wait for it."""
        return self._way is not None
