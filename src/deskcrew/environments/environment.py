"""The classes that actions are written against.

Drivers are plain blocking code; the engine calls each on its own thread. A method raises
:class:`~deskcrew.errors.ActionError` for what the model can do something about (the control has gone, the window hangs) and
:class:`~deskcrew.errors.EnvironmentFailure` for what it cannot (the display died).

Acting is a set of typed methods, not one ``act()``, so that a driver cannot be sent an operation it does not know and
pyright checks every call (docs/decisions/index.md).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import Enum, auto
from typing import ClassVar, Literal, NamedTuple, Protocol

from deskcrew.environments.closing import Closing
from deskcrew.environments.expecting import NOTHING, Expected
from deskcrew.environments.person_input import Hands
from deskcrew.environments.pointing import Aim
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.observation import Control, Observation, Sent

Spot = Literal["text", "line", "before", "after"]
"""What to select of a passage in a control: the passage, or its whole lines; or the side of it to put the cursor on."""
NO_BROWSER = "There is no browser in this run."
NO_PICTURE = "There is no picture to point at in this run."


class Desktop(Closing):
    """A screen with windows: ``virtual``, ``real``, ``windows``, or a ``browser``. A subclass implements the abstract
    methods, and of the others those that it can: the rest has no effect, or raises ActionError.

    Controls are passed as they were last observed; the driver resolves them again and raises ActionError with the
    words "has gone" when they no longer exist.
    """

    points: ClassVar[bool] = False
    """Whether it can be operated by points of its picture."""

    expected: Expected = NOTHING
    """The target of the next actions."""

    @abstractmethod
    def close(self) -> None:
        """Release everything; nothing is left behind. Safe to call twice."""

    @abstractmethod
    def observe(self, *, screenshot: bool = False) -> Observation:
        """Observe. Waits (bounded) until the screen has settled after the last action. Fills ``screenshot`` when asked."""

    @abstractmethod
    def click(self, control: Control, *, button: str = "left", double: bool = False) -> None:
        """Press a control. Raises ActionError if it has gone, is disabled or covered, or something else was hit."""

    @abstractmethod
    def type_text(self, control: Control | None, text: str, *, clear: bool = False, enter: bool = False) -> str:
        """Type into a control (None: whatever has the focus). Returns the text read back, '' where it cannot be read."""

    @abstractmethod
    def select_text(self, control: Control, text: str, spot: Spot) -> str:
        """Select a passage in a control, or put the cursor before or after it (``spot``). Returns what is selected now, or
        the cursor's line. Raises ActionError unless the passage occurs exactly once."""

    @abstractmethod
    def press(self, keys: tuple[str, ...]) -> None:
        """Press keys together, e.g. ('ctrl', 's'). Key names: X keysyms in lower case and common aliases."""

    @abstractmethod
    def select(self, control: Control, option: str) -> None:
        """Choose an option of a combo box, list, tab group or menu. Raises ActionError, with all options, if it fails."""

    @abstractmethod
    def set_value(self, control: Control, value: float) -> None:
        """Set a slider or spin button. Raises ActionError if it then has another value."""

    @abstractmethod
    def scroll(self, control: Control | None, notches: int) -> None:
        """Scroll a control, or with None the window under the mouse, by notches of the wheel. Positive: up."""

    @abstractmethod
    def menu(self, path: tuple[str, ...]) -> None:
        """Choose from the active window's menu bar, e.g. ('File', 'Save As...'). Raises ActionError, with the entries, if
        there is no such entry."""

    @abstractmethod
    def applications(self) -> tuple[str, ...]:
        """Names of programs that :meth:`open_application` accepts (from .desktop files), sorted."""

    @abstractmethod
    def open_application(self, name: str, file: str | None = None) -> str:
        """Start the program meant by ``name``, wait (bounded) for its window, return its full name. ``file``: relative to
        the workspace."""

    @abstractmethod
    def activate_window(self, window: int) -> None:
        """Bring a window to the front. Raises ActionError if it has gone."""

    @abstractmethod
    def close_window(self, window: int) -> None:
        """Ask a window to close, and wait until it has gone or a dialog opens."""

    @abstractmethod
    def clipboard(self) -> str:
        """Text of the clipboard, '' if it has none."""

    @abstractmethod
    def set_clipboard(self, text: str) -> None:
        """Put text on the clipboard. Raises ActionError if the clipboard does not contain it then."""

    @abstractmethod
    def wait(self, seconds: float) -> None:
        """Wait until the screen changes and settles, at most ``seconds``."""

    # -- what it shows besides windows

    def sent(self) -> tuple[Sent, ...]:
        """What its pages have sent since the last call, oldest first."""
        return ()

    def carry_files(self) -> None:
        """Copy what has changed in the files of its programs to the workspace, and the other way round, if its programs work
        on files of their own."""
        return

    def hands(self) -> Hands:
        """Start listening to a person's mouse and keyboard. Raises EnvironmentFailure if that is impossible."""
        raise EnvironmentFailure("This desktop does not report keyboard and mouse input.")

    def read_cells(self, control: Control) -> str:
        """The contents of a range of the spreadsheet shown: one line per row, tabs between columns; '' where no range
        can be named by its address."""
        return ""

    # -- what is meant, and secrets

    def expect(self, expected: Expected) -> None:
        """Set the target of the next actions, until the next call; it is compared at the moment of acting."""
        self.expected = expected

    def origin_of(self, control: Control) -> str | None:
        """Scheme, host and port of the page that a control is in, '' if its frame has another origin; None if it is not in a
        page. Raises ActionError if it has gone."""
        return None

    def program_of_window(self, window: int) -> str | None:
        """The path of a window's program; '' if it is not a single one of the system, None if unknown. Raises ActionError if
        the window has gone."""
        return None

    def forget_copies(self, holds: Callable[[str], bool]) -> None:
        """Clear each selection whose text contains a secret."""
        return

    # -- points of its picture

    def click_at(self, aim: Aim, *, button: str = "left", double: bool = False) -> None:
        """Click at a point. ``aim`` is what the last observation has there: if something else is there by now, nothing is
        done and ActionError raised."""
        raise ActionError(NO_PICTURE)

    def drag_along(self, start: Aim, end: Aim) -> None:
        """Press the left button at one point and release it at the other."""
        raise ActionError(NO_PICTURE)

    def scroll_at(self, aim: Aim, notches: int) -> None:
        """Turn the wheel at a point. Positive: up."""
        raise ActionError(NO_PICTURE)

    # -- web pages: those of a browser, or of a window that shows a page read by script

    def open_url(self, url: str, *, new_window: bool = False) -> None:
        """Go to an address, or to a file of the workspace. Raises ActionError if it does not load."""
        raise ActionError(NO_BROWSER)

    def back(self) -> None:
        """Go to the previous page. Raises ActionError if there is none."""
        raise ActionError(NO_BROWSER)

    def forward(self) -> None:
        """Go to the next page. Raises ActionError if there is none."""
        raise ActionError(NO_BROWSER)

    def hover(self, control: Control) -> None:
        """Put the mouse on a control, and leave it there."""
        raise ActionError(NO_BROWSER)

    def drag(self, control: Control, target: Control) -> None:
        """Drag one control onto another."""
        raise ActionError(NO_BROWSER)

    def upload(self, control: Control, file: str) -> None:
        """Upload a file of the workspace: to a control that takes files, or through a button that asks for one."""
        raise ActionError(NO_BROWSER)

    def download(self, control: Control) -> str:
        """Click a control that starts a download, and wait (bounded) for the file. Returns its name in the workspace. Raises
        ActionError if none comes."""
        raise ActionError(NO_BROWSER)

    def find_text(self, text: str) -> str:
        """Bring the next occurrence of a text into view. Returns how often it occurs, and its line. Raises ActionError if it
        does not occur."""
        raise ActionError(NO_BROWSER)

    def page_markdown(self) -> str:
        """The whole page in front, as Markdown."""
        raise ActionError(NO_BROWSER)

    # -- pages looked at again, to see what was saved of what they sent

    def load_anew(self, window: int | None, url: str = "") -> None:
        """Reload the page in a window, by GET, once what it sent has been answered; None: open ``url`` in a new window.
        Nothing is sent again, and what pages send by themselves until the crew acts again is not reported. Raises
        ActionError if the page does not load."""
        raise ActionError(NO_BROWSER)

    def unfold(self) -> bool:
        """Expand what the page in front has collapsed by HTML's own means; False if there is nothing of the kind."""
        return False

    def only_reading(self) -> AbstractContextManager[None]:
        """A context in which pages can send nothing that changes anything."""
        return nullcontext()


