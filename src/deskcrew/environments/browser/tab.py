"""One Playwright page of the browser, and its dialogs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Dialog, FileChooser, Page, Request, Response
from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.frames import CdpSession, Frames
from deskcrew.environments.browser.open_page import AWAITED, LONGEST_SETTLE, QUIET, OpenPage
from deskcrew.environments.browser.questions import Question
from deskcrew.environments.browser.sending import Sending, answer_of, kind_of

MOST_DIALOGS = 8
"""The number of dialogs that a page may open in a row, without any other action on it; further ones are declined."""
OTHERS_SECONDS = 0.25
"""Seconds that another program that works on the page has to answer a dialog, before it is shown here."""
MOST_DISMISSED = 40
"""The number of dialogs declined in a row after which a page is closed, since it will not stop."""


class Tab(OpenPage):
    """A page. ``number``: the number of its window."""

    def __init__(
        self,
        number: int,
        page: Page,
        session: CdpSession,
        stirred: Callable[[], None],
        sending: Sending,
        *,
        shared: bool = False,
    ) -> None:
        """``shared``: whether somebody else works on the page too, who may answer its dialogs."""
        super().__init__(number, session, Frames(page, session), sending, stirred)
        self.page = page
        self.questions: list[Question] = []
        self.dialogs = 0
        self.closed_here = False
        """Whether we closed it."""
        self.note = ""
        self._shared = shared
        self._unasked: list[Question] = []
        """Dialogs that somebody else may be about to answer."""
        self._way: Request | None = None
        """The request for the page that is loading."""
        self._led: Request | None = None
        """The last request for a page."""
        self.opens = 0
        """The number of windows that it has opened and that are not there yet."""
        session.on("Page.windowOpen", self._opens)
        session.on("Page.javascriptDialogClosed", self._answered)
        self._heard: list[tuple[Any, Callable[[Any], None]]] = []
        self.hear("request", self._requested)
        self.hear("response", self._answered_by)
        self.hear("requestfinished", self._over)
        self.hear("requestfailed", self._failed)
        self.hear("domcontentloaded", lambda _: self._arrived())
        self.hear("dialog", self._asked)
        self.hear("filechooser", self._asked_for_a_file)

    def hear(self, event: Any, told: Callable[[Any], None]) -> None:
        """Call a function with each event of this kind, until :meth:`let_go`."""
        self.page.on(event, told)
        self._heard.append((event, told))

    def acted_on(self) -> None:
        """Note an action on the page, other than the answer to a dialog: later dialogs may result from it."""
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
            self._pending.add(request)
        self.stir()

    def _answered_by(self, response: Response) -> None:
        self._sending.answered(response.request, response.status)

    def _over(self, request: Request) -> None:
        async def body() -> str:
            response = await request.response()
            return answer_of(await response.body(), kind_of(response.headers)) if response is not None else ""

        self._ends(request, body)

    def asked_for(self, address: str) -> str:
        """The address that was requested, if servers redirected from it to this one; else this one."""
        request = self._led
        if request is None or request.url != address:
            return address
        while request.redirected_from is not None:
            request = request.redirected_from
        return request.url

    def _opens(self, _: object) -> None:
        self.opens += 1
        self.stir()

    def _failed(self, request: Request) -> None:
        if request is self._way:  # it was no page: a download, or nothing at all
            self._way = None
        self._ended(request)

    def _arrived(self) -> None:
        if self._way is not None:
            self.posted = self._way.method != "GET"
            self.loads += not self.posted
        self._way = None
        self.responding = True
        self.listening.forget()
        self.stir()

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
        """Wait before showing a dialog: Playwright declines it at once if its program does not listen for any."""
        self._unasked.append(question)
        await asyncio.sleep(OTHERS_SECONDS)
        if question in self._unasked:
            self._unasked.remove(question)
            self._ask(question)

    def _answered(self, _: object) -> None:
        """A dialog has gone. If nobody here has answered it, another program that works on the page has."""
        for there in (self._unasked, self.questions):
            for question in [one for one in there if isinstance(one.source, Dialog) and not one.answering]:
                there.remove(question)
                self.note = f"The page asked {question.message!r}, and somebody else answered."
                self.stir()

    def _asked_for_a_file(self, chooser: FileChooser) -> None:
        self._ask(Question.of_chooser(chooser))

    def _ask(self, question: Question) -> None:
        self.questions.append(question)
        self.stir()

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

    # -- what it waits for

    @property
    def question(self) -> Question | None:
        """The dialog that the page waits for, None if there is none."""
        return self.questions[0] if self.questions else None

    @property
    def dialogs_open(self) -> int:
        return len(self.questions)

    @property
    def coming(self) -> Request | None:
        return self._way

    @property
    def over(self) -> bool:
        return self.page.is_closed()

    async def change(self, seconds: float) -> None:
        """Wait until something changes and settles, ``seconds`` at most."""
        deadline = time.monotonic() + seconds
        if self._way is None and not self._waiting():
            await self._says("change", QUIET, seconds)
            if not self.responding:
                return
        self._given_up.clear()
        await self.settle(longest=max(QUIET, min(LONGEST_SETTLE, deadline - time.monotonic())))
