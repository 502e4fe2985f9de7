"""Observations: the windows, controls and files of an environment, in one coordinate space (COLA 3.1, mechanism C27).

All coordinates are physical pixels of the screen that the observation was taken from, origin top left; ``Screen.scale``
is bound to the capture, so that nobody else has to know about DPI (a wrong scale is the most common complaint about
such programs).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from deskcrew.facts.addresses import Cells, parse

ControlOperation = Literal["click", "type", "select", "toggle", "scroll", "set"]
"""What can be done to a control: press it, type into it, choose from it, toggle it, scroll it, set its number."""
CONTROLS = "Controls (label, kind, name):"
"""In prompts, the line above the controls, one a line."""


class Frozen(BaseModel):
    """Base of all values that travel through the engine: immutable, unknown fields rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid")


EXACT = 1 << 53
"""From here on JSON's numbers are no longer exact, and none of them can be hashed."""
Nanoseconds = Annotated[
    int, PlainSerializer(lambda time: time if abs(time) < EXACT else str(time), return_type=int | str, when_used="json")
]
"""A time on disk since 1970. In an event one of today is text: as a number it is larger than JSON can represent exactly."""


class Box(Frozen):
    """A rectangle in screen pixels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    def contains(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def intersection(self, other: Box) -> Box | None:
        left, top = max(self.x, other.x), max(self.y, other.y)
        right = min(self.x + self.width, other.x + other.width)
        bottom = min(self.y + self.height, other.y + other.height)
        return Box(x=left, y=top, width=right - left, height=bottom - top) if right > left and bottom > top else None


class Screen(Frozen):
    """The screen an observation belongs to. ``scale``: physical pixels per logical pixel."""

    width: int
    height: int
    scale: float = 1.0


class Behind(Frozen):
    """What is behind a control of a page: what operating it would send, and where to.

    ``kind``: ``link`` goes to another address and does nothing else; ``submit`` sends a form; ``button`` does what the page
    wants; in a ``field`` Enter sends the form that it is in. ``method``: of that form, '' where it does not say, and what it
    sends is up to a script; ``origin``: where it goes, '' for where the page is from. ``has``: ``payment``, ``password``,
    ``file`` and ``message`` are fields of the form, the last two with something in them (or what a field itself is);
    ``popup``: it is said to open something first; ``unsaid``: only the pointer says that it can be pressed; ``dialog``,
    ``row``, and a dialog's upper ``corner``: what it is in; ``price``: a sum of money is near it, or its page has a cart;
    ``apart``: it sends its form to another address than the form itself goes to. ``sends``: the name of the button that
    Enter in a field presses.
    ``hint``: what its page calls it, or shows on it, beside its name; ``classes``: where the
    name is not a word, those of its picture. ``holds``: for ``submit``, the texts in the fields of its form, hidden or not;
    None if they are too long to be told.
    """

    kind: Literal["link", "submit", "button", "field"]
    method: Literal["", "get", "post"] = ""
    origin: str = ""
    has: tuple[
        Literal[
            "payment", "password", "file", "message", "form", "popup", "unsaid", "dialog", "corner", "row", "price", "apart"
        ],
        ...,
    ] = ()
    sends: str = ""
    hint: str = ""
    classes: str = ""
    holds: tuple[str, ...] | None = Field(default=(), exclude_if=lambda holds: holds == ())


CALLED = 60
"""The maximum length of a name by which a control is known on other screens."""


class Control(Frozen):
    """An element on the screen that can be operated or read.

    ``label`` is the name by which roles refer to it: short, and stable for the same control from one observation of a window
    to the next. ``operations`` is what it admits; a reply cannot name an operation that is not in it
    (``actions/narrowing.py``).
    """

    label: str
    role: str
    name: str = ""
    value: str | None = None
    states: tuple[str, ...] = ()
    box: Box
    window: int
    operations: tuple[ControlOperation, ...] = ()
    options: tuple[str, ...] = ()
    owner: str = ""
    """The row, card or dialog it belongs to, if its name alone is ambiguous."""
    behind: Behind | None = Field(default=None, exclude_if=lambda behind: behind is None, repr=False)
    """What operating it would send, as its page declares; None outside of pages, or if undeclared."""

    @property
    def called(self) -> str:
        """Its role and name, by which it is known on other screens than this one."""
        return f'{self.role} "{(self.name or self.owner)[:CALLED]}"'


class Window(Frozen):
    """A top-level window. ``responding`` is False if its program did not answer on the accessibility bus in time."""

    id: int
    title: str
    app: str
    box: Box
    active: bool = False
    dialog: bool = False
    responding: bool = True
    pid: int | None = None
    url: str = Field(default="", exclude_if=lambda url: not url)
    """Address of the page that a browser shows in it, if known."""
    page: Box | None = Field(default=None, exclude_if=lambda page: page is None)
    """Area of that page within the window, if it does not fill it: the rest is the browser's own."""
    loads: int = Field(default=0, exclude_if=lambda loads: not loads)
    """How many pages have been loaded in it by GET, so that a page that was loaded anew can be told from the one before."""


