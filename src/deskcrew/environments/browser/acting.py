"""Acts on the controls of pages: through the element itself where that suffices, otherwise with mouse and keyboard, which
pages cannot distinguish from a person's.

Before a click it is checked that nothing lies over the control, after it what it landed on.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, TypeVar

from deskcrew.environments.browser import elements
from deskcrew.environments.browser.browsing import Browsing, gone, named
from deskcrew.environments.browser.downloads import ANY
from deskcrew.environments.browser.elements import asked, origin_of, point_of
from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.browser.looking import APP, Place
from deskcrew.environments.browser.pages import Pages
from deskcrew.environments.browser.tab import Tab
from deskcrew.environments.calendars import pick, taken
from deskcrew.environments.environment import Spot
from deskcrew.environments.pointing import past
from deskcrew.errors import ActionError
from deskcrew.observation import Control, page_of

LONGEST_TYPED = 200
"""Characters that are typed key by key, as pages with suggestions listen for; longer texts are inserted at once."""
NOTCH = 100
"""CSS pixels that one notch of the wheel scrolls."""
CHOOSER_SECONDS = 3.0
"""Seconds within which a button opens a file chooser, if it does."""
DOWNLOAD_SECONDS = 60.0
"""Seconds to wait for a requested file."""
BEGIN_SECONDS = 3.0
"""Seconds in which one must have begun to come once the page has settled."""
QUIET_AFTER_TYPING = 0.15
"""Seconds without a change that count as settled after typing, which pages look at a moment later."""
_KEYS = {
    "ctrl": "Control", "alt": "Alt", "shift": "Shift", "super": "Meta", "enter": "Enter", "tab": "Tab", "escape": "Escape",
    "space": "Space", "backspace": "Backspace", "delete": "Delete", "insert": "Insert", "home": "Home", "end": "End",
    "pageup": "PageUp", "pagedown": "PageDown", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "menu": "ContextMenu", "printscreen": "PrintScreen", "plus": "+", "minus": "-", "equal": "=",
    "comma": ",", "period": ".", "slash": "/", "backslash": "\\", "semicolon": ";", "apostrophe": "'", "grave": "`",
    "bracketleft": "[", "bracketright": "]", **{f"f{number}": f"F{number}" for number in range(1, 13)},
}  # fmt: skip
_ENTER = frozenset({"enter", "return"})
Answer = TypeVar("Answer")


class Actor:
    """Acts in one browser."""

    def __init__(self, browsing: Browsing, pages: Pages) -> None:
        self._browsing = browsing
        self._pages = pages

    # -- what all of it needs

    async def _element(self, control: Control) -> tuple[Tab, Frame, int]:
        """The element of a page that a control stands for. Brings its page to the front. Raises ActionError."""
        place = self._browsing.place(control)
        if place.frame is None:
            raise ActionError(f"{named(control)} can only be clicked or typed into.")
        tab = self._browsing.tab(place.page)
        if tab.question is not None:
            raise ActionError(f"The window {tab.question.title!r} is in front; answer it first.")
        await self._browsing.bring_forward(tab)
        await self._browsing.settle()
        tab.acted_on()
        return tab, place.frame, place.number

    async def _point(self, control: Control, tab: Tab, frame: Frame, number: int, *, watch: bool) -> tuple[float, float]:
        """A point of a control, in its page, that nothing covers. Raises ActionError if there is none."""
        if control.role == "document":
            return self._browsing.size[0] / 2, self._browsing.size[1] / 2
        return await point_of(control, frame, number, await self._browsing.meant(control), watch=watch)

    async def origin_of(self, control: Control) -> str | None:
        """Scheme, host and port of the page that a control is in; '' if its frame has another origin than its page."""
        place = self._browsing.place(control)
        if place.frame is None:
            return None
        return await origin_of(await self._browsing.tab(place.page).main(), place.frame)

    # -- mouse

    async def click(self, control: Control, *, button: str, double: bool, fetches: bool = False) -> None:
        """Press a control with the mouse, and check what was hit. ``fetches``: it is pressed for the file that it hands
        over; else a file is only taken if the control is a link to it."""
        place = self._browsing.place(control)
        if place.frame is None:
            await self._answer(place)
            return
        tab, frame, number = await self._element(control)
        x, y = await self._point(control, tab, frame, number, watch=True)
        if not fetches:
            self._browsing.downloads.expect(await elements.file_of(frame, number))
        kind = "middle" if button == "middle" else "right" if button == "right" else "left"
        await self._browsing.do(tab, tab.page.mouse.click(x, y, button=kind, click_count=2 if double else 1))
        if tab.question is not None or tab.page.is_closed():
            return
        try:
            landed = await frame.ask("landed", seconds=tab.patience)
        except (FrameGone, Hung):
            return  # it has led somewhere else, or keeps the page busy: that it arrived is certain
        if landed is not None and landed["right"] and landed["changed"]:
            raise elements.has_changed(control, landed["changed"])
        if landed is not None and not landed["right"]:
            raise ActionError(
                f"The click on {named(control)} landed on {landed['name']}, which had come in its place. Look again."
            )

    async def hover(self, control: Control) -> None:
        """Move the mouse onto a control."""
        tab, frame, number = await self._element(control)
        await self._browsing.do(tab, tab.page.mouse.move(*await self._point(control, tab, frame, number, watch=False)))

    async def drag(self, control: Control, target: Control) -> None:
        """Drag one control onto another."""
        tab, frame, number = await self._element(control)
        _, other, goal = await self._element(target)
        # Both must be where they are told to be at once: what comes second may have scrolled the first away.
        await self._point(target, tab, other, goal, watch=False)
        start = await self._point(control, tab, frame, number, watch=True)
        middle = await self._point(target, tab, other, goal, watch=False)
        end = past(control.box, target.box, middle, self._browsing.scale)
        mouse = tab.page.mouse

        async def dragging() -> None:
            await mouse.move(*start)
            await mouse.down()
            await mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
            await mouse.move(*end, steps=4)
            await mouse.up()

        await self._browsing.do(tab, dragging())

    async def scroll(self, control: Control | None, notches: int) -> None:
        """Turn the wheel over a control, or over the middle of the page."""
        if control is not None:
            tab, frame, number = await self._element(control)
            x, y = await self._point(control, tab, frame, number, watch=False)
        else:
            tab = self._browsing.front
            x, y = self._browsing.size[0] / 2, self._browsing.size[1] / 2

        async def turning() -> None:
            await tab.page.mouse.move(x, y)
            await tab.page.mouse.wheel(0, -notches * NOTCH)

        await self._browsing.do(tab, turning())

    # -- questions

    async def _answer(self, place: Place) -> None:
        tab = self._browsing.tab(place.page)
        question = tab.question
        if question is None:
            raise ActionError("That window has gone. Look again.")
        if question is not self._browsing.asked:
            raise ActionError("Another question is in front now. Look again.")
        if place.part == "field":
            return
        await self._answered(tab, agrees=place.part == "agree")

    async def _answered(self, tab: Tab, *, agrees: bool) -> None:
        question = tab.question
        assert question is not None
        await self._browsing.do(tab, question.answer(agrees, self._file))
        tab.questions.remove(question)

    def _file(self, name: str) -> Path:
        path = (self._browsing.folder / name).resolve()
        if not path.is_relative_to(self._browsing.folder.resolve()) or not path.is_file():
            raise ActionError(f"There is no file {name!r} in the workspace.")
        return path

    # -- keyboard

    async def type_text(self, control: Control | None, text: str, *, clear: bool, enter: bool) -> str:
        """Type, and read back the content."""
        if control is None:
            return await self._type_where_the_focus_is(text, clear=clear, enter=enter)
        place = self._browsing.place(control)
        if place.frame is None:
            return await self._type_into_question(control, place, text, clear=clear, enter=enter)
        tab, frame, number = await self._element(control)
        if (behind := self._browsing.expected.behind) is not None:
            await self._confide(control, frame, number, text, clear=clear, where=behind.origin or "")
            await self._finish(tab, enter=enter)
            return ""
        ready = await asked(control, frame, "ready", number, clear, await self._browsing.meant(control))
        if ready.get("readOnly"):
            return await self._pick(control, frame, number, text, ready)
        if ready.get("unfocused"):
            await self.click(control, button="left", double=False)
        if ready.get("set"):  # a date, say: what its keys do depends on the language of the browser
            await elements.put_date(control, frame, number, await self._browsing.meant(control), text)
        else:
            await self._keys(tab, text, clear=clear and not ready.get("empty"))
        read = await self._read(frame, number)
        await self._finish(tab, enter=enter)
        return "" if control.role == "password field" else read

    async def _confide(self, control: Control, frame: Frame, number: int, text: str, *, clear: bool, where: str) -> None:
        """Put a secret into its element, which is pressed first if it needs that to be filled in."""
        for tries in range(2):
            if tries:
                await self.click(control, button="left", double=False)
            meant = await self._browsing.meant(control)
            if await elements.confide(control, frame, number, meant, text, clear=clear, where=where):
                return
        raise ActionError(f"{named(control)} does not take the keyboard; nothing was typed.")

    async def _pick(self, control: Control, frame: Frame, number: int, text: str, ready: dict[str, Any]) -> str:
        """Choose a date in the calendar of a field that takes no keys."""
        if control.role != "date editor":
            raise ActionError(f"{named(control)} cannot be typed into.")
        presses = pick(control, text, ready)
        each: Control | None = next(presses)
        while each is not None:
            await self.click(each, button="left", double=False)
            await self._browsing.settle()
            try:
                each = presses.send(await self._browsing.look())
            except StopIteration:
                each = None
        shown = await self._read(frame, number)
        taken(control, text, shown)
        return shown

    async def _read(self, frame: Frame, number: int) -> str:
        try:
            return str(await frame.ask("read", number) or "")
        except (FrameGone, Hung):
            return ""

    async def _keys(self, tab: Tab, text: str, *, clear: bool) -> None:
        keyboard = tab.page.keyboard
        if not text:
            await self._browsing.do(tab, keyboard.press("Delete") if clear else asyncio.sleep(0))
        elif len(text) > LONGEST_TYPED or not text.isprintable():
            await self._browsing.do(tab, keyboard.insert_text(text))
        else:
            await self._browsing.do(tab, keyboard.type(text))

    async def _type_where_the_focus_is(self, text: str, *, clear: bool, enter: bool) -> str:
        tab = self._browsing.front
        if tab.question is not None:
            tab.question.text = text if clear else tab.question.text + text
            if enter:
                await self._answered(tab, agrees=True)
            return text
        await self._browsing.settle()
        await self._check_front(presses=False)
        if clear:
            await self._browsing.do(tab, tab.page.keyboard.press("Control+a"))
        await self._keys(tab, text, clear=clear)
        try:
            read = str(await (await tab.main()).ask("readFocused") or "")
        except (FrameGone, Hung):
            read = ""
        await self._finish(tab, enter=enter)
        return read

    async def _type_into_question(self, control: Control, place: Place, text: str, *, clear: bool, enter: bool) -> str:
        tab = self._browsing.tab(place.page)
        question = tab.question
        if question is None:
            raise gone(control)
        if place.part != "field":
            raise ActionError(f"{named(control)} cannot be typed into.")
        # What a question proposes is replaced, as it is selected when its window opens.
        question.text = text
        if enter:
            await self._answered(tab, agrees=True)
        return text

    async def _finish(self, tab: Tab, *, enter: bool) -> None:
        self._browsing.quiet = QUIET_AFTER_TYPING
        if enter and tab.question is None:
            await self._browsing.do(tab, tab.page.keyboard.press("Enter"))

    async def press(self, keys: tuple[str, ...]) -> None:
        """Press keys together. Browser shortcuts have the effect they have there."""
        tab = self._browsing.front
        plain = tuple(key.lower() for key in keys)
        if tab.question is not None:
            if tab.question is not self._browsing.asked:
                raise ActionError("Another question is in front now. Look again.")
            if plain == ("escape",) or (len(plain) == 1 and plain[0] in _ENTER):
                await self._answered(tab, agrees=plain[0] in _ENTER)
                return
            raise ActionError(f"The window {tab.question.title!r} is in front; answer it first.")
        await self._browsing.settle()
        await self._check_front(presses=plain[-1] in _ENTER | {"space"})
        if await self._pages.press(frozenset(plain)):
            return
        await self._browsing.do(tab, tab.page.keyboard.press("+".join(_KEYS.get(key, key) for key in plain)))

    async def _check_front(self, *, presses: bool) -> None:
        """Before keys without a control: check that the page and its focused element are unchanged. ``presses``: the keys
        press the focused element, so that it must be the same even if nobody was asked."""
        expected, tab = self._browsing.expected, self._browsing.front
        if expected.approved is None and not presses:
            return
        control = expected.control
        if control is None:
            expected.check_window(tab.title, APP, page_of(tab.page.url))
            return
        place = self._browsing.place(control)
        if place.frame is not None:
            await asked(control, place.frame, "still", place.number, await self._browsing.meant(control), True)

    # -- choosing, numbers, files

    async def select(self, control: Control, option: str) -> None:
        """Choose an option. Raises ActionError that lists the options."""
        _, frame, number = await self._element(control)
        chosen = await elements.choose(control, frame, number, await self._browsing.meant(control), option)
        self._browsing.acted = True
        if not chosen:
            await self._choose_by_mouse(control, option)

    async def _choose_by_mouse(self, control: Control, option: str) -> None:
        """For a custom list: open it, and press the entry."""
        await self.click(control, button="left", double=False)
        if control.name.casefold().strip() == option.casefold().strip():
            return
        await self._browsing.settle()
        seen = await self._browsing.look()
        await self.click(elements.entry_of(control, option, seen.controls), button="left", double=False)

    async def download(self, control: Control) -> str:
        """Click a control that starts a download, and wait until the file is there."""
        downloads = self._browsing.downloads
        before, failed = len(downloads.landed), len(downloads.notes)
        downloads.expect(ANY)
        try:
            await self.click(control, button="left", double=False, fetches=True)
            await self._browsing.settle()
            # The request for it ends as one that failed, and on a busy machine some time before the download begins.
            await self._browsing.until(lambda: not downloads.expects, BEGIN_SECONDS)
        finally:
            downloads.expect(None)
        await self._browsing.until(lambda: not downloads.going, DOWNLOAD_SECONDS)
        if len(downloads.landed) > before:
            return downloads.landed[-1]
        if downloads.going:
            raise ActionError(f"It was not there within {DOWNLOAD_SECONDS:g} seconds; wait for it.")
        raise ActionError(downloads.notes[-1] if len(downloads.notes) > failed else f"{named(control)} handed over no file.")

    async def set_value(self, control: Control, value: float) -> None:
        """Set a slider or number field, and check that it was taken."""
        _, frame, number = await self._element(control)
        self._browsing.acted = True
        await elements.put_number(control, frame, number, await self._browsing.meant(control), value)

    async def select_text(self, control: Control, text: str, spot: Spot) -> str:
        """Select a text where it is, or put the cursor beside it."""
        _, frame, number = await self._element(control)
        selected = await elements.select_text(control, frame, number, await self._browsing.meant(control), text, spot)
        # An editor takes note of it a moment later, and a button pressed before that would work on what was selected before.
        self._browsing.acted, self._browsing.quiet = True, QUIET_AFTER_TYPING
        return selected

    async def upload(self, control: Control, name: str, seen_as: str) -> None:
        """Give a file of the workspace to a page. ``seen_as``: the file as the browser sees it."""
        self._file(name)
        tab, frame, number = await self._element(control)
        if control.role != "file field":
            await self.click(control, button="left", double=False)
            await tab.until(lambda: tab.question is not None, CHOOSER_SECONDS)
            if tab.question is None or tab.question.field != "File name":
                raise ActionError(f"{named(control)} does not ask for a file.")
            tab.question.text = name
            await self._answered(tab, agrees=True)
            return
        await elements.give_file(control, frame, number, await self._browsing.meant(control), seen_as)
        self._browsing.acted = True
