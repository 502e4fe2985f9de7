"""Operates the pages in a browser's windows: pressed and typed into with the desktop's own mouse and keyboard, where the
page's script finds a free point; options, reading and navigation go through the line to the browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from deskcrew.environments.browser import elements, pointing
from deskcrew.environments.browser.acting import DOWNLOAD_SECONDS, LONGEST_TYPED
from deskcrew.environments.browser.browsing import gone, named
from deskcrew.environments.browser.downloads import ANY
from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.browser.pages import OPEN_SECONDS, SENT_SECONDS, found_in, markdown_of
from deskcrew.environments.calendars import pick, taken
from deskcrew.environments.environment import Spot
from deskcrew.environments.expecting import Expected
from deskcrew.environments.linux.look.controls import Seen
from deskcrew.environments.linux.screen.input import Input
from deskcrew.environments.linux.screen.x11 import XWindow
from deskcrew.errors import ActionError
from deskcrew.observation import Box, Control, Observation, page_of

if TYPE_CHECKING:
    from deskcrew.environments.browser.attached import Attached, AttachedPage
    from deskcrew.environments.linux.pages.link import Link

PRESSED_SECONDS, READ_SECONDS = 1.0, 0.6
"""Seconds within which a page receives a mouse press, and within which typed text appears."""
BEGUN_SECONDS = 5.0
"""Seconds within which a download starts, if there is one."""
PAUSE = 0.01
_ABORTED = "net::ERR_ABORTED"
"""A page's error if it turns out to be a file, or was stopped."""


class ShownOn(Protocol):
    """What operating pages needs from the desktop that shows them."""

    @property
    def input(self) -> Input: ...

    @property
    def expected(self) -> Expected:
        """The target of the next actions."""
        ...

    def place_of(self, seen: Seen) -> Box:
        """Where the page of a control is on the screen now. Raises ActionError if it has gone."""
        ...

    def free_place(self, control: Control) -> tuple[int, int]:
        """A point of a place that is under no other window. Raises ActionError if there is none."""
        ...

    def address_of(self, url: str) -> str:
        """The meaning of an address as people write it. Raises ActionError for one that is refused."""
        ...

    def active_page(self) -> int | None:
        """The number of the page that the active window shows."""
        ...

    def bring_page_forward(self) -> int:
        """Activate the foremost window that shows a page; the page's number. Raises ActionError if none does."""
        ...

    def window(self, number: int) -> XWindow:
        """An open window by its id. Raises ActionError if it has gone."""
        ...

    def check_window(self, number: int | None) -> None:
        """Raise ActionError if a window is not the one that a person was shown. None: the active one."""
        ...

    def bring_forward(self, window: XWindow) -> None:
        """Activate a window and wait until it is the active one."""
        ...

    def click(self, control: Control) -> None:
        """Press a control. Raises ActionError if it has gone, is disabled or covered."""
        ...

    def acted(self) -> None:
        """Note that something was done."""
        ...

    def settle(self) -> None:
        """Wait until the last action has been processed; bounded."""
        ...

    def look(self) -> Observation:
        """Observe without waiting."""
        ...


