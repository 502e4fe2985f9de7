"""Operates the controls of pages, whoever moves the mouse and presses the keys: the browser itself, or the desktop that
shows it.

Everything is blocking. Operations on a single element are done through the page's script, on the browser's own thread.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

from deskcrew.environments.browser import elements
from deskcrew.environments.browser.browsing import Meant
from deskcrew.environments.browser.downloads import ANY, HandedOver
from deskcrew.environments.browser.elements import ElementAnswer, PressLanded
from deskcrew.environments.browser.frames import Frame, FrameGone, Hung
from deskcrew.environments.calendars import pick, taken
from deskcrew.environments.environment import Spot
from deskcrew.environments.expecting import Expected
from deskcrew.environments.names import named
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, Observation

LONGEST_TYPED = 200
"""The maximum number of characters typed key by key, for pages with suggestions; longer texts are inserted at once."""
DOWNLOAD_SECONDS = 60.0
"""Seconds to wait for a requested file."""
Answer = TypeVar("Answer")
Opened = TypeVar("Opened")


class Operating(ABC, Generic[Opened]):
    """The controls of one browser's pages. ``Opened``: an open page of that browser."""

    files: HandedOver
    """The files that pages hand over."""

    # -- what differs

    @abstractmethod
    def do(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """The result of work on the browser's thread. Raises ActionError if the browser does not answer, or refuses."""

    @abstractmethod
    def _expected(self) -> Expected:
        """The target of the next actions."""

    @abstractmethod
    def _element(self, control: Control) -> tuple[Opened, Frame, int]:
        """The page, frame and number of a control's element, with its page in front. Raises ActionError if it has gone."""

    @abstractmethod
    def _meant(self, control: Control) -> Meant:
        """The identity that an element must have before anything is done to it. Raises ActionError if the page is not the
        one that a person was shown."""

    @abstractmethod
    def point(self, control: Control, *, watch: bool = False) -> tuple[float, float]:
        """A point of a control that nothing covers, in the mouse's coordinates; brings its page to the front, and it into
        view. ``watch``: report what the next press lands on. Raises ActionError if there is none."""

    @abstractmethod
    def _press(self, page: Opened, point: tuple[float, float], button: str, *, double: bool) -> None:
        """Press the mouse at a point."""

    @abstractmethod
    async def _landed(self, page: Opened, frame: Frame) -> PressLanded | None:
        """What the press landed on; None if unknown: the page navigates, or opens a dialog."""

    @abstractmethod
    def _type_keys(self, page: Opened, text: str, *, delete: bool) -> None:
        """Type where the keyboard focus is. ``delete``: delete what is selected if the text is empty."""

    @abstractmethod
    def _finish(self, page: Opened, *, enter: bool) -> None:
        """Press Enter, if asked for, after something was typed."""

    @abstractmethod
    def _acted(self, *, typed: bool = False) -> None:
        """Note that something was done. ``typed``: the page may process it a moment later."""

    @abstractmethod
    def _look_after(self) -> Observation:
        """Observe once the last action has had its effect."""

    @abstractmethod
    def _choose_file(self, control: Control, name: str) -> None:
        """Press a control that asks for a file, and name a file of the workspace. Raises ActionError if it does not ask."""

    @abstractmethod
    async def _await_file(self, seconds: float) -> None:
        """Wait until the requested file begins to arrive, and then at most ``seconds`` until it is complete."""

    def _take_keyboard(self, page: Opened) -> None:
        """Direct keys to a page, as far as that is possible without pressing anything."""

    def _has_keyboard(self, frame: Frame) -> bool:
        """Whether keys go to a frame."""
        return True

    def _read(self, frame: Frame, number: int, text: str) -> str:
        """The content of a field into which ``text`` was typed, '' if it cannot be read."""
        return self.do(content_of(frame, number))

    def _click_listed(self, control: Control) -> None:
        """Press a control that was listed by :meth:`_look_after`."""
        self.click(control)

    # -- mouse

    def click(self, control: Control, *, button: str = "left", double: bool = False, fetches: bool = False) -> None:
        """Press a control with the mouse, and check what was hit. ``fetches``: press it for the file that it hands over;
        else a file is only taken if the control is a link to it. Raises ActionError if something else was hit."""
        page, frame, number = self._element(control)
        point = self.point(control, watch=True)
        if not fetches:  # with the right button nothing is followed
            self.files.expect(None if button == "right" else self.do(elements.file_of(frame, number)))
        self._press(page, point, button, double=double)
        landed = self.do(self._landed(page, frame)) if control.role != "document" else None
        if landed is None:
            return
        if not landed.right:
            raise ActionError(
                f"The click on {named(control)} landed on {landed.name}, which had come in its place. Look again."
            )
        if landed.changed is not None:
            raise elements.has_changed(control, landed.changed)

    # -- keyboard

    def type_text(self, control: Control, text: str, *, clear: bool = False, enter: bool = False) -> str:
        """Type into a control. Returns its content afterwards."""
        page, frame, number = there = self._element(control)
        self._take_keyboard(page)
        if (behind := self._expected().behind) is not None:
            self._confide(control, frame, number, text, clear=clear, where=behind.origin or "")
            read = ""
        else:
            read = self._type(control, there, text, clear=clear)
        self._finish(page, enter=enter)
        return "" if control.role == "password field" else read

    def _type(self, control: Control, there: tuple[Opened, Frame, int], text: str, *, clear: bool) -> str:
        page, frame, number = there
        ready = self._ready(control, frame, number, clear=clear)
        if ready.read_only:
            return self._pick(control, frame, number, text, ready)
        if ready.unfocused:  # pressed, it may put a field in its place
            self.click(control)
        elif not self._has_keyboard(frame):
            self.click(control)
            ready = self._ready(control, frame, number, clear=clear)
        if ready.set:  # a date, say: what its keys do depends on the language of the browser
            self.do(elements.put_date(control, frame, number, self._meant(control), text))
        else:
            self._type_keys(page, text, delete=clear and not ready.empty)
        return self._read(frame, number, text)

    def _ready(self, control: Control, frame: Frame, number: int, *, clear: bool) -> ElementAnswer:
        ready = self.do(elements.asked(control, frame, "ready", number, clear, self._meant(control)))
        if ready.read_only and control.role != "date editor":
            raise ActionError(f"{named(control)} cannot be typed into.")
        return ready

    def _confide(self, control: Control, frame: Frame, number: int, text: str, *, clear: bool, where: str) -> None:
        """Put a secret into its element, pressing the element first if that is needed for it to take the focus."""
        for tries in range(2):
            if tries:
                self.click(control)
            meant = self._meant(control)
            if self.do(elements.confide(control, frame, number, meant, text, clear=clear, where=where)):
                return
        raise ActionError(f"{named(control)} does not take the keyboard; nothing was typed.")

    def _pick(self, control: Control, frame: Frame, number: int, text: str, ready: ElementAnswer) -> str:
        """Choose a date in the calendar of a field that cannot be typed into. Returns what the field then shows."""
        presses = pick(control, text, ready.language, mirrored=ready.right_to_left)
        each: Control | None = next(presses)
        while each is not None:
            self._click_listed(each)
            try:
                each = presses.send(self._look_after())
            except StopIteration:
                each = None
        shown = self._read(frame, number, text)
        taken(control, text, shown)
        return shown

    def select_text(self, control: Control, text: str, spot: Spot) -> str:
        """Select the given text in a control, or put the cursor before or after it."""
        page, frame, number = self._element(control)
        self._take_keyboard(page)
        selected = self.do(elements.select_text(control, frame, number, self._meant(control), text, spot))
        # An editor takes note of it a moment later, and a button pressed before that would work on what was selected before.
        self._acted(typed=True)
        return selected

    # -- choosing, numbers, files

    def select(self, control: Control, option: str) -> None:
        """Choose an option. Raises ActionError, with the options, if there is no such option."""
        _, frame, number = self._element(control)
        chosen = self.do(elements.choose(control, frame, number, self._meant(control), option))
        self._acted()
        if chosen:
            return
        self.click(control)  # a custom list: it opens, and the entry is pressed
        if control.role != "combo box" and control.name.casefold().strip() == option.casefold().strip():
            return
        shown = self._look_after().controls
        entry = elements.entry_of(control, option, shown)
        if entry is None and "type" in control.operations:  # a long list shows what is searched for
            self.type_text(control, option, clear=True)
            entry = elements.entry_of(control, option, self._look_after().controls)
            if entry is None:
                self.type_text(control, control.value or "", clear=True)
        if entry is None:
            there = [c.name for c in shown if c.role == "list item" and c.window == control.window]
            raise elements.no_option(control, option, there[:40])
        self._click_listed(entry)

    def set_value(self, control: Control, value: float) -> None:
        """Set a slider or number field, and check its value afterwards."""
        _, frame, number = self._element(control)
        self._acted()
        self.do(elements.put_number(control, frame, number, self._meant(control), value))

    def give_file(self, control: Control, name: str, seen_as: str) -> None:
        """Give a file of the workspace to a page. ``seen_as``: its path as the browser sees it."""
        if control.role != "file field":
            self._choose_file(control, name)
            return
        _, frame, number = self._element(control)
        self.do(elements.give_file(control, frame, number, self._meant(control), seen_as))
        self._acted()

    def download(self, control: Control) -> str:
        """Click a control that starts a download, and wait until the file is complete. Returns its name in the workspace.
        Raises ActionError if no file arrives."""
        files = self.files
        before, told = len(files.landed), len(files.notes)
        files.expect(ANY)
        try:
            self.click(control, fetches=True)
            self.do(self._await_file(DOWNLOAD_SECONDS))
        finally:
            files.expect(None)
        if len(files.landed) > before:
            return files.landed[-1]
        if files.coming:
            raise ActionError(f"It was not there within {DOWNLOAD_SECONDS:g} seconds; wait for it.")
        raise ActionError(files.notes[-1] if len(files.notes) > told else f"{named(control)} handed over no file.")


async def content_of(frame: Frame, number: int) -> str:
    """The content of a field, '' if it cannot be read."""
    try:
        return str(await frame.ask("read", number) or "")
    except (FrameGone, Hung):
        return ""


async def content_of_focused(frame: Frame) -> str:
    """The content of the field with the focus, '' if there is none."""
    try:
        return str(await frame.ask("readFocused") or "")
    except (FrameGone, Hung):
        return ""
