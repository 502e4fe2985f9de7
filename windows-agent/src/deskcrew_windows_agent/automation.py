"""Windows itself: UI Automation for what is in windows, the library ``uiautomation`` for mouse, keyboard and clipboard.

Nothing is decided here: what is told is copied, what is ordered is done. A window is read by one call: its elements with
properties and patterns come together, as each question of its own would go to the window's program and back. Modules that
only Windows has are imported when the machine is started.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, TypeVar

from PIL import ImageGrab

from deskcrew_windows_agent.machine import FailedError, RefusedError
from deskcrew_windows_agent.overseeing import Overseer, Watch
from deskcrew_windows_agent.programs import start_menu
from deskcrew_windows_agent.protocol import (
    ANSWER_SECONDS,
    LONGEST_TEXT,
    MOST_ELEMENTS,
    Button,
    Element,
    Key,
    Pattern,
    Place,
    Screen,
    Snapshot,
    TopWindow,
    Verb,
)
from deskcrew_windows_agent.system import System

TYPES = (
    "Button", "Calendar", "CheckBox", "ComboBox", "Edit", "Hyperlink", "Image", "ListItem", "List", "Menu", "MenuBar",
    "MenuItem", "ProgressBar", "RadioButton", "ScrollBar", "Slider", "Spinner", "StatusBar", "Tab", "TabItem", "Text",
    "ToolBar", "ToolTip", "Tree", "TreeItem", "Custom", "Group", "Thumb", "DataGrid", "DataItem", "Document", "SplitButton",
    "Window", "Pane", "Header", "HeaderItem", "Table", "TitleBar", "Separator", "SemanticZoom", "AppBar",
)  # fmt: skip
"""Control types in the order of their ids, of which the first is 50000."""
PATTERNS: Mapping[str, tuple[Pattern, ...]] = {
    "Button": ("Invoke", "Toggle", "ExpandCollapse"),
    "CheckBox": ("Toggle",),
    "ComboBox": ("ExpandCollapse", "Value", "ItemContainer"),
    "DataGrid": ("Scroll", "ItemContainer"),
    "DataItem": ("SelectionItem", "ExpandCollapse", "Toggle", "Value"),
    "Document": ("Text", "Scroll", "Value"),
    "Edit": ("Text", "Value", "RangeValue", "Scroll"),
    "HeaderItem": ("Invoke",),
    "Hyperlink": ("Invoke", "Value"),
    "List": ("Scroll", "ItemContainer"),
    "ListItem": ("SelectionItem", "ExpandCollapse", "Invoke", "Toggle", "Value"),
    "MenuItem": ("ExpandCollapse", "Invoke", "Toggle", "SelectionItem"),
    "ProgressBar": ("RangeValue", "Value"),
    "RadioButton": ("SelectionItem",),
    "Slider": ("RangeValue", "Value"),
    "Spinner": ("RangeValue", "Value"),
    "SplitButton": ("Invoke", "ExpandCollapse"),
    "TabItem": ("SelectionItem", "Invoke"),
    "Table": ("Scroll", "ItemContainer"),
    "Tree": ("Scroll", "ItemContainer"),
    "TreeItem": ("ExpandCollapse", "SelectionItem", "Invoke", "Toggle"),
}
"""The patterns that an element of a control type may have, of those that are used here (Microsoft's "Control pattern mapping
for UI Automation clients")."""
POPUPS = frozenset({"Menu", "List", "ToolTip"})
SHELL = frozenset({"Progman", "WorkerW", "Shell_TrayWnd", "Shell_SecondaryTrayWnd"})
"""Classes of the desktop's own windows: its background and its task bar."""
TOGGLED = ("off", "on", "indeterminate")
EXPANDED = ("collapsed", "expanded", "partially expanded", "leaf node")
ORDERS: Mapping[Verb, tuple[Pattern, str]] = {
    "invoke": ("Invoke", "Invoke"), "toggle": ("Toggle", "Toggle"), "select": ("SelectionItem", "Select"),
    "expand": ("ExpandCollapse", "Expand"), "collapse": ("ExpandCollapse", "Collapse"),
    "set value": ("Value", "SetValue"), "set number": ("RangeValue", "SetValue"),
}  # fmt: skip
"""The pattern and its method for each order but ``focus`` and ``find``."""
PROPERTIES = {
    "RuntimeId": 30000, "BoundingRectangle": 30001, "ControlType": 30003, "Name": 30005, "HasKeyboardFocus": 30008,
    "IsEnabled": 30010, "IsPassword": 30019, "NativeWindowHandle": 30020, "IsOffscreen": 30022, "ValueValue": 30045,
    "ValueIsReadOnly": 30046, "RangeValueValue": 30047, "RangeValueIsReadOnly": 30048, "ExpandCollapseState": 30070,
    "SelectionItemIsSelected": 30079, "ToggleState": 30086,
}  # fmt: skip
PATTERN_IDS: Mapping[Pattern | Literal["ScrollItem", "VirtualizedItem"], int] = {
    "Invoke": 10000, "Value": 10002, "RangeValue": 10003, "Scroll": 10004, "ExpandCollapse": 10005, "SelectionItem": 10010,
    "Text": 10014, "Toggle": 10015, "ScrollItem": 10017, "ItemContainer": 10019, "VirtualizedItem": 10020,
}  # fmt: skip
SUBTREE = 7
"""The scope of a question about an element and all that is in it."""
PROGRAM_SECONDS, LOOK_SECONDS = 5, 0.75 * ANSWER_SECONDS
"""What one question may take a program, and a look all of them."""
ENTER, TAB = 0x0D, 0x09
How = Literal["Cached", "Current"]
"""Where an element's properties are from: they came with it, or each is asked for."""
Answer = TypeVar("Answer")


class SlowError(RefusedError):
    """A program has not answered in time."""


class Automation:
    """A :class:`~deskcrew_windows_agent.machine.Machine`: the one that we run on. One thread asks programs, and another one
    takes its place when a program does not answer."""

    def __init__(self, watch: Watch) -> None:
        """Raises FailedError if a library is not installed, or there is no desktop."""
        try:
            sys.__dict__["coinit_flags"] = 0  # what comtypes reads: its objects may be used by any thread
            self._ui: Any = importlib.import_module("uiautomation")
            self._com: Any = importlib.import_module("comtypes.client")
            self._refused: Any = importlib.import_module("comtypes").COMError
        except ImportError as error:
            hint = "pip install deskcrew-windows-agent, on Windows."
            raise FailedError(f"{error.name} is missing, so Windows cannot be operated.", hint) from error
        self._watch = watch
        self._system = System()
        self._system.check_session()
        self._known: dict[Key, Any] = {}
        self._menu: Mapping[str, str] | None = None
        try:
            self._renew()
        except (OSError, AssertionError, ImportError) as error:
            raise FailedError(f"UI Automation cannot be used here: {error}.", "Restart Windows.") from error
        self._overseer = Overseer(watch)
        self.lacks = self._overseer.lacks

    def _begin(self) -> None:
        self._ui.Logger.SetLogFile("")
        self._ui.InitializeUIAutomationInCurrentThread()
        self._core: Any = self._com.GetModule("UIAutomationCore.dll")
        self._client: Any = self._com.CreateObject(
            "{ff48dba4-60ef-4201-aa87-54103eef594e}", interface=self._core.IUIAutomation
        )
        with contextlib.suppress(self._refused, AttributeError):  # older Windows have no limits
            limits = self._client.QueryInterface(self._core.IUIAutomation2)
            limits.ConnectionTimeout = limits.TransactionTimeout = PROGRAM_SECONDS * 1000
        self._walker: Any = self._client.RawViewWalker
        self._request: Any = None
        with contextlib.suppress(self._refused):  # Windows does it, what stands in for it may not
            request = self._client.CreateCacheRequest()
            request.TreeScope = SUBTREE
            request.TreeFilter = self._client.RawViewCondition
            for number in PROPERTIES.values():
                request.AddProperty(number)
            for number in PATTERN_IDS.values():
                request.AddPattern(number)
            self._request = request

    def _renew(self) -> None:
        """Start the thread, also instead of one that waits for a program."""
        self._thread = ThreadPoolExecutor(1, "deskcrew-windows")
        self._do(self._begin)

    def _do(self, work: Callable[[], Answer], seconds: float = ANSWER_SECONDS) -> Answer:
        def done() -> Answer:
            try:
                return work()
            except self._refused as error:
                raise RefusedError(f"Windows refused it ({error.text or error.hresult}). Look again.") from error

        try:
            return self._thread.submit(done).result(seconds)
        except TimeoutError as error:
            self._thread.shutdown(wait=False)
            self._renew()
            raise SlowError("A program does not answer. Wait, or use another window.") from error

    def close(self) -> None:
        """End the threads, and take the banner away."""
        self._overseer.close()
        self._thread.submit(self._ui.UninitializeUIAutomationInCurrentThread)
        self._thread.shutdown(wait=False)

    # -- looking

    def look(self) -> Snapshot:
        """Everything, as it is now. A window whose program takes too long is told without what is in it."""
        self._system.check_session()
        self._known, self._cut = {}, False
        self._origin, (width, height) = self._system.screen()
        front, until = self._ui.GetForegroundWindow(), time.monotonic() + LOOK_SECONDS
        windows: list[TopWindow] = []
        for handle in self._system.windows():
            if self._system.class_of(handle) in SHELL or self._system.process_of(handle) == os.getpid():
                continue
            if self._system.hangs(handle) or not self._system.reachable(self._system.process_of(handle)):
                windows.append(self._silent(handle, front))
                continue
            try:
                left = max(1.0, until - time.monotonic())
                found = self._do(lambda handle=handle: self._window(handle, front), left)
                windows += [found] if found is not None else []
            except SlowError:
                windows.append(self._silent(handle, front))
            except RefusedError:  # it has just gone
                pass
        return Snapshot(
            screen=Screen(width=width, height=height, scale=self._system.scale_at(front)),
            windows=tuple(windows),
            cut=self._cut,
        )

    def _silent(self, handle: int, front: int) -> TopWindow:
        """A window that cannot be asked, as Windows itself tells it."""
        pid = self._system.process_of(handle)
        reachable = self._system.reachable(pid)
        box = self._place(self._system.place_of(handle))
        root = Element(type="Window", key=(handle,), name=self._system.title_of(handle), box=box)
        app, program = self._system.program_of(pid)
        return TopWindow(
            id=handle,
            app=app,
            pid=pid,
            program=program,
            root=root,
            active=handle == front,
            responding=not reachable,
            reachable=reachable,
        )

    def _window(self, handle: int, front: int) -> TopWindow | None:
        pid = self._system.process_of(handle)
        raw = self._client.ElementFromHandle(handle)
        how: How = "Current"
        if self._request is not None:
            raw, how = raw.BuildUpdatedCache(self._request), "Cached"
        root = self._element(raw, how, handle)
        if root is None or root.box is None or not (root.name or root.type in POPUPS):
            return None
        app, program = self._system.program_of(pid)
        return TopWindow(
            id=handle,
            app=app,
            pid=pid,
            program=program,
            root=root,
            active=handle == front,
            dialog=root.type == "Window" and self._system.owned(handle),
        )

    def _element(self, raw: Any, how: How, window: int) -> Element | None:
        """An element and what is in it; None if it has just gone, is another window, or too much was read."""
        if len(self._known) >= MOST_ELEMENTS:
            self._cut = True
            return None
        try:
            key = tuple(raw.GetRuntimeId())
            handle = getattr(raw, f"{how}NativeWindowHandle") or 0
            if key in self._known or (handle and handle != window and self._system.is_top(handle)):
                return None  # UI Automation tells a dialog in the window that it belongs to; it is read by itself
            number = int(getattr(raw, f"{how}ControlType")) - 50000
            kind = TYPES[number] if 0 <= number < len(TYPES) else "Custom"
            secret = bool(getattr(raw, f"{how}IsPassword"))
            found = dict(self._patterns(raw, how, kind))
            self._known[key] = raw
            children = (self._element(child, how, window) for child in self._children(raw, how))
            return Element(
                type=kind,
                key=key,
                name=getattr(raw, f"{how}Name") or "",
                box=self._place(getattr(raw, f"{how}BoundingRectangle")),
                enabled=bool(getattr(raw, f"{how}IsEnabled")),
                offscreen=bool(getattr(raw, f"{how}IsOffscreen")),
                focused=bool(getattr(raw, f"{how}HasKeyboardFocus")),
                password=secret,
                patterns=tuple(found),
                **_told(found, how, secret=secret),
                children=tuple(child for child in children if child is not None),
            )
        except self._refused:
            return None

    def _children(self, raw: Any, how: How) -> Iterator[Any]:
        if how == "Cached":
            there = raw.GetCachedChildren()
            yield from (there.GetElement(number) for number in range(there.Length if there else 0))
            return
        child = self._walker.GetFirstChildElement(raw)
        while child:
            yield child
            child = self._walker.GetNextSiblingElement(child)

    def _patterns(self, raw: Any, how: How, kind: str) -> Iterator[tuple[Pattern, Any]]:
        for pattern in PATTERNS.get(kind, ()):
            having = getattr(raw, f"Get{how}Pattern")(PATTERN_IDS[pattern])
            if having:
                yield pattern, having.QueryInterface(getattr(self._core, f"IUIAutomation{pattern}Pattern"))

    def _place(self, place: Any) -> Place | None:
        width, height = place.right - place.left, place.bottom - place.top
        if width <= 0 or height <= 0:
            return None
        return Place(x=place.left - self._origin[0], y=place.top - self._origin[1], width=width, height=height)

    def picture(self) -> bytes:
        """PNG of all monitors."""
        self._system.check_session()
        target = io.BytesIO()
        try:
            ImageGrab.grab(all_screens=True).save(target, "PNG")
        except OSError as error:
            raise FailedError("The screen cannot be seen.", "Unlock it and try again.") from error
        return target.getvalue()

    # -- acting

    def order(self, key: Key, verb: Verb, argument: str | float | None) -> None:
        """Order something of an element of the last look."""
        self._do(lambda: self._order(key, verb, argument))

    def _order(self, key: Key, verb: Verb, argument: str | float | None) -> None:
        raw = self._known.get(key)
        if raw is None:
            raise RefusedError("It has gone. Look again.")
        if verb == "focus":
            raw.SetFocus()
        elif verb == "find":
            self._find(raw, str(argument))
        else:
            pattern, method = ORDERS[verb]
            getattr(self._now(raw, pattern), method)(*(() if argument is None else (argument,)))

    def _now(self, raw: Any, pattern: Pattern) -> Any:
        """A pattern of an element as it is now. Raises RefusedError if it has none."""
        having = raw.GetCurrentPattern(PATTERN_IDS[pattern])
        if not having:
            raise RefusedError("It has changed, and cannot do that now. Look again.")
        return having.QueryInterface(getattr(self._core, f"IUIAutomation{pattern}Pattern"))

    def _find(self, raw: Any, name: str) -> None:
        """Have an item of a long list made, and bring it into view."""
        item = self._now(raw, "ItemContainer").FindItemByProperty(None, PROPERTIES["Name"], name)
        if not item:
            raise RefusedError(f"There is no {name!r} in it.")
        for pattern, number, method in (
            ("VirtualizedItem", PATTERN_IDS["VirtualizedItem"], "Realize"),
            ("ScrollItem", PATTERN_IDS["ScrollItem"], "ScrollIntoView"),
        ):
            if having := item.GetCurrentPattern(number):
                getattr(having.QueryInterface(getattr(self._core, f"IUIAutomation{pattern}Pattern")), method)()

    def click(self, x: int, y: int, button: Button, count: int) -> None:
        """Click at a place."""
        clicks = {"left": self._ui.Click, "right": self._ui.RightClick, "middle": self._ui.MiddleClick}
        for _ in range(count):
            self._do(lambda: clicks[button](*self._point(x, y), waitTime=0))

    def wheel(self, x: int, y: int, notches: int) -> None:
        """Turn the wheel at a place."""
        turn = self._ui.WheelUp if notches > 0 else self._ui.WheelDown
        self._do(lambda: (self._ui.SetCursorPos(*self._point(x, y)), turn(abs(notches), waitTime=0)))

    def _point(self, x: int, y: int) -> tuple[int, int]:
        (left, top), _ = self._system.screen()
        self._watch.puts(x + left, y + top)
        return x + left, y + top

    def press(self, codes: tuple[int, ...]) -> None:
        """Press keys together, and release them in the opposite order."""
        self._do(lambda: self._press(codes))

    def _press(self, codes: tuple[int, ...]) -> None:
        for code in codes:
            self._ui.PressKey(code, waitTime=0.01)
        for code in reversed(codes):
            self._ui.ReleaseKey(code, waitTime=0.01)

    def type(self, text: str) -> None:
        """Type text, whatever keyboard there is: by characters, of which one beyond U+FFFF has two."""
        units = text.replace("\r\n", "\n").encode("utf-16-le", "surrogatepass")
        for at in range(0, len(units), 400):  # so that a long text takes no longer than one answer may
            self._do(lambda part=units[at : at + 400]: self._type(part))

    def _type(self, units: bytes) -> None:
        for at in range(0, len(units), 2):
            character = chr(int.from_bytes(units[at : at + 2], "little"))
            if character in "\n\t":
                self._press((ENTER if character == "\n" else TAB,))
            else:
                self._ui.SendUnicodeChar(character)

    def clipboard(self) -> str:
        """The clipboard's text."""
        return self._do(self._ui.GetClipboardText).replace("\r\n", "\n")

    def set_clipboard(self, text: str) -> None:
        """Put text on the clipboard."""
        self._do(lambda: self._ui.SetClipboardText(text))

    # -- windows and programs

    def bring_forward(self, window: int) -> None:
        """Activate a window. Windows may refuse it, and only the next look tells."""
        if self._ui.IsIconic(window):
            self._ui.ShowWindow(window, self._ui.SW.Restore)
        self._ui.SwitchToThisWindow(window)

    def close_window(self, window: int) -> None:
        """Ask a window to close."""
        self._system.ask_to_close(window)

    def programs(self) -> tuple[str, ...]:
        """Names of the programs of the start menu, read once."""
        return tuple(sorted(self._offered()))

    def _offered(self) -> Mapping[str, str]:
        if self._menu is None:
            self._menu = self._do(lambda: start_menu(self._com, self._refused))
        return self._menu

    def start(self, program: str) -> None:
        """Start a program of the start menu."""
        if program not in self._offered():
            raise RefusedError(f"There is no {program!r} in the start menu.")
        try:
            self._system.open(self._offered()[program])
        except OSError as error:
            raise RefusedError(f"It cannot be started: {error.strerror}.") from error


def _told(found: Mapping[Pattern, Any], how: How, *, secret: bool) -> dict[str, Any]:
    """What the patterns of an element tell, as fields of an :class:`Element`."""
    told: dict[str, Any] = {}

    def value(pattern: Pattern, name: str) -> Any:
        return getattr(found[pattern], how + name)

    if "Value" in found:
        told["read_only"] = bool(value("Value", "IsReadOnly"))
        told["value"] = None if secret else _lines(value("Value", "Value") or "")
    if "Text" in found and not secret and not told.get("value"):
        told["value"] = _lines(found["Text"].DocumentRange.GetText(LONGEST_TEXT))
    if "RangeValue" in found:
        told["number"] = float(value("RangeValue", "Value"))
        told["read_only"] = bool(value("RangeValue", "IsReadOnly"))
    if "Toggle" in found:
        told["toggled"] = TOGGLED[value("Toggle", "ToggleState")]
    if "SelectionItem" in found:
        told["selected"] = bool(value("SelectionItem", "IsSelected"))
    if "ExpandCollapse" in found:
        told["expanded"] = EXPANDED[value("ExpandCollapse", "ExpandCollapseState")]
    return told


def _lines(text: Any) -> str:
    """A text with the ends of lines that others use, too."""
    return str(text)[:LONGEST_TEXT].replace("\r\n", "\n").replace("\r", "\n")