class Line(Frozen):
    """A line of text outside of controls, and where it is. ``read``: from pixels, by OCR, as nothing else exposes
    it."""

    text: str
    box: Box
    read: bool = False


class FileEntry(Frozen):
    """A file, folder or link of the workspace. ``path`` is relative to it, with ``/``; ``size`` in bytes."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int = 0
    mtime_ns: int = 0
    digest: str | None = None
    """SHA-256 of the content; None unless it is a regular file, small enough to read at every observation."""


class Listed(Protocol):
    """A file, folder or link as a list of a folder names it. ``digest``: of a regular file's content, if it is known."""

    @property
    def path(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def digest(self) -> str | None: ...


def moves(before: Iterable[Listed], after: Iterable[Listed]) -> dict[str, str]:
    """Files that disappeared and came again under another name with the same content, by their new names; an empty one
    could be any."""
    was, now = ({entry.path: entry for entry in files if entry.kind == "file"} for files in (before, after))
    gone = [entry for path, entry in was.items() if path not in now and entry.digest and entry.size]
    found: dict[str, str] = {}
    for path, entry in now.items():
        old = next((each for each in gone if each.digest == entry.digest), None) if path not in was else None
        if old is not None:
            gone.remove(old)
            found[path] = old.path
    return found


ASKING = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods of requests that only ask for something."""

LINE = "WEBSOCKET"
"""Stands for the method of a message over a WebSocket."""


class SentField(Frozen):
    """A value that a page sent. ``value``: None if it was sent before but no longer; ``was``: what was sent there
    before, None if nothing."""

    name: str
    value: str | None
    was: str | None = None


class Sent(Frozen):
    """A request that a page made. ``status``: the server's response status, None if it did not respond.

    ``changed``: ``fields`` are only what differs from the previous request to this address; ``beside``: names and
    values next to those. ``more``: how many fields, or without a ``method`` requests, are left out. ``answer``: the
    response's body, which says where it is cut; '' if it was a page, or was not read. ``window``: of the page that made it,
    and ``loads``: what that window's were then. ``queries``: its body is a query of GraphQL, which by its standard only
    reads. ``aside``: asked for by GET for something that its page may show nothing of: a picture, a script, a frame, events.
    """

    method: str
    url: str
    status: int | None = None
    fields: tuple[SentField, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()
    changed: bool = False
    more: int = 0
    answer: str = Field(default="", exclude_if=lambda answer: not answer)
    window: int = Field(default=0, exclude_if=lambda window: not window)
    loads: int = Field(default=0, exclude_if=lambda loads: not loads)
    queries: bool = Field(default=False, exclude_if=lambda queries: not queries)
    aside: bool = Field(default=False, exclude_if=lambda aside: not aside)

    @property
    def saves(self) -> bool:
        """Whether something may have been kept of it. It says nothing of what a page may send: it can call anything a
        query."""
        return self.writes and not self.queries

    @property
    def writes(self) -> bool:
        """Whether it may have changed something: not if it opens a page, or puts a whole state that is the one of before, as
        some applications do at each press."""
        as_before = self.method == "PUT" and self.changed and not self.fields and not self.more
        return bool(self.method) and self.method not in ASKING and not as_before


class Observation(Frozen):
    """Everything a crew works on, at one moment. ``windows`` are in stacking order, topmost first."""

    screen: Screen | None = None
    windows: tuple[Window, ...] = ()
    controls: tuple[Control, ...] = ()
    focus: str | None = None
    """Label of the focused control."""
    text: str = ""
    """Readable text of the active window outside of its controls."""
    note: str = ""
    """Notes on the observation itself: why something is missing from it."""
    clipboard: str | None = None
    files: tuple[FileEntry, ...] = ()
    sent: tuple[Sent, ...] = Field(default=(), exclude_if=lambda sent: not sent)
    """What pages have sent since the previous observation, oldest first."""
    put_away: tuple[str, ...] = Field(default=(), exclude_if=lambda away: not away)
    """What programs have written since then that others outside would obey: it was put away (``environments/obeyed.py``)."""
    drawn: Box | None = Field(default=None, exclude_if=lambda drawn: drawn is None)
    """Where the window in front shows something that no control or text exposes; None if there is no such area, or
    nobody looked (``environments/drawn.py``)."""
    lines: tuple[Line, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    """Texts of the window in front with their places, if roles may act on points of the picture."""
    places: tuple[tuple[str, Box], ...] = Field(default=(), exclude=True, repr=False)
    """Texts outside of controls, of all windows, with their places."""
    screenshot: bytes | None = Field(default=None, exclude=True, repr=False)
    """PNG of the screen; kept as a blob, never inside an event."""

    @property
    def all_text(self) -> str:
        """``text``, and what OCR read from painted areas, so that characters can be wrong."""
        return "\n".join((self.text, *(line.text for line in self.lines if line.read))).strip("\n")

    @property
    def on_page(self) -> bool:
        """Whether a page is in front, rather than a program's own window."""
        window = self.active_window
        return window is not None and bool(window.url)

    @property
    def active_window(self) -> Window | None:
        return next((window for window in self.windows if window.active), None)

    @property
    def in_front(self) -> tuple[Control, ...]:
        """The controls of the active window; none if no window is active."""
        window = self.active_window
        return tuple(control for control in self.controls if window is not None and control.window == window.id)

    def window(self, id: int | None) -> Window | None:
        """The window with that number; None if there is none."""
        return next((window for window in self.windows if window.id == id), None)

    def instead(self, old: Control, new: Control) -> Observation:
        """This observation with ``new`` in the place of the control ``old``."""
        return self.model_copy(update={"controls": tuple(new if each is old else each for each in self.controls)})

    def control(self, label: str) -> Control | None:
        """The control with this label. If a spreadsheet is in front, also any cell or range by its address, listed or
        not."""
        listed = next((control for control in self.controls if control.label == label), None)
        return listed or (self._cells(cells) if (cells := parse(label)) is not None else None)

    @property
    def sheet(self) -> Control | None:
        """The spreadsheet in front."""
        return next((control for control in self.in_front if control.role == "spreadsheet"), None)

    def _cells(self, cells: Cells) -> Control | None:
        sheet, address = self.sheet, str(cells)
        if sheet is None:
            return None
        listed = (one for one in self.controls if (one.name, one.role, one.window) == (address, "cell", sheet.window))
        role = "cell" if cells.single else "range"
        made = Control(label=address, role=role, name=address, box=sheet.box, window=sheet.window)
        return next(listed, made.model_copy(update={"operations": ("click", "type")}))


class Identity(Frozen):
    """What distinguishes an operation's target from anything else, as a person is shown it. '' if it has none.

    ``window`` and ``app``: title and application of its window; ``page``: address of the page in that window, without what
    follows ``?`` or ``#``; ``owner``: as of a :class:`Control`.
    """

    role: str = ""
    name: str = ""
    owner: str = ""
    window: str = ""
    app: str = ""
    page: str = ""


def page_of(url: str) -> str:
    """Origin and path of an address: what makes a page the same page."""
    return url.partition("#")[0].partition("?")[0]


def identity_of(control: Control | None, window: Window | None) -> Identity:
    """The identity of a control, or of a window without one."""
    own = {} if control is None else {"role": control.role, "name": control.name, "owner": control.owner}
    around = {} if window is None else {"window": window.title, "app": window.app, "page": page_of(window.url)}
    return Identity.model_validate(own | around)


class ControlChange(Frozen):
    """A control whose value or states differ between two observations."""

    label: str
    role: str
    name: str
    field: Literal["name", "value", "states"]
    before: str
    after: str


class Evidence(Frozen):
    """What differs between two observations, plus what the action itself returned. Facts only, no opinion."""

    windows_opened: tuple[str, ...] = ()
    windows_closed: tuple[str, ...] = ()
    titles_changed: tuple[tuple[str, str], ...] = ()
    active_window: tuple[str, str] | None = None
    controls_appeared: tuple[str, ...] = ()
    controls_gone: tuple[str, ...] = ()
    controls_changed: tuple[ControlChange, ...] = ()
    focus: tuple[str, str] | None = None
    files_created: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()
    files_deleted: tuple[str, ...] = ()
    clipboard: tuple[str, str] | None = None
    pixels_changed: bool | None = None
    """Whether the screenshots differ; None if neither side has one."""
    exit_code: int | None = None
    sent: tuple[Sent, ...] = Field(default=(), exclude_if=lambda sent: not sent)
    """What pages sent meanwhile, without what was answered."""
    put_away: tuple[str, ...] = Field(default=(), exclude_if=lambda away: not away)
    """What programs wrote that others outside would obey, and that was put away."""
    loaded: tuple[str, ...] = Field(default=(), exclude_if=lambda loaded: not loaded)
    """Titles of windows whose page was loaded anew at the same address."""

    @property
    def empty(self) -> bool:
        """True if nothing at all changed. An exit code is not a change."""
        quiet = Evidence(exit_code=self.exit_code, pixels_changed=self.pixels_changed)
        return not self.pixels_changed and self == quiet

    @property
    def faint(self) -> bool:
        """True if nothing changed but the picture and what has the focus."""
        return self == Evidence(exit_code=self.exit_code, pixels_changed=self.pixels_changed, focus=self.focus)


class ShownFile(Frozen):
    """A file or folder as it was when a person approved an operation on it; ``kind`` ``none``: there was none.

    ``digest``: SHA-256 of its content, of a folder over all its contents; '' if it was too large to read; then
    ``mtime_ns`` shows whether it is unchanged.
    """

    path: str
    kind: Literal["file", "folder", "link", "other", "none"]
    size: int = 0
    digest: str = ""
    mtime_ns: Nanoseconds = 0


class Bound(Frozen):
    """What an approval is bound to. ``target``: the control or window that is operated, None if there is none;
    ``files``: those that the operation changes, sends or runs."""

    target: Identity | None = None
    files: tuple[ShownFile, ...] = ()


class WorkspaceNote(Frozen):
    """What a file of the workspace says to agents: ``AGENTS.md``, or a skill. ``digest``: SHA-256 of the file's text;
    ``text``: what roles are told about it; ``followed``: the user has said that it is their word. It is neither a source
    of an answer nor consent to anything."""

    path: str
    digest: str
    text: str
    followed: bool = False