class Paging:
    """The pages in the windows of one desktop."""

    def __init__(self, desktop: ShownOn, link: Link) -> None:
        self._desktop = desktop
        self._link = link

    # -- finding

    def _element(self, seen: Seen) -> tuple[AttachedPage, Frame, int]:
        """The element that a control stands for, with its window in front. Raises ActionError if it has gone."""
        place = seen.place
        if place is None or place.frame is None:
            raise gone(seen.control)
        page = self._link.page(place.page)
        if page.asks:
            raise ActionError("The page asks something in a window in front of it; answer that first.")
        self._desktop.bring_forward(self._desktop.window(seen.control.window))
        return page, place.frame, place.number

    def _on_screen(self, seen: Seen, x: float, y: float) -> tuple[int, int]:
        """A point of a page on the screen, where its window is now."""
        box = self._desktop.place_of(seen)
        scale = self._link.scales.get(seen.place.page, 1.0) if seen.place is not None else 1.0
        return box.x + int(x * scale), box.y + int(y * scale)

    def point(self, seen: Seen, *, watch: bool) -> tuple[int, int]:
        """A point of a control on the screen that nothing covers; scrolled into view. Raises ActionError if there is
        none."""
        _, frame, number = self._element(seen)
        control = seen.control
        if control.role == "document":
            x, y = self._desktop.place_of(seen).centre
        else:
            x, y = self._on_screen(
                seen, *self._link.do(elements.point_of(control, frame, number, self._meant(seen), watch=watch))
            )
        there = control.model_copy(update={"box": Box(x=x, y=y, width=1, height=1)})
        return self._desktop.free_place(there)

    def _meant(self, seen: Seen) -> elements.Meant:
        """What the script must compare an element with before anything is done to it. Raises ActionError if the window is
        not the one that a person was shown."""
        control, expected = seen.control, self._desktop.expected
        meant: elements.Meant = [control.role, control.name]
        place = seen.place
        if expected.approved is None or place is None or place.frame is None:
            return meant
        self._desktop.check_window(control.window)
        main = self._link.page(place.page).frames.main
        try:
            now = self._link.do(main.ask("where")) if main is not None else None
        except (FrameGone, Hung):
            now = None
        if now is None:
            raise gone(control)
        page = page_of(str(now["url"]))
        expected.check_page(page)
        aimed = expected.control is not None and expected.control.label == control.label
        meant.append(control.owner if aimed else None)
        return [*meant, None, page] if place.frame.parent is None else meant

    def origin_of(self, seen: Seen) -> str:
        """The origin of a control's page, '' if its frame has another. Raises ActionError."""
        place = seen.place
        main = self._link.page(place.page).frames.main if place is not None else None
        if place is None or place.frame is None or main is None:
            raise gone(seen.control)
        return self._link.do(elements.origin_of(main, place.frame))

    # -- mouse

    def click(self, seen: Seen, *, button: str = "left", double: bool = False, fetches: bool = False) -> None:
        """Press a control, and check what was hit. ``fetches``: it is pressed for the file that it hands over; else a file
        is only taken if the control is a link to it. Raises ActionError."""
        page, frame, number = self._element(seen)
        x, y = self.point(seen, watch=True)
        if not fetches:
            self._expect(frame, number, button)
        self._desktop.input.click(x, y, button=button, count=2 if double else 1)
        landed = self._link.do(_landed(page, frame)) if seen.control.role != "document" else None
        if landed is not None and landed["right"] and landed["changed"]:
            raise elements.has_changed(seen.control, landed["changed"])
        if landed is not None and not landed["right"]:
            name = named(seen.control)
            raise ActionError(f"The click on {name} landed on {landed['name']}, which had come in its place. Look again.")

    def _expect(self, frame: Frame, number: int, button: str) -> None:
        """Take the file that a link leads to. With the right button nothing is followed."""
        self._link.arriving.expect(None if button == "right" else self._link.do(elements.file_of(frame, number)))

    def press_at(self, number: int, seen: Seen | None, press: Callable[[], None]) -> None:
        """Press the mouse at a point of a page, on a control of it or on nothing that can be pressed. Raises ActionError if
        it would land on something else."""
        page = self._link.page(number)
        if page.asks:
            raise ActionError("The page asks something in a window in front of it; answer that first.")
        control, place = (seen.control, seen.place) if seen is not None else (None, None)
        meant = self._meant(seen) if seen is not None else []
        frames = self._link.do(pointing.allow(page.frames, control, place, meant))
        if place is not None and place.frame is not None:
            self._expect(place.frame, place.number, "left")
        press()
        self._link.settle(number)
        if not page.asks:
            self._link.do(pointing.check_landed(frames))

    def hover(self, seen: Seen) -> None:
        """Move the mouse onto a control."""
        self._desktop.input.move(*self.point(seen, watch=False))

    def scroll(self, seen: Seen, notches: int) -> None:
        """Turn the wheel over a control."""
        self._desktop.input.scroll(*self.point(seen, watch=False), notches)

    # -- keyboard

    def type_text(self, seen: Seen, text: str, *, clear: bool) -> str:
        """Type into a control, and read its text back."""
        page, frame, number = self._element(seen)
        control = seen.control
        self._link.do(page.session.send("Page.bringToFront"))  # the keyboard may be with the address bar
        if (behind := self._desktop.expected.behind) is not None:
            self._confide(seen, frame, number, text, clear=clear, where=behind.origin or "")
            return ""
        ready = self._ready(seen, frame, number, clear)
        if ready.get("readOnly"):
            return self._pick(control, frame, number, text, ready)
        if ready.get("unfocused") or not self._link.do(_focused(frame)):
            self.click(seen)
            ready = self._ready(seen, frame, number, clear)
        if ready.get("set"):
            self._link.do(elements.put_date(control, frame, number, self._meant(seen), text))
        elif not text:
            if clear and not ready.get("empty"):
                self._desktop.input.press(("delete",))
        elif len(text) > LONGEST_TYPED or not text.isprintable():
            self._link.do(page.session.send("Input.insertText", {"text": text}))
        else:
            self._desktop.input.type(text)
        return "" if control.role == "password field" else self._link.do(_read(frame, number, text))

    def _confide(self, seen: Seen, frame: Frame, number: int, text: str, *, clear: bool, where: str) -> None:
        """Put a secret into its element, which is pressed first if it needs that to be filled in."""
        for tries in range(2):
            if tries:
                self.click(seen)
            meant = self._meant(seen)
            if self._link.do(elements.confide(seen.control, frame, number, meant, text, clear=clear, where=where)):
                return
        raise ActionError(f"{named(seen.control)} does not take the keyboard; nothing was typed.")

    def _pick(self, control: Control, frame: Frame, number: int, text: str, ready: dict[str, Any]) -> str:
        """Choose a date in the calendar of a field that takes no keys."""
        presses = pick(control, text, ready)
        each: Control | None = next(presses)
        while each is not None:
            self._desktop.click(each)
            self._desktop.acted()
            self._desktop.settle()
            try:
                each = presses.send(self._desktop.look())
            except StopIteration:
                each = None
        shown = self._link.do(_read(frame, number, text))
        taken(control, text, shown)
        return shown

    def _ready(self, seen: Seen, frame: Frame, number: int, clear: bool) -> dict[str, Any]:
        control = seen.control
        ready = self._link.do(elements.asked(control, frame, "ready", number, clear, self._meant(seen)))
        if ready.get("readOnly") and control.role != "date editor":
            raise ActionError(f"{named(control)} cannot be typed into.")
        return ready

    def read_focused(self) -> str:
        """The content of the focused field in the page in front, '' if there is none."""
        number = self._desktop.active_page()
        return self._link.do(_read_focused(self._link.page(number))) if number is not None else ""

    def select_text(self, seen: Seen, text: str, spot: Spot) -> str:
        """Select a text where it is, or put the cursor beside it."""
        page, frame, number = self._element(seen)
        self._link.do(page.session.send("Page.bringToFront"))
        return self._link.do(elements.select_text(seen.control, frame, number, self._meant(seen), text, spot))

    # -- choosing, numbers, files

    def select(self, seen: Seen, option: str) -> None:
        """Choose an option. Raises ActionError that lists the options."""
        _, frame, number = self._element(seen)
        control = seen.control
        if self._link.do(elements.choose(control, frame, number, self._meant(seen), option)):
            return
        self.click(seen)
        if control.name.casefold().strip() == option.casefold().strip():
            return
        self._desktop.acted()
        self._desktop.settle()
        entry = elements.entry_of(control, option, self._desktop.look().controls)
        self._desktop.click(entry)

    def set_value(self, seen: Seen, value: float) -> None:
        """Set a slider or number field. Raises ActionError if it took another value."""
        _, frame, number = self._element(seen)
        self._link.do(elements.put_number(seen.control, frame, number, self._meant(seen), value))

    def upload(self, seen: Seen, seen_as: str) -> None:
        """Give a file to a file field; ``seen_as``: the file as the browser sees it."""
        if seen.control.role != "file field":
            raise ActionError(f"{named(seen.control)} takes no file: click it, and name the file in the window that opens.")
        _, frame, number = self._element(seen)
        self._link.do(elements.give_file(seen.control, frame, number, self._meant(seen), seen_as))

    def download(self, seen: Seen) -> str:
        """Click a control that starts a download, and wait for the file; its name in the workspace. Raises ActionError if
        none comes."""
        arriving, before = self._link.arriving, len(self._link.arriving.landed)
        arriving.expect(ANY)
        try:
            self.click(seen, fetches=True)
            coming = self._link.do(_fetched(self._link.attached), DOWNLOAD_SECONDS + BEGUN_SECONDS + 5)
        finally:
            arriving.expect(None)
        if len(arriving.landed) > before:
            return arriving.landed[-1]
        if coming:
            raise ActionError(f"It was not there within {DOWNLOAD_SECONDS:g} seconds; wait for it.")
        raise ActionError(f"{named(seen.control)} handed over no file.")

    # -- pages

    def front(self) -> AttachedPage:
        """The page in the foremost of the browser's windows, brought to the front. Raises ActionError if there is none."""
        page = self._link.page(self._desktop.bring_page_forward())
        if page.asks:
            raise ActionError("The page asks something in a window in front of it; answer that first.")
        return page

    def open_url(self, url: str, *, new_window: bool) -> None:
        """Go to an address, or to a file of the workspace. Raises ActionError if it does not load."""
        page, whole = self.front(), self._desktop.address_of(url)
        self._link.arriving.expect(whole)
        self._link.do(_open_beside(self._link.attached, whole) if new_window else _go(self._link.attached, page, whole))

    def load_anew(self, number: int) -> None:
        """Load a page anew, by GET. Raises ActionError if it does not load."""
        self._link.do(_anew(self._link.attached, self._link.page(number)))

    def guard(self, guarded: bool) -> None:
        """Let no page send anything that changes anything, or all of them everything again."""
        for page in list(self._link.attached.pages.values()):
            self._link.do(page.guard(guarded))

    def go(self, step: int) -> None:
        """Back (-1) or forward (1). Raises ActionError if there is no such page."""
        self._link.do(_through_history(self._link.attached, self.front(), step))

    def find_text(self, text: str) -> str:
        """Bring a text of the page into view; how often it occurs, and the line. Raises ActionError if it does not."""
        return self._link.do(found_in(self.front().frames, text))

    def markdown(self) -> str:
        """The whole page in front, as Markdown."""
        return self._link.do(markdown_of(self.front().frames))


