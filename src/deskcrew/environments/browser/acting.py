"""Operates pages with the browser's own mouse and keyboard, whose input pages cannot distinguish from a person's, and
answers the dialogs that pages open."""

from __future__ import annotations

import asyncio
from pathlib import Path

from deskcrew.environments.browser.browsing import Browsing, Meant
from deskcrew.environments.browser.elements import PressLanded, asked, landed, origin_of, point_of
from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.browser.looking import APP, ControlPlace
from deskcrew.environments.browser.operating import LONGEST_TYPED, Operating, content_of_focused
from deskcrew.environments.browser.pages import Pages
from deskcrew.environments.browser.tab import Tab
from deskcrew.environments.expecting import Expected
from deskcrew.environments.names import gone, named
from deskcrew.environments.pointing import past
from deskcrew.errors import ActionError, ControlGone
from deskcrew.facts.observation import Control, Observation, page_of

NOTCH = 100
"""CSS pixels that one notch of the wheel scrolls."""
CHOOSER_SECONDS = 3.0
"""Seconds within which a button must open a file chooser."""
BEGIN_SECONDS = 3.0
"""Seconds within which a requested download must begin once the page has settled."""
QUIET_AFTER_TYPING = 0.15
"""Seconds without a change that count as settled after typing, which pages process a moment later."""
_KEYS = {
    "ctrl": "Control", "alt": "Alt", "shift": "Shift", "super": "Meta", "enter": "Enter", "tab": "Tab", "escape": "Escape",
    "space": "Space", "backspace": "Backspace", "delete": "Delete", "insert": "Insert", "home": "Home", "end": "End",
    "pageup": "PageUp", "pagedown": "PageDown", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "menu": "ContextMenu", "printscreen": "PrintScreen", "plus": "+", "minus": "-", "equal": "=",
    "comma": ",", "period": ".", "slash": "/", "backslash": "\\", "semicolon": ";", "apostrophe": "'", "grave": "`",
    "bracketleft": "[", "bracketright": "]", **{f"f{number}": f"F{number}" for number in range(1, 13)},
}  # fmt: skip
_ENTER = frozenset({"enter", "return"})


