"""What UI Automation tells of windows, as plain values: read from a machine, or from a file (JSON).

Names are those of Microsoft's documentation, without their endings: the control type ``Button`` is UIA_ButtonControlTypeId,
the pattern ``Invoke`` is IUIAutomationInvokePattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, Protocol

from deskcrew.facts.observation import Box, Frozen, Screen

Pattern = Literal["Invoke", "Toggle", "Value", "RangeValue", "SelectionItem", "ExpandCollapse", "Scroll", "Text"]
Verb = Literal["invoke", "toggle", "select", "expand", "collapse", "set value", "set number", "focus"]
"""What can be ordered of an element by its patterns, and that it takes the keyboard."""
Key = tuple[int, ...]
"""An element's RuntimeId: unique on the desktop while it exists."""

PATTERNS: Mapping[str, tuple[Pattern, ...]] = {
    "Button": ("Invoke", "Toggle", "ExpandCollapse"),
    "CheckBox": ("Toggle",),
    "ComboBox": ("ExpandCollapse", "Value"),
    "DataGrid": ("Scroll",),
    "DataItem": ("SelectionItem", "ExpandCollapse", "Toggle", "Value"),
    "Document": ("Text", "Scroll", "Value"),
    "Edit": ("Text", "Value", "RangeValue", "Scroll"),
    "HeaderItem": ("Invoke",),
    "Hyperlink": ("Invoke", "Value"),
    "List": ("Scroll",),
    "ListItem": ("SelectionItem", "ExpandCollapse", "Invoke", "Toggle", "Value"),
    "MenuItem": ("ExpandCollapse", "Invoke", "Toggle", "SelectionItem"),
    "ProgressBar": ("RangeValue", "Value"),
    "RadioButton": ("SelectionItem",),
    "Slider": ("RangeValue", "Value"),
    "Spinner": ("RangeValue", "Value"),
    "SplitButton": ("Invoke", "ExpandCollapse"),
    "TabItem": ("SelectionItem", "Invoke"),
    "Table": ("Scroll",),
    "Tree": ("Scroll",),
    "TreeItem": ("ExpandCollapse", "SelectionItem", "Invoke", "Toggle"),
}
"""The patterns that an element of a control type may have, of those that are used here (Microsoft's "Control pattern mapping
for UI Automation clients"). No other is asked for: each question goes to the program."""


class Element(Frozen):
    """An element and what is in it. ``box``: pixels of the screen, None where it has no place; ``value``: of the pattern
    Value, or the text of the pattern Text; ``number``: of RangeValue. What belongs to a pattern that it lacks is None."""

    type: str
    key: Key
    name: str = ""
    box: Box | None = None
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


class TopWindow(Frozen):
    """A window of the desktop, or an open menu or list of one. ``id``: its handle; ``app``: the name of its program's file;
    ``modal``: it is a dialog; ``responding`` False: its program hangs, and was not asked for what is in it."""

    id: int
    app: str
    pid: int
    root: Element
    active: bool = False
    modal: bool = False
    responding: bool = True


class Snapshot(Frozen):
    """The screen at one moment. ``windows``: topmost first; ``cut``: there is more than was read."""

    screen: Screen
    windows: tuple[TopWindow, ...]
    cut: bool = False


class Machine(Protocol):
    """A Windows machine with somebody's session. Blocking. Every method raises ActionError for what has gone or refuses,
    EnvironmentFailure for what a run cannot go on without. Places are in pixels of the screen."""

    def look(self) -> Snapshot: ...

    def order(self, key: Key, verb: Verb, argument: str | float | None = None) -> None: ...

    def click(self, x: int, y: int, button: str, count: int) -> None: ...

    def wheel(self, x: int, y: int, notches: int) -> None:
        """Turn the wheel at a place. Positive: up."""
        ...

    def press(self, codes: tuple[int, ...]) -> None:
        """Press keys together, by their virtual-key codes."""
        ...

    def type(self, text: str) -> None:
        """Type text into whatever has the keyboard."""
        ...

    def picture(self) -> bytes:
        """PNG of the screen."""
        ...

    def clipboard(self) -> str: ...

    def set_clipboard(self, text: str) -> None: ...

    def bring_forward(self, window: int) -> None: ...

    def close_window(self, window: int) -> None: ...

    def programs(self) -> Mapping[str, str]:
        """What the start menu offers: the id of each program, by its name."""
        ...

    def start(self, program: str) -> None:
        """Start a program by its id."""
        ...

    def close(self) -> None: ...
