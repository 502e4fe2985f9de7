"""Observations: the windows, controls and files of an environment, in one coordinate space (COLA 3.1, mechanism C27).

All coordinates are physical pixels of the screen that the observation was taken from, origin top left; ``Screen.scale``
is recorded with the screenshot, so that nothing else has to know about DPI (a wrong scale is the most common complaint about
such programs).
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Annotated, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from deskcrew.facts.addresses import Cells, parse

ControlOperation = Literal["click", "type", "select", "toggle", "scroll", "set"]
"""What can be done to a control: press it, type into it, choose from it, toggle it, scroll it, set its number."""
CONTROLS = "Controls (label, kind, name):"
"""In prompts, the line above the list of controls."""


class Frozen(BaseModel):
    """Base of all values that are passed through the engine: immutable, unknown fields rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid")


EXACT = 1 << 53
"""From here on numbers in JSON are no longer exact, and cannot be hashed."""
Nanoseconds = Annotated[
    int, PlainSerializer(lambda time: time if abs(time) < EXACT else str(time), return_type=int | str, when_used="json")
]
"""A file's time in nanoseconds since 1970. Events store it as text if JSON cannot represent the number exactly."""


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
    """The screen that an observation was taken from. ``scale``: physical pixels per logical pixel."""

    width: int
    height: int
    scale: float = 1.0


class Behind(Frozen):
    """What is behind a control of a page: what operating it would send, and where to.

    ``kind``: a ``link`` goes to another address and does nothing else; ``submit`` sends a form; a ``button`` does what the
    page's script decides; in a ``field``, Enter sends the form around it. ``method``: the form's method, '' if it declares
    none, so that a script decides what is sent; ``origin``: where the form is sent, '' for the page's own origin.
    ``has``: ``payment``, ``password``, ``file`` and ``message``: the form has such fields, the last two not empty (or the
    field itself is one); ``popup``: declared to open something first; ``unsaid``: only the mouse pointer shows that it can
    be pressed; ``dialog``, ``row``, and a dialog's upper ``corner``: where the control is; ``price``: a sum of money is near
    it, or the page has a cart; ``apart``: it sends the form to another address than the form declares. ``sends``: the
    name of the button that Enter in a field presses. ``hint``: what else the page calls the control, or shows on it, besides
    its name; ``classes``: the CSS classes of its picture, if the name is not a word. ``holds``: for ``submit``, the texts in
    the form's fields, hidden or not; None if they are too long to be shown.
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
"""The maximum length of a name by which a control is recognized on other screens."""


class Control(Frozen):
    """An element on the screen that can be operated or read.

    ``label`` is the name by which roles refer to it: short, and stable for the same control from one observation of a window
    to the next. ``operations`` are those that it supports; a reply cannot name any other (``actions/narrowing.py``).
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
    """What operating the control would send, as its page declares; None outside of pages, or if undeclared."""

    @property
    def called(self) -> str:
        """The role and name, by which the control is recognized on other screens."""
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
    """How many pages have been loaded in it by GET, so that a reload can be recognized."""


class Line(Frozen):
    """A line of text outside of controls, and where it is. ``read``: whether OCR read it from pixels, because nothing else
    exposes it."""

    text: str
    box: Box
    read: bool = False


