"""Operates the pages in a browser's windows with the desktop's own mouse and keyboard, at free points that the page's script
finds; reading and navigation go through the line to the browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from deskcrew.environments.browser import pointing
from deskcrew.environments.browser.browsing import Meant
from deskcrew.environments.browser.elements import PressLanded, file_of, landed, origin_of, point_of
from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.browser.operating import LONGEST_TYPED, Operating, content_of, content_of_focused
from deskcrew.environments.browser.pages import OPEN_SECONDS, SENT_SECONDS, found_in, markdown_of
from deskcrew.environments.browser.protocol import Navigating, PageHistory, ask
from deskcrew.environments.expecting import Expected
from deskcrew.environments.linux.act.acted_on import ActedOn
from deskcrew.environments.linux.look.controls import SeenControl
from deskcrew.environments.names import gone, named
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Control, Observation, page_of

if TYPE_CHECKING:
    from deskcrew.environments.browser.attached import Attached, AttachedPage
    from deskcrew.environments.linux.pages.link import BrowserLink

PRESSED_SECONDS, READ_SECONDS = 1.0, 0.6
"""Seconds within which a page must receive a mouse press, and within which typed text must appear."""
BEGUN_SECONDS = 5.0
"""Seconds within which a download must start."""
PAUSE = 0.01
_ABORTED = "net::ERR_ABORTED"
"""A page's error if it turns out to be a file, or was stopped."""
_ASKS = "The page asks something in a window in front of it; answer that first."
Answer = TypeVar("Answer")


class ShownOn(ActedOn, Protocol):
    """What operating pages needs from the desktop that shows them; ``linux/paged.py`` documents the methods."""

    def of_page(self, control: Control | None) -> SeenControl | None: ...

    def place_of(self, seen: SeenControl) -> Box: ...

    def free_place(self, control: Control) -> tuple[int, int]: ...

    def address_of(self, url: str) -> str: ...

    def active_page(self) -> int | None: ...

    def bring_page_forward(self) -> int: ...

    def click(self, control: Control) -> None: ...