async def _landed(page: AttachedPage, frame: Frame) -> dict[str, Any] | None:
    """What a mouse press landed on; None if that is no longer known: the page navigates, or opens a dialog."""
    deadline = time.monotonic() + PRESSED_SECONDS
    while time.monotonic() < deadline and not page.asks:
        try:
            answer: dict[str, Any] | None = await frame.ask("landed", seconds=0.3)
        except (FrameGone, Hung):
            return None
        if answer is not None:
            return answer
        await asyncio.sleep(PAUSE)
    return None


async def _focused(frame: Frame) -> bool:
    try:
        return bool((await frame.ask("where"))["focused"])
    except (FrameGone, Hung):
        return False


async def _read(frame: Frame, number: int, text: str) -> str:
    """The content of a field, once the typed text is there; bounded."""
    deadline, read = time.monotonic() + READ_SECONDS, ""
    while True:
        try:
            read = str(await frame.ask("read", number) or "")
        except (FrameGone, Hung):
            return read
        if (read == text if not text else text in read) or time.monotonic() > deadline:
            return read
        await asyncio.sleep(PAUSE)


async def _read_focused(page: AttachedPage) -> str:
    try:
        main = page.frames.main
        if main is None or not (await main.ask("where"))["focused"]:
            return ""
        return str(await main.ask("readFocused") or "")
    except (FrameGone, Hung):
        return ""