class FileEntry(Frozen):
    """A file, folder or link of the workspace. ``path``: relative to the workspace, with ``/``; ``size``: bytes."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int = 0
    mtime_ns: int = 0
    digest: str | None = None
    """SHA-256 of the content; None unless it is a regular file, small enough to read at every observation."""


class Listed(Protocol):
    """A file, folder or link in a listing. ``digest``: SHA-256 of a regular file's content, if it is known."""

    @property
    def path(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def digest(self) -> str | None: ...


def moves(before: Iterable[Listed], after: Iterable[Listed]) -> dict[str, str]:
    """The old paths of files that were moved, by their new paths. A file counts as moved if its content is found under
    another path, that of its own name first; an empty one only under its own name."""
    was, now = ({entry.path: entry for entry in files if entry.kind == "file"} for files in (before, after))
    gone = [entry for path, entry in was.items() if path not in now and entry.digest]
    found: dict[str, str] = {}
    for path, entry in now.items():
        same = [each for each in gone if each.digest == entry.digest] if path not in was else []
        called = [each for each in same if PurePosixPath(each.path).name == PurePosixPath(path).name]
        if old := next(iter(called or (same if entry.size else ())), None):
            gone.remove(old)
            found[path] = old.path
    return found


ASKING = frozenset({"GET", "HEAD", "OPTIONS"})
"""HTTP methods that only request data."""

LINE = "WEBSOCKET"
"""Used as the ``method`` of a message over a WebSocket."""


class SentField(Frozen):
    """A field that a page sent. ``value``: None if the field was sent before but no longer; ``was``: the value sent before,
    None if there was none."""

    name: str
    value: str | None
    was: str | None = None


class Sent(Frozen):
    """A request that a page made. ``status``: the server's response status, None if it did not respond.

    ``changed``: ``fields`` has only what differs from the previous request to this address; ``beside``: names and values
    next to those. ``more``: how many fields are left out, or requests if there is no ``method``. ``answer``: the
    response's body, with a mark where it was truncated; '' if it was a page, or was not read. ``window``: the id of the
    page's window, and ``loads``: that window's ``loads`` then. ``queries``: the body is a GraphQL query, which by the
    standard only reads. ``aside``: a GET for something that the page may not show: a picture, a script, a frame, events.
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
        """Whether the server may have saved something. It does not tell whether a page may send it: a page can call anything
        a query."""
        return self.writes and not self.queries

    @property
    def writes(self) -> bool:
        """Whether the request may have changed something: not if its method only reads, or if it is a PUT of the same state
        as before, as some applications send at each press."""
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
    whole: str = Field(default="", exclude_if=lambda whole: not whole)
    """All text of the page as Markdown, if it was loaded anew to be looked at again."""
    note: str = ""
    """Notes on the observation itself: why something is missing from it."""
    clipboard: str | None = None
    files: tuple[FileEntry, ...] = ()
    sent: tuple[Sent, ...] = Field(default=(), exclude_if=lambda sent: not sent)
    """What pages have sent since the previous observation, oldest first."""
    put_away: tuple[str, ...] = Field(default=(), exclude_if=lambda away: not away)
    """Files written since then that programs outside would obey, and that were therefore moved away
    (``environments/obeyed.py``)."""
    drawn: Box | None = Field(default=None, exclude_if=lambda drawn: drawn is None)
    """Where the window in front shows something that no control or text exposes; None if there is no such area, or
    nobody looked (``environments/drawn.py``)."""
    lines: tuple[Line, ...] = Field(default=(), exclude_if=lambda lines: not lines)
    """Texts of the window in front with their positions, if roles may act on points of the picture."""
    places: tuple[tuple[str, Box], ...] = Field(default=(), exclude=True, repr=False)
    """Texts outside of controls, of all windows, with their positions."""
    screenshot: bytes | None = Field(default=None, exclude=True, repr=False)
    """PNG of the screen; kept as a blob, never inside an event."""

    @property
    def all_text(self) -> str:
        """``text``, and what OCR read from painted areas, in which some characters may be wrong."""
        return "\n".join((self.text, *(line.text for line in self.lines if line.read))).strip("\n")

    @property
    def on_page(self) -> bool:
        """Whether a page is in front, rather than a program's own window."""
        return bool(self.address)

    @property
    def address(self) -> str:
        """The address of the page in front; '' if there is none."""
        window = self.active_window
        return window.url if window is not None else ""

    @property
    def active_window(self) -> Window | None:
        return next((window for window in self.windows if window.active), None)

    @property
    def in_front(self) -> tuple[Control, ...]:
        """The controls of the active window; none if no window is active."""
        window = self.active_window
        return tuple(control for control in self.controls if window is not None and control.window == window.id)

    def window(self, id: int | None) -> Window | None:
        """The window with this id; None if there is none."""
        return next((window for window in self.windows if window.id == id), None)

    def instead(self, old: Control, new: Control) -> Observation:
        """This observation with ``new`` in the place of the control ``old``."""
        return self.model_copy(update={"controls": tuple(new if each is old else each for each in self.controls)})

    def control(self, label: str) -> Control | None:
        """The control with this label; None if there is none. If a spreadsheet is in front, the label may be the address of
        any cell or range, listed or not."""
        listed = next((control for control in self.controls if control.label == label), None)
        return listed or (self._cells(cells) if (cells := parse(label)) is not None else None)

    @property
    def sheet(self) -> Control | None:
        """The spreadsheet of the active window; None if it has none."""
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
    """What distinguishes an operation's target from anything else, as a person is shown it. A field is '' if it has none.

    ``window`` and ``app``: title and application of the target's window; ``page``: address of the page in that window,
    without what follows ``?`` or ``#``; ``owner``: the same as :attr:`Control.owner`.
    """

    role: str = ""
    name: str = ""
    owner: str = ""
    window: str = ""
    app: str = ""
    page: str = ""


def page_of(url: str) -> str:
    """The origin and path of an address, by which pages are compared."""
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
    """What pages sent meanwhile, without the responses."""
    put_away: tuple[str, ...] = Field(default=(), exclude_if=lambda away: not away)
    """Files that programs outside would obey, and that were therefore moved away."""
    loaded: tuple[str, ...] = Field(default=(), exclude_if=lambda loaded: not loaded)
    """Titles of windows whose page was reloaded at the same address."""

    @property
    def empty(self) -> bool:
        """True if nothing at all changed. An exit code is not a change."""
        quiet = Evidence(exit_code=self.exit_code, pixels_changed=self.pixels_changed)
        return not self.pixels_changed and self == quiet

    @property
    def faint(self) -> bool:
        """True if nothing changed but the picture and the focus."""
        return self == Evidence(exit_code=self.exit_code, pixels_changed=self.pixels_changed, focus=self.focus)

    @property
    def on_screen(self) -> bool:
        """True if windows show something else, in more than their picture and the focus."""
        files = {"files_created": (), "files_changed": (), "files_deleted": (), "put_away": (), "clipboard": None}
        return not self.model_copy(update=files).faint


class ShownFile(Frozen):
    """A file or folder as it was when a person approved an operation on it. ``kind``: ``none`` if nothing was there.

    ``digest``: SHA-256 of the content, for a folder of all its contents; '' if it was too large to read: then
    ``mtime_ns`` shows whether it is unchanged.
    """

    path: str
    kind: Literal["file", "folder", "link", "other", "none"]
    size: int = 0
    digest: str = ""
    mtime_ns: Nanoseconds = 0


class Bound(Frozen):
    """What an approval is bound to. ``target``: the control or window that is operated, None if there is none;
    ``files``: the files that the operation changes, sends or runs."""

    target: Identity | None = None
    files: tuple[ShownFile, ...] = ()


class WorkspaceNote(Frozen):
    """A file of the workspace that addresses agents: ``AGENTS.md``, or a skill. It is neither a source of an answer nor
    consent to anything. ``digest``: SHA-256 of the file's text; ``text``: what roles are shown of it; ``followed``: whether
    the user has said that it is their instruction."""

    path: str
    digest: str
    text: str
    followed: bool = False
