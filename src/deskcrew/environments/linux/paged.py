"""A Linux desktop whose browser's pages are read and operated by script; everything else works as on any desktop."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from deskcrew.environments.environment import Spot
from deskcrew.environments.expecting import Expected
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.look.controls import EMBEDDED, SeenControl
from deskcrew.environments.linux.screen.x11 import XWindow, poll_until
from deskcrew.environments.names import named
from deskcrew.environments.pointing import Aim, past
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Control, Observation, Sent

if TYPE_CHECKING:
    from deskcrew.environments.linux.pages.paging import Paging

PAGE_SECONDS = 3.0
"""Seconds that a page may take to report itself again, before it counts as gone."""
GONE = "The browser has gone. Look again."
NO_PAGE = "No page of a browser is open. Open one first."


class PagedDesktop(LinuxDesktop):
    """A :class:`LinuxDesktop` that can also do what is done on web pages while the crew has Chromium open in it."""

    # -- finding

    @property
    def paging(self) -> Paging:
        """Operates pages. Raises ActionError if the browser has gone."""
        link = self.chromium.link
        if link is None or not link.alive:
            raise ActionError(GONE)
        from deskcrew.environments.linux.pages.paging import Paging  # with what speaks with browsers, as they are started

        return Paging(self, link)

    def of_page(self, control: Control | None) -> SeenControl | None:
        """The source of a control of a page; None for any other control. Raises ActionError if it has gone."""
        if control is None:
            return None
        seen = self._seen.get(control.label)
        return self.last_seen(control) if seen is not None and seen.place is not None else None

    def place_of(self, seen: SeenControl) -> Box:
        """Where the page of a control is on the screen now. Raises ActionError if it has gone."""
        node = self._actor.resolve_node(seen.program, seen.node)
        return Box(x=node.box[0], y=node.box[1], width=node.box[2], height=node.box[3])

    def free_place(self, control: Control) -> tuple[int, int]:
        """A point of a control that no other window covers. Raises ActionError if there is none."""
        return self._actor.free_place(control, popups=False)

    def active_page(self) -> int | None:
        """The number of the page that the active window shows; None if it shows none."""
        active = next((window.id for window in self._screenful.windows if window.active), None)
        page = self._observing.pages.get(active) if active is not None else None
        return page.number if page is not None else None

    def bring_page_forward(self) -> int:
        """Activate the foremost window that shows a page. Returns the page's number. Raises ActionError if none does."""
        self.check_alive()
        self.settle()
        link = self.chromium.link
        seconds = PAGE_SECONDS if link is not None and link.alive else 0.0
        window = poll_until(self._foremost, seconds, self.wait_for_event)
        if window is None:
            raise ActionError(NO_PAGE if link is None or link.alive else GONE)
        self.bring_forward(window)
        return self._observing.pages[window.id].number

    def _foremost(self) -> XWindow | None:
        """The foremost window that shows a page; the active one comes before all others."""
        self.look(everything=True)
        shown = [window for window in self._screenful.windows if window.id in self._observing.pages]
        return min(shown, key=lambda window: not window.active, default=None)

    def address_of(self, url: str) -> str:
        """The meaning of an address as people write it. Raises ActionError if it is refused."""
        from deskcrew.environments.browser.browser import address

        return address(url, self._folder, self._workspace)

    def origin_of(self, control: Control) -> str | None:
        seen = self.of_page(control)
        return self.paging.origin_of(seen.control) if seen is not None else None

    def sent(self) -> tuple[Sent, ...]:
        link = self.chromium.link
        windows = {page.number: window for window, page in self._observing.pages.items()}
        sent = link.sent() if link is not None else ()
        return tuple(each.model_copy(update={"window": windows.get(each.window, 0)}) for each in sent)

    def load_anew(self, window: int | None, url: str = "") -> None:
        """See :class:`~deskcrew.environments.environment.Desktop`. Only reloads a page in a window: a new tab would stay
        in front of it."""
        page = self._observing.pages.get(window) if window is not None else None
        if page is None:
            raise ActionError("No window shows it any longer.")
        self.paging.load_anew(page.number)
        self._on_page()

    @contextmanager
    def only_reading(self) -> Generator[None]:
        self.paging.guard(True)
        try:
            yield
        finally:
            self.paging.guard(False)

    def expect(self, expected: Expected) -> None:
        """Set the target of the next actions, which are the crew's."""
        super().expect(expected)
        if (link := self.chromium.link) is not None:
            link.by_crew()

    def observe(self, *, screenshot: bool = False) -> Observation:
        """Observe, with notes on files that pages have handed over. Raises EnvironmentFailure if the desktop has ended."""
        seen, link = super().observe(screenshot=screenshot), self.chromium.link
        notes = link.told() if link is not None else []
        return seen.model_copy(update={"note": " ".join(filter(None, [seen.note, *notes]))}) if notes else seen

    # -- waiting

    def settle(self) -> None:
        """Like :meth:`LinuxDesktop.settle`, once the page in front has settled."""
        page, link = self.active_page() if self._acted_at else None, self.chromium.link
        if page is not None and link is not None and link.alive:
            link.settle(page)
        super().settle()

    def _on_page(self) -> None:
        """Note that something was done to a page, which need not show in pixels or signals."""
        self._changes = -1
        self.acted()

    # -- acting on controls

    def click(self, control: Control, *, button: str = "left", double: bool = False) -> None:
        if (seen := self.of_page(control)) is None:
            super().click(control, button=button, double=double)
            return
        try:
            self.paging.click(seen.control, button=button, double=double)
        finally:
            self._on_page()

    def type_text(self, control: Control | None, text: str, *, clear: bool = False, enter: bool = False) -> str:
        if (seen := self.of_page(control)) is None:
            read = super().type_text(control, text, clear=clear, enter=enter)
            if control is None and self.active_page() is not None:
                read = self.paging.read_focused() or read.replace(EMBEDDED, "")
            return read
        try:
            return self.paging.type_text(seen.control, text, clear=clear, enter=enter)
        finally:
            self._on_page()

    def select(self, control: Control, option: str) -> None:
        if (seen := self.of_page(control)) is None:
            super().select(control, option)
        else:
            self.paging.select(seen.control, option)
            self._on_page()

    def select_text(self, control: Control, text: str, spot: Spot) -> str:
        if (seen := self.of_page(control)) is None:
            return super().select_text(control, text, spot)
        selected = self.paging.select_text(seen.control, text, spot)
        self._on_page()
        return selected

    def set_value(self, control: Control, value: float) -> None:
        if (seen := self.of_page(control)) is None:
            super().set_value(control, value)
        else:
            self.paging.set_value(seen.control, value)
            self._on_page()

    def scroll(self, control: Control | None, notches: int) -> None:
        if (seen := self.of_page(control)) is None:
            super().scroll(control, notches)
        else:
            self.input.scroll(*self._point(seen.control), notches)
            self._on_page()

    def click_at(self, aim: Aim, *, button: str = "left", double: bool = False) -> None:
        super().click_at(aim, button=button, double=double)
        self._on_page()

    def drag_along(self, start: Aim, end: Aim) -> None:
        super().drag_along(start, end)
        self._on_page()

    def scroll_at(self, aim: Aim, notches: int) -> None:
        super().scroll_at(aim, notches)
        self._on_page()

    def press_at(self, aim: Aim, press: Callable[[], None]) -> None:
        """Press at a point; in a page, the target is checked there first. Raises ActionError if it has changed."""
        page = self._observing.pages.get(aim.window.id) if aim.window is not None else None
        if page is None or not page.box.contains(*aim.point):
            press()
        else:
            self.paging.press_at(page.number, aim.control, press)

    def hover(self, control: Control) -> None:
        self.input.move(*self._point(control))
        self._on_page()

    def drag(self, control: Control, target: Control) -> None:
        # The first again at last: what brought the second into view may have moved it.
        self._point(control)
        x, y = past(control.box, target.box, self._point(target))
        self.input.drag(self._point(control), (int(x), int(y)))
        self._on_page()

    def _point(self, control: Control) -> tuple[int, int]:
        if (seen := self.of_page(control)) is not None:
            return self.paging.point(seen.control)
        return self._actor.free_point(self._actor.resolve(control))

    # -- pages

    def open_url(self, url: str, *, new_window: bool = False) -> None:
        self.paging.open_url(url, new_window=new_window)
        self._on_page()

    def back(self) -> None:
        self.paging.go(-1)
        self._on_page()

    def forward(self) -> None:
        self.paging.go(1)
        self._on_page()

    def find_text(self, text: str) -> str:
        found = self.paging.find_text(text)
        self._on_page()
        return found

    def page_markdown(self) -> str:
        return self.paging.markdown()

    def upload(self, control: Control, file: str) -> None:
        self.paging.give_file(self._paged(control), file, f"{self._workspace}/{file}")
        self._on_page()

    def download(self, control: Control) -> str:
        try:
            return self.paging.download(self._paged(control))
        finally:
            self._on_page()

    def _paged(self, control: Control) -> Control:
        if (seen := self.of_page(control)) is None:
            raise ActionError(f"{named(control)} is not a control of a page.")
        return seen.control