class PageActor(Operating[Tab]):
    """Acts in one browser."""

    def __init__(self, browsing: Browsing, pages: Pages, inside: str) -> None:
        """``inside``: the workspace as the browser sees it."""
        self._browsing = browsing
        self._pages = pages
        self._inside = inside
        self.files = browsing.downloads

    # -- what all of it needs

    def _expected(self) -> Expected:
        return self._browsing.expected

    async def _front(self) -> Tab:
        return self._browsing.front

    async def _placed(self, control: Control) -> ControlPlace:
        return self._browsing.place(control)

    def _element(self, control: Control) -> tuple[Tab, Frame, int]:
        return self.do(self._found(control))

    async def _found(self, control: Control) -> tuple[Tab, Frame, int]:
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

    def _meant(self, control: Control) -> Meant:
        return self.do(self._browsing.meant(control))

    def point(self, control: Control, *, watch: bool = False) -> tuple[float, float]:
        """See :class:`Operating`; in CSS pixels of the page."""
        if control.role == "document":
            self._element(control)
            return self._browsing.size[0] / 2, self._browsing.size[1] / 2
        try:
            return self._point(control, watch=watch)
        except ControlGone:
            self.do(self._browsing.look())  # its page may have put another one in its place since
            return self._point(control, watch=watch)

    def _point(self, control: Control, *, watch: bool) -> tuple[float, float]:
        _, frame, number = self._element(control)
        return self.do(point_of(control, frame, number, self._meant(control), watch=watch))

    def _acted(self, *, typed: bool = False) -> None:
        self._browsing.acted = True
        self._browsing.quiet = QUIET_AFTER_TYPING if typed else self._browsing.quiet

    def _look_after(self) -> Observation:
        self.do(self._browsing.settle())
        return self.do(self._browsing.look())

    def origin_of(self, control: Control) -> str | None:
        return self.do(self._origin_of(control))

    async def _origin_of(self, control: Control) -> str | None:
        place = self._browsing.place(control)
        if place.frame is None:
            return None
        return await origin_of(await self._browsing.tab(place.page).main(), place.frame)

    # -- mouse

    def click(self, control: Control, *, button: str = "left", double: bool = False, fetches: bool = False) -> None:
        """See :class:`Operating`; also presses the buttons of dialogs."""
        place = self.do(self._placed(control))
        if place.frame is None:
            self.do(self._answer(place))
        else:
            super().click(control, button=button, double=double, fetches=fetches)

    def _press(self, page: Tab, point: tuple[float, float], button: str, *, double: bool) -> None:
        kind = "middle" if button == "middle" else "right" if button == "right" else "left"
        self.do(self._browsing.do(page, page.page.mouse.click(*point, button=kind, click_count=2 if double else 1)))

    async def _landed(self, page: Tab, frame: Frame) -> PressLanded | None:
        if page.question is not None or page.page.is_closed():
            return None
        try:
            return await landed(frame, page.patience)
        except (FrameGone, Hung):
            return None  # it has led somewhere else, or keeps the page busy: that it arrived is certain

    def hover(self, control: Control) -> None:
        tab, *_ = self._element(control)
        self.do(self._browsing.do(tab, tab.page.mouse.move(*self.point(control))))

    def drag(self, control: Control, target: Control) -> None:
        # Both must be where they are told to be at once: what comes second may have scrolled the first away.
        self.point(target)
        start, middle = self.point(control, watch=True), self.point(target)
        end = past(control.box, target.box, middle, self._browsing.scale)
        tab, *_ = self._element(control)
        mouse = tab.page.mouse

        async def dragging() -> None:
            await mouse.move(*start)
            await mouse.down()
            await mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
            await mouse.move(*end, steps=4)
            await mouse.up()

        self.do(self._browsing.do(tab, dragging()))

    def scroll(self, control: Control | None, notches: int) -> None:
        """Turn the wheel over a control, or over the middle of the page."""
        tab = self._element(control)[0] if control is not None else self.do(self._front())
        middle = self._browsing.size[0] / 2, self._browsing.size[1] / 2
        point = self.point(control) if control is not None else middle

        async def turning() -> None:
            await tab.page.mouse.move(*point)
            await tab.page.mouse.wheel(0, -notches * NOTCH)

        self.do(self._browsing.do(tab, turning()))

    # -- questions

    async def _answer(self, place: ControlPlace) -> None:
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

    def type_text(self, control: Control | None, text: str, *, clear: bool = False, enter: bool = False) -> str:
        """Type into a control or a dialog or, without a control, where the focus is. Returns the content afterwards."""
        if control is None:
            return self.do(self._type_where_the_focus_is(text, clear=clear, enter=enter))
        place = self.do(self._placed(control))
        if place.frame is None:
            return self.do(self._type_into_question(control, place, text, enter=enter))
        return super().type_text(control, text, clear=clear, enter=enter)

    def _type_keys(self, page: Tab, text: str, *, delete: bool) -> None:
        self.do(self._keys(page, text, clear=delete))

    def _finish(self, page: Tab, *, enter: bool) -> None:
        self.do(self._finished(page, enter=enter))

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
            read = await content_of_focused(await tab.main())
        except (FrameGone, Hung):
            read = ""
        await self._finished(tab, enter=enter)
        return read

    async def _type_into_question(self, control: Control, place: ControlPlace, text: str, *, enter: bool) -> str:
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

    async def _finished(self, tab: Tab, *, enter: bool) -> None:
        self._browsing.quiet = QUIET_AFTER_TYPING
        if enter and tab.question is None:
            await self._browsing.do(tab, tab.page.keyboard.press("Enter"))

    def press(self, keys: tuple[str, ...]) -> None:
        """Press keys together. Browser shortcuts have their usual effect."""
        self.do(self._pressed(keys))

    async def _pressed(self, keys: tuple[str, ...]) -> None:
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
        """Check, before keys without a control, that the page and its focused element are unchanged. ``presses``: the keys
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

    # -- files

    def _choose_file(self, control: Control, name: str) -> None:
        self.click(control)
        self.do(self._answer_with_file(control, name))

    async def _answer_with_file(self, control: Control, name: str) -> None:
        tab = self._browsing.tab(self._browsing.place(control).page)
        await tab.until(lambda: tab.question is not None, CHOOSER_SECONDS)
        if tab.question is None or tab.question.field != "File name":
            raise ActionError(f"{named(control)} does not ask for a file.")
        tab.question.text = name
        await self._answered(tab, agrees=True)

    def upload(self, control: Control, file: str) -> None:
        self._file(file)
        self.give_file(control, file, f"{self._inside}/{file}")

    async def _await_file(self, seconds: float) -> None:
        downloads = self._browsing.downloads
        await self._browsing.settle()
        # The request for it ends as one that failed, and on a busy machine some time before the download begins.
        await self._browsing.until(lambda: not downloads.expects, BEGIN_SECONDS)
        await self._browsing.until(lambda: not downloads.going, seconds)
