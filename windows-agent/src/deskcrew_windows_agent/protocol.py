"""What is said between a run and the agent: JSON objects, one a line or one a message, of the models below.

The run asks, the agent answers each request with one reply, in order. The first request is a :class:`Hello`. A reply may
always be :class:`Refused`, which a model can do something about, or :class:`Failed`, after which the agent hangs up.

Names are those of Microsoft's documentation of UI Automation, without their endings: the control type ``Button`` is
UIA_ButtonControlTypeId, the pattern ``Invoke`` is IUIAutomationInvokePattern. Places are in physical pixels, from the top
left of all monitors together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

VERSION = 1
"""Raised when an older peer would misunderstand."""
LONGEST_LINE = 48 << 20
"""The maximum length of a message in bytes: a picture of several monitors, a file."""
LARGEST_FILE = 32 << 20
MOST_FILES = 5000
MOST_ELEMENTS = 3000
"""Elements that are read at most in one look, those of the topmost windows first."""
LONGEST_TEXT = 20_000
"""The maximum length of an element's text in characters."""
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
"""Where an agent may be reached without TLS."""
ANSWER_SECONDS = 20.0
"""The agent's limit for one request; whoever waits three times as long waits for nobody."""

Pattern = Literal[
    "Invoke", "Toggle", "Value", "RangeValue", "SelectionItem", "ExpandCollapse", "Scroll", "Text", "ItemContainer"
]  # fmt: skip
Verb = Literal["invoke", "toggle", "select", "expand", "collapse", "set value", "set number", "focus", "find"]
"""What can be ordered of an element by its patterns, and that it takes the keyboard. ``find``: that it makes the item with
the name that is given, which a long list only has once it is needed."""
Button = Literal["left", "right", "middle"]
Key = tuple[int, ...]
"""An element's RuntimeId: unique on the desktop while it exists."""


class Message(BaseModel):
    """Immutable, unknown fields rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", val_json_bytes="base64", ser_json_bytes="base64")


class Place(Message):
    """A rectangle of the screen."""

    x: int
    y: int
    width: int
    height: int


class Element(Message):
    """An element and what is in it. ``box`` None: it has no place; ``value``: of the pattern Value, or the text of the
    pattern Text; ``number``: of RangeValue. What belongs to a pattern that it lacks is None."""

    type: str
    key: Key
    name: str = ""
    box: Place | None = None
    enabled: bool = True
    offscreen: bool = False
    focused: bool = False
    password: bool = False
    patterns: tuple[Pattern, ...] = ()
    value: str | None = None
    read_only: bool = False
    number: float | None = None
    toggled: Literal["off", "on", "indeterminate"] | None = None
    selected: bool | None = None
    expanded: Literal["collapsed", "expanded", "partially expanded", "leaf node"] | None = None
    children: tuple[Element, ...] = ()

    def below(self) -> Iterator[Element]:
        """Everything in it, in order, parents before what is in them."""
        for child in self.children:
            yield child
            yield from child.below()


class TopWindow(Message):
    """A window of the desktop, or an open menu or list of one. ``id``: its handle; ``app``: the name of its program's file;
    ``program``: the path of that, '' unless only administrators can change it; ``dialog``: it belongs to another window;
    ``responding`` False: its program hangs, and was not asked for what is in it; ``reachable`` False: its program runs with
    an administrator's rights, which the agent does not have."""

    id: int
    app: str
    pid: int
    root: Element
    program: str = ""
    active: bool = False
    dialog: bool = False
    responding: bool = True
    reachable: bool = True


class Screen(Message):
    """All monitors together. ``scale``: physical pixels per logical pixel where the active window is."""

    width: int
    height: int
    scale: float = 1.0


class Snapshot(Message):
    """The screen at one moment. ``windows``: topmost first; ``cut``: there is more than was read."""

    screen: Screen
    windows: tuple[TopWindow, ...]
    cut: bool = False


class FolderEntry(Message):
    """A file of the agent's folder. ``path``: in it, with ``/``; ``changed``: nanoseconds since 1970."""

    path: str
    size: int
    changed: int


# -- requests


class Hello(Message):
    type: Literal["hello"] = "hello"
    version: int = VERSION
    token: str = Field(default="", repr=False)