class Paging(Operating["AttachedPage"]):
    """The pages in the windows of one desktop."""

    def __init__(self, desktop: ShownOn, link: BrowserLink) -> None:
        self._desktop = desktop
        self._link = link
        self.files = link.arriving

    def do(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        return self._link.do(work)

    # -- what all of it needs

    def _expected(self) -> Expected:
        return self._desktop.expected

    def _seen(self, control: Control) -> tuple[SeenControl, AttachedPage, Frame, int]:
        seen = self._desktop.of_page(control)
        if seen is None or seen.place is None or seen.place.frame is None:
            raise gone(control)
        return seen, self._link.page(seen.place.page), seen.place.frame, seen.place.number

    def _element(self, control: Control) -> tuple[AttachedPage, Frame, int]:
        _, page, frame, number = self._seen(control)
        if page.asks:
            raise ActionError(_ASKS)
        self._desktop.bring_forward(self._desktop.window(control.window))
        return page, frame, number

    def _meant(self, control: Control) -> Meant:
        meant: Meant = [control.role, control.name]
        expected = self._desktop.expected
        if expected.approved is None:
            return meant
        _, page, frame, _ = self._seen(control)
        self._desktop.check_window(control.window)
        main = page.frames.main
        try:
            now = self.do(main.ask("where")) if main is not None else None
        except (FrameGone, Hung):
            now = None
        if now is None:
            raise gone(control)
        address = page_of(str(now["url"]))
        expected.check_page(address)
        aimed = expected.control is not None and expected.control.label == control.label
        meant.append(control.owner if aimed else None)
        return [*meant, None, address] if frame.parent is None else meant

    def point(self, control: Control, *, watch: bool = False) -> tuple[int, int]:
        """See :class:`Operating`. On the screen, in the window's present place."""
        page, frame, number = self._element(control)
        if control.role == "document":
            x, y = self._desktop.place_of(self._seen(control)[0]).centre
        else:
            own = self.do(point_of(control, frame, number, self._meant(control), watch=watch))
            box, scale = self._desktop.place_of(self._seen(control)[0]), self._link.scales.get(page.number, 1.0)
            x, y = box.x + int(own[0] * scale), box.y + int(own[1] * scale)
        there = control.model_copy(update={"box": Box(x=x, y=y, width=1, height=1)})
        return self._desktop.free_place(there)

    def origin_of(self, control: Control) -> str:
        """The origin of a control's page, '' if its frame has another. Raises ActionError if the control has gone."""
        _, page, frame, _ = self._seen(control)
        if page.frames.main is None:
            raise gone(control)
        return self.do(origin_of(page.frames.main, frame))

    def _acted(self, *, typed: bool = False) -> None:
        self._desktop.acted()

    def _look_after(self) -> Observation:
        self._desktop.acted()
        self._desktop.settle()
        return self._desktop.look()

    # -- mouse

    def _press(self, page: AttachedPage, point: tuple[float, float], button: str, *, double: bool) -> None:
        self._desktop.input.click(int(point[0]), int(point[1]), button=button, count=2 if double else 1)

    async def _landed(self, page: AttachedPage, frame: Frame) -> PressLanded | None:
        deadline = time.monotonic() + PRESSED_SECONDS
        answer: PressLanded | None = None
        while answer is None and time.monotonic() < deadline and not page.asks:
            try:
                answer = await landed(frame, 0.3)
            except (FrameGone, Hung):
                return None
            await asyncio.sleep(0 if answer is not None else PAUSE)
        return answer

    def _click_listed(self, control: Control) -> None:
        self._desktop.click(control)  # it may be none of a page

    def press_at(self, number: int, control: Control | None, press: Callable[[], None]) -> None:
        """Call ``press`` for a point of a page, on ``control`` or on nothing that can be pressed. Raises ActionError if the
        press would land on something else."""
        page = self._link.page(number)
        if page.asks:
            raise ActionError(_ASKS)
        seen = self._desktop.of_page(control)
        place = seen.place if seen is not None else None
        meant = self._meant(seen.control) if seen is not None else []
        frames = self.do(pointing.allow(page.frames, seen.control if seen is not None else None, place, meant))
        if place is not None and place.frame is not None:
            self.files.expect(self.do(file_of(place.frame, place.number)))
        press()
        self._link.settle(number)
        if not page.asks:
            self.do(pointing.check_landed(frames))

    # -- keyboard

    def _take_keyboard(self, page: AttachedPage) -> None:
        self.do(page.session.send("Page.bringToFront"))  # it may be with the browser's address bar

    def _has_keyboard(self, frame: Frame) -> bool:
        return self.do(_focused(frame))

    def _type_keys(self, page: AttachedPage, text: str, *, delete: bool) -> None:
        if not text:
            if delete:
                self._desktop.input.press(("delete",))
        elif len(text) > LONGEST_TYPED or not text.isprintable():
            self.do(page.session.send("Input.insertText", {"text": text}))
        else:
            self._desktop.input.type(text)

    def _finish(self, page: AttachedPage, *, enter: bool) -> None:
        if enter:
            self._desktop.input.press(("enter",))

    def _read(self, frame: Frame, number: int, text: str) -> str:
        deadline, read = time.monotonic() + READ_SECONDS, ""
        while True:  # until the typed text is there
            read = self.do(content_of(frame, number)) or read
            if (read == text if not text else text in read) or time.monotonic() > deadline:
                return read
            time.sleep(PAUSE)

    def read_focused(self) -> str:
        """The content of the focused field in the page in front; '' if there is none."""
        number = self._desktop.active_page()
        main = self._link.page(number).frames.main if number is not None else None
        return self.do(content_of_focused(main)) if main is not None and self.do(_focused(main)) else ""

    # -- files

    def _choose_file(self, control: Control, name: str) -> None:
        raise ActionError(f"{named(control)} takes no file: click it, and name the file in the window that opens.")

    async def _await_file(self, seconds: float) -> None:
        attached = self._link.attached
        await attached.until(lambda: not attached.arriving.expects, BEGUN_SECONDS)
        await attached.collect(seconds)

    # -- pages

    def front(self) -> AttachedPage:
        """The page in the foremost of the browser's windows, brought to the front. Raises ActionError if there is none."""
        page = self._link.page(self._desktop.bring_page_forward())
        if page.asks:
            raise ActionError(_ASKS)
        return page

    def open_url(self, url: str, *, new_window: bool) -> None:
        """Go to an address, or to a file of the workspace. Raises ActionError if it does not load."""
        page, whole = self.front(), self._desktop.address_of(url)
        self._link.arriving.expect(whole)
        self._link.do(_open_beside(self._link.attached, whole) if new_window else _go(self._link.attached, page, whole))

    def load_anew(self, number: int) -> None:
        """Reload a page by GET. Raises ActionError if it does not load."""
        self._link.do(_anew(self._link.attached, self._link.page(number)))

    def guard(self, guarded: bool) -> None:
        """Stop all pages from sending anything that changes anything, or let them send everything again."""
        for page in list(self._link.attached.pages.values()):
            self._link.do(page.guard(guarded))

    def go(self, step: int) -> None:
        """Go back (-1) or forward (1). Raises ActionError if there is no such page."""
        self._link.do(_through_history(self._link.attached, self.front(), step))

    def find_text(self, text: str) -> str:
        """Bring a text of the page into view. Returns its number and line. Raises ActionError if it is not there."""
        return self._link.do(found_in(self.front().frames, text))

    def markdown(self) -> str:
        """The whole page in front, as Markdown."""
        return self._link.do(markdown_of(self.front().frames))


async def _focused(frame: Frame) -> bool:
    try:
        return bool((await frame.ask("where"))["focused"])
    except (FrameGone, Hung):
        return False


async def _go(attached: Attached, page: AttachedPage, url: str) -> None:
    answer = await _begun(attached, page, ask(page.session, Navigating, "Page.navigate", {"url": url}), url)
    if answer is not None and answer.error_text not in ("", _ABORTED):
        raise ActionError(f"{url} did not answer: {answer.error_text}.")


async def _anew(attached: Attached, page: AttachedPage) -> None:
    await attached.until(lambda: not attached.sending.waits, SENT_SECONDS)
    attached.sending.aside = True
    if page.asks:
        raise ActionError("The page asks something in a window in front of it.")
    if page.posted:
        history = await ask(page.session, PageHistory, "Page.getNavigationHistory")
        work = page.session.send("Page.navigate", {"url": history.entries[history.current_index].url})
    else:
        work = page.session.send("Page.reload")
    before = page.loads
    await _begun(attached, page, work, "The page")
    if page.asks:  # whether it may be left
        await page.session.send("Page.handleJavaScriptDialog", {"accept": True})
    if not await attached.until(lambda: page.loads > before or page.loading, OPEN_SECONDS):
        raise ActionError("The page did not load.")


async def _begun(attached: Attached, page: AttachedPage, work: Awaitable[Answer], url: str) -> Answer | None:
    """The browser's answer to a navigation; None if the page first asks whether it may be left."""
    going = asyncio.ensure_future(work)
    going.add_done_callback(lambda _: attached.stir())
    if not await attached.until(lambda: going.done() or page.asks, OPEN_SECONDS):
        await page.session.send("Page.stopLoading")
        raise ActionError(f"{url} did not answer within {OPEN_SECONDS:g} seconds.")
    return going.result() if going.done() else None


async def _open_beside(attached: Attached, url: str) -> None:
    """Open a page beside the current one, and bring it to the front."""
    id = await ask(attached.browser, str, "Target.createTarget", {"url": "about:blank"}, of="targetId")
    if not await attached.until(lambda: any(page.id == id for page in attached.pages.values()), OPEN_SECONDS):
        raise ActionError("The browser opened no page.")
    await _go(attached, next(page for page in attached.pages.values() if page.id == id), url)


async def _through_history(attached: Attached, page: AttachedPage, step: int) -> None:
    history = await ask(page.session, PageHistory, "Page.getNavigationHistory")
    at = history.current_index + step
    if not 0 <= at < len(history.entries):
        raise ActionError(f"There is no {'earlier' if step < 0 else 'later'} page.")
    entry = history.entries[at]
    work = page.session.send("Page.navigateToHistoryEntry", {"entryId": entry.id})
    await _begun(attached, page, work, entry.url)
