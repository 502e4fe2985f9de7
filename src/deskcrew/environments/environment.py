"""The two Protocols that actions are written against.

Drivers are plain blocking code; the engine calls each on its own thread. A method raises
:class:`~deskcrew.errors.ActionError` for what the model can do something about (the control has gone, the window
hangs) and :class:`~deskcrew.errors.EnvironmentFailure` for what it cannot (the display died).

Acting is a set of typed methods, not one ``act()``, so that a driver cannot be sent an operation it does not know and
pyright checks every call (docs/decisions/index.md).
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from enum import Enum, auto
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from deskcrew.facts.observation import Control, Observation, Sent

Spot = Literal["text", "line", "before", "after"]
"""What to select of a text in a control: the text, or all of its lines; or on which side of it to put the cursor."""


class Environment(Protocol):
    """Anything that can be observed."""

    def observe(self) -> Observation: ...

    def close(self) -> None:
        """Release everything; nothing is left behind. Safe to call twice."""
        ...


@runtime_checkable
class Desktop(Environment, Protocol):
    """A screen with windows: ``virtual``, ``real``, ``windows``, or a ``browser``.

    Controls are passed as they were last observed; the driver resolves them again and raises ActionError with the
    words "has gone" when they no longer exist.
    """

    def observe(self, *, screenshot: bool = False) -> Observation:
        """Observe. Waits (bounded) until the screen has settled after the last action. Fills ``screenshot`` when asked."""
        ...

    def click(self, control: Control, *, button: str = "left", double: bool = False) -> None:
        """Press a control. Raises ActionError if it has gone, is disabled or covered, or something else was hit."""
        ...

    def type_text(self, control: Control | None, text: str, *, clear: bool = False, enter: bool = False) -> str:
        """Type into a control (None: whatever has the focus). Returns the text read back, '' where it cannot be read."""
        ...

    def select_text(self, control: Control, text: str, spot: Spot) -> str:
        """Select a text where it occurs, or put the cursor beside it. Returns what is selected now, or the cursor's line.
        Raises ActionError unless it occurs once."""
        ...

    def press(self, keys: tuple[str, ...]) -> None:
        """Press keys together, e.g. ('ctrl', 's'). Key names: X keysyms in lower case and common aliases."""
        ...

    def select(self, control: Control, option: str) -> None:
        """Choose an option of a combo box, list, tab group or menu. Raises ActionError that lists the options."""
        ...

    def set_value(self, control: Control, value: float) -> None:
        """Set a slider or spin button. Raises ActionError if it took another value."""
        ...

    def scroll(self, control: Control | None, notches: int) -> None:
        """Scroll a control, or with None the window under the mouse, by notches of the wheel. Positive: up."""
        ...

    def menu(self, path: tuple[str, ...]) -> None:
        """Choose from the active window's menu bar, e.g. ('File', 'Save As...'). Raises ActionError that lists the
        entries."""
        ...

    def applications(self) -> tuple[str, ...]:
        """Names of programs that :meth:`open_application` accepts (from .desktop files), sorted."""
        ...

    def open_application(self, name: str, file: str | None = None) -> str:
        """Start the program meant by ``name``, wait (bounded) for its window, return its full name. ``file``: relative to
        the workspace."""
        ...

    def activate_window(self, window: int) -> None:
        """Bring a window to the front. Raises ActionError if it has gone."""
        ...

    def close_window(self, window: int) -> None:
        """Ask a window to close, and wait until it has gone or a dialog opens."""
        ...

    def clipboard(self) -> str:
        """Text of the clipboard, '' if it has none."""
        ...

    def set_clipboard(self, text: str) -> None:
        """Put text on the clipboard. Raises ActionError if it does not take it."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait until the screen changes and settles, at most ``seconds``."""
        ...


@runtime_checkable
class Sends(Protocol):
    """An environment whose pages send something."""

    def sent(self) -> tuple[Sent, ...]:
        """What its pages have sent since this was last asked for, oldest first."""
        ...


@runtime_checkable
class Carries(Protocol):
    """A desktop whose programs see other files than those of the workspace."""

    def carry_files(self) -> None:
        """Carry what has changed there to the workspace, and the other way round."""
        ...


class Fate(Enum):
    """What becomes of something that a page wants to send: it goes, waits for a decision, or never goes."""

    GO = auto()
    WAIT = auto()
    NEVER = auto()


class MayGo(Protocol):
    """Says at once what becomes of something that a page wants to send."""

    def __call__(self, sent: Sent, *, beacon: bool, further: bool) -> Fate:
        """``beacon``: its page is told nothing of what becomes of it, as of what it reports about itself when it is left;
        ``further``: something else went before it on account of the same operation."""
        ...

    def only_asks(self, sent: Sent) -> bool:
        """Whether it is known to change nothing, so that a page may send it that is only looked at."""
        ...

    def of_new_page(self) -> MayGo:
        """Decides what may go of what a page sends that an operation led to."""
        ...

    def afterwards(self) -> MayGo:
        """Decides what may go once the operation is over, and nobody can be asked any more."""
        ...