class Fate(Enum):
    """What happens to something that a page wants to send: it goes, waits for a decision, or never goes."""

    GO = auto()
    WAIT = auto()
    NEVER = auto()


class MayGo(Protocol):
    """Decides at once what happens to something that a page wants to send."""

    def __call__(self, sent: Sent, *, beacon: bool, further: bool) -> Fate:
        """``beacon``: the page is not told what happens to it, as with the reports that pages send when they are left;
        ``further``: the same operation has already sent something else."""
        ...

    def only_asks(self, sent: Sent) -> bool:
        """Whether it is known to change nothing, so that even a page that is only looked at may send it."""
        ...

    def of_new_page(self) -> MayGo:
        """The rule for what is sent by a page that an operation led to."""
        ...

    def afterwards(self) -> MayGo:
        """The rule for what is sent after the operation, when nobody can be asked any more."""
        ...


class Link(NamedTuple):
    """A link of a page to another one. ``words``: its text; ``leads``: whether it is part of the site's navigation."""

    words: str
    url: str
    leads: bool = False


class Browser(Desktop):
    """A desktop whose windows are pages of a browser. It holds back what they want to send, except in a browser that other
    people use too."""

    @abstractmethod
    def stored(self, *, anyway: bool = False) -> str | None:
        """Cookies and what pages store, as JSON. None if it has probably not changed since the last call (except if
        ``anyway``), cannot be read soon, or belongs to a lent browser."""

    @abstractmethod
    def restore(self, state: str) -> None:
        """Restore cookies and what pages store from ``state``, as :meth:`stored` returned it. Raises ActionError for
        anything else."""

    @abstractmethod
    def judge_sends(self, may_go: MayGo) -> None:
        """Begin an operation. What pages send from now on goes only if ``may_go`` lets it; the rest waits for
        :meth:`settle_sends`."""

    @abstractmethod
    def held(self) -> tuple[Sent, ...]:
        """Wait for the operation's effect. Returns what is held back, as soon as there is any; () if everything has gone."""

    @abstractmethod
    def settle_sends(self, *, go: bool) -> bool:
        """Send what is held back, once, or discard it. False if its page had given up something that was to go."""

    @abstractmethod
    def end_judging(self) -> None:
        """End the operation: what is held back now, or comes soon after, never goes, and the next observation says so."""

    # -- other pages

    @abstractmethod
    def aside(self, *, alone: bool) -> AbstractContextManager[Browser]:
        """A separate browser for looking at other pages, which can send nothing that changes anything. It has what this one
        has stored so far or, if ``alone``, none of it. Raises ActionError if there can be none."""

    @abstractmethod
    def links(self) -> tuple[Link, ...]:
        """The links of the page in front that, according to its HTML, only open another page, in order."""

    @abstractmethod
    def status(self) -> int:
        """The HTTP status of the page in front; 0 if it is unknown."""