class Observe(Message):
    type: Literal["observe"] = "observe"


class TakePicture(Message):
    type: Literal["picture"] = "picture"


class Order(Message):
    """Order something of an element of the last look."""

    type: Literal["order"] = "order"
    key: Key
    verb: Verb
    argument: str | float | None = None


class Click(Message):
    type: Literal["click"] = "click"
    x: int
    y: int
    button: Button = "left"
    count: int = Field(default=1, ge=1, le=3)


class Wheel(Message):
    """Turn the wheel at a place. Positive: up."""

    type: Literal["wheel"] = "wheel"
    x: int
    y: int
    notches: int = Field(ge=-100, le=100)


class Press(Message):
    """Press keys together, by their virtual-key codes."""

    type: Literal["press"] = "press"
    codes: tuple[Annotated[int, Field(gt=0, lt=256)], ...] = Field(max_length=8)


class Type(Message):
    """Type text into whatever has the keyboard."""

    type: Literal["type"] = "type"
    text: str = Field(max_length=LONGEST_TEXT)


class BringForward(Message):
    type: Literal["bring_forward"] = "bring_forward"
    window: int


class CloseWindow(Message):
    type: Literal["close_window"] = "close_window"
    window: int


class ReadClipboard(Message):
    type: Literal["clipboard"] = "clipboard"


class SetClipboard(Message):
    type: Literal["set_clipboard"] = "set_clipboard"
    text: str


class ListPrograms(Message):
    type: Literal["programs"] = "programs"


class Start(Message):
    """Start a program by its name in the list."""

    type: Literal["start"] = "start"
    program: str


class ListFiles(Message):
    type: Literal["files"] = "files"


class ReadFile(Message):
    type: Literal["read"] = "read"
    path: str


class WriteFile(Message):
    """Write a file. One that is there, and was not written so before, is kept in the folder ``.deskcrew-replaced``."""

    type: Literal["write"] = "write"
    path: str
    content: bytes = Field(repr=False)


class RemoveFile(Message):
    """Remove a file; it is kept as above."""

    type: Literal["remove"] = "remove"
    path: str


class Close(Message):
    type: Literal["close"] = "close"


Acting = Order | Click | Wheel | Press | Type | BringForward | CloseWindow | SetClipboard | Start
"""What changes something on the screen, and so waits while a person is at work there."""
Asking = Observe | TakePicture | ReadClipboard | ListPrograms | ListFiles | ReadFile | WriteFile | RemoveFile | Close
Request = Annotated[Hello | Acting | Asking, Field(discriminator="type")]


# -- replies


class Welcome(Message):
    """``system``: of the machine, in words; ``folder``: the path of the folder whose files can be read and written, as
    programs there name it; '' if there is none. ``lacks``: what the agent cannot do on this machine, whole sentences."""

    type: Literal["welcome"] = "welcome"
    version: int = VERSION
    system: str = ""
    folder: str = ""
    lacks: tuple[str, ...] = ()


class Done(Message):
    type: Literal["done"] = "done"


class Seen(Message):
    type: Literal["seen"] = "seen"
    snapshot: Snapshot


class Content(Message):
    """A picture (PNG), or what is in a file."""

    type: Literal["content"] = "content"
    content: bytes = Field(repr=False)


class Text(Message):
    type: Literal["text"] = "text"
    text: str


class Programs(Message):
    type: Literal["programs"] = "programs"
    names: tuple[str, ...]


class Files(Message):
    """``cut``: there are more."""

    type: Literal["files"] = "files"
    files: tuple[FolderEntry, ...]
    cut: bool = False


class Refused(Message):
    """It was not done: something has gone, or refuses."""

    type: Literal["refused"] = "refused"
    why: str


class Failed(Message):
    """Nothing can be done any more. ``hint``: what a person can do about it."""

    type: Literal["failed"] = "failed"
    why: str
    hint: str = ""


Reply = Annotated[
    Welcome | Done | Seen | Content | Text | Programs | Files | Refused | Failed, Field(discriminator="type")
]  # fmt: skip
REQUESTS: TypeAdapter[Hello | Acting | Asking] = TypeAdapter(Request)
REPLIES: TypeAdapter[Welcome | Done | Seen | Content | Text | Programs | Files | Refused | Failed] = TypeAdapter(Reply)