@runtime_checkable
class Holds(Desktop, Protocol):
    """An environment that holds back what its pages want to send. It holds nothing where pages are somebody else's, too."""

    def judge_sends(self, may_go: MayGo) -> None:
        """An operation begins. What pages send from here on goes only where this says so; the rest waits for
        :meth:`settle_sends`."""
        ...

    def held(self) -> tuple[Sent, ...]:
        """What waits, as soon as there is any; () once all that the operation led to has gone."""
        ...

    def settle_sends(self, *, go: bool) -> bool:
        """Let what waits go, once, or never. False: what was to go had been given up by its page meanwhile."""
        ...

    def end_judging(self) -> None:
        """The operation is over: what waits now, or comes soon after, never goes, and the next observation says so."""
        ...


@runtime_checkable
class LoadsAnew(Desktop, Protocol):
    """A desktop whose pages can be loaded anew, to see what was kept of what they sent."""

    def load_anew(self, window: int | None, url: str = "") -> None:
        """Load the page in a window anew, by GET, once what it sent has been answered; None: the one at ``url``, in a new
        window. Nothing is sent again, and what pages send by themselves from here on until the crew acts again is not
        reported. Raises ActionError."""
        ...

    def unfold(self) -> bool:
        """Open what the page in front has folded in by HTML's own means; False: there is nothing of the kind."""
        ...

    def only_reading(self) -> AbstractContextManager[None]:
        """A context in which pages can send nothing that changes anything."""
        ...


class Link(NamedTuple):
    """A link of a page to another one: what it says, where it leads, and whether it is part of what leads about the site."""

    words: str
    url: str
    leads: bool = False


class Aside(Protocol):
    """A browser of its own for a look at other pages, in which these can send nothing that changes anything."""

    def observe(self) -> Observation: ...

    def unfold(self) -> bool: ...

    def click(self, control: Control) -> None:
        """Press a control. Raises ActionError."""
        ...

    def select(self, control: Control, option: str) -> None:
        """Choose an option of a control. Raises ActionError."""
        ...

    def open_url(self, url: str) -> None:
        """Go to an address. Raises ActionError."""
        ...

    def links(self) -> tuple[Link, ...]:
        """The links of the page in front that, by what it declares, only open another page, as they stand there."""
        ...

    def status(self) -> int:
        """What the server answered for the page in front; 0 if that is unknown."""
        ...


@runtime_checkable
class LooksAside(Protocol):
    """A desktop that can show pages without touching those it works on."""

    def aside(self, *, alone: bool) -> AbstractContextManager[Aside]:
        """A browser with what this one has stored by now, or, if ``alone``, without any of it. Raises ActionError if
        there can be none."""
        ...


@runtime_checkable
class Sheets(Protocol):
    """An environment in which any cell or range of a spreadsheet can be named by its address, in view or not."""

    def read_cells(self, control: Control) -> str:
        """The contents of a range of the sheet shown: one line per row, tabs between columns."""
        ...


@runtime_checkable
class Paged(Protocol):
    """Operations on web pages besides those on any window. A browser has them, and a desktop while one of its windows shows
    a page that is read by script."""

    def open_url(self, url: str, *, new_window: bool = False) -> None:
        """Go to an address, or to a file of the workspace. Raises ActionError if it does not load."""
        ...

    def back(self) -> None:
        """To the previous page. Raises ActionError if there is none."""
        ...

    def forward(self) -> None:
        """To the next page. Raises ActionError if there is none."""
        ...

    def hover(self, control: Control) -> None:
        """Put the mouse on a control, and leave it there."""
        ...

    def drag(self, control: Control, target: Control) -> None:
        """Drag one control onto another."""
        ...

    def upload(self, control: Control, file: str) -> None:
        """Upload a file of the workspace: to a control that takes files, or a button that asks for one."""
        ...

    def download(self, control: Control) -> str:
        """Click a control that starts a download, and wait (bounded) for the file. Returns its name in the workspace. Raises
        ActionError if none comes."""
        ...

    def find_text(self, text: str) -> str:
        """Bring the next occurrence of a text into view. Returns how often it occurs, and the line it is in. Raises
        ActionError if it does not occur."""
        ...

    def page_markdown(self) -> str:
        """The whole page in front, as Markdown."""
        ...


@runtime_checkable
class Browser(Desktop, Paged, Protocol):
    """A desktop whose windows are pages of a browser."""

    def stored(self, *, anyway: bool = False) -> str | None:
        """Cookies and what pages store, as JSON. None when it has probably not changed since it was last asked for, unless
        it is wanted ``anyway``; and when it cannot be read soon, or belongs to a lent browser."""
        ...

    def restore(self, state: str) -> None:
        """Restore cookies and what pages store from ``state``, as :meth:`stored` returned it. Raises ActionError for
        anything else."""
        ...