async def _fetched(attached: Attached) -> bool:
    """Wait for a file that is asked for. Whether it is still coming."""
    await attached.until(lambda: not attached.arriving.expects, BEGUN_SECONDS)
    await attached.collect(DOWNLOAD_SECONDS)
    return bool(attached.arriving.going)


async def _go(attached: Attached, page: AttachedPage, url: str) -> None:
    answer = await _begun(attached, page, page.session.send("Page.navigate", {"url": url}), url)
    problem = str((answer or {}).get("errorText", ""))
    if problem and problem != _ABORTED:
        raise ActionError(f"{url} did not answer: {problem}.")


async def _anew(attached: Attached, page: AttachedPage) -> None:
    await attached.until(lambda: not attached.sending.waits, SENT_SECONDS)
    attached.sending.aside = True
    if page.asks:
        raise ActionError("The page asks something in a window in front of it.")
    if page.posted:
        history = await page.session.send("Page.getNavigationHistory")
        url = str(history["entries"][int(history["currentIndex"])]["url"])
        work = page.session.send("Page.navigate", {"url": url})
    else:
        work = page.session.send("Page.reload")
    before = page.loads
    await _begun(attached, page, work, "The page")
    if page.asks:  # whether it may be left
        await page.session.send("Page.handleJavaScriptDialog", {"accept": True})
    if not await attached.until(lambda: page.loads > before or page.loading, OPEN_SECONDS):
        raise ActionError("The page did not load.")


async def _begun(attached: Attached, page: AttachedPage, work: Awaitable[dict[str, Any]], url: str) -> dict[str, Any] | None:
    """The browser's answer to a navigation; None if the page first asks whether it may be left."""
    going = asyncio.ensure_future(work)
    going.add_done_callback(lambda _: attached.stir())
    if not await attached.until(lambda: going.done() or page.asks, OPEN_SECONDS):
        await page.session.send("Page.stopLoading")
        raise ActionError(f"{url} did not answer within {OPEN_SECONDS:g} seconds.")
    return going.result() if going.done() else None


async def _open_beside(attached: Attached, url: str) -> None:
    """Open a page beside the current one, and bring it to the front."""
    made = await attached.browser.send("Target.createTarget", {"url": "about:blank"})
    id = str(made["targetId"])
    if not await attached.until(lambda: any(page.id == id for page in attached.pages.values()), OPEN_SECONDS):
        raise ActionError("The browser opened no page.")
    await _go(attached, next(page for page in attached.pages.values() if page.id == id), url)


async def _through_history(attached: Attached, page: AttachedPage, step: int) -> None:
    history = await page.session.send("Page.getNavigationHistory")
    at = int(history["currentIndex"]) + step
    if not 0 <= at < len(history["entries"]):
        raise ActionError(f"There is no {'earlier' if step < 0 else 'later'} page.")
    entry = history["entries"][at]
    work = page.session.send("Page.navigateToHistoryEntry", {"entryId": entry["id"]})
    await _begun(attached, page, work, str(entry["url"]))
