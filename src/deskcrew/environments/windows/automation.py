"""UI Automation itself, by the library ``uiautomation`` (the extra ``windows``). Imported on Windows only, when it is used.

Nothing is decided here: what is told is copied, what is ordered is done. Untried: written after the documentation of
Microsoft and of the library.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import subprocess
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import psutil
from PIL import ImageGrab

from deskcrew.environments.names import LONGEST_VALUE
from deskcrew.environments.windows.elements import PATTERNS, Element, Key, Pattern, Snapshot, TopWindow, Verb
from deskcrew.environments.windows.keys import ENTER, TAB
from deskcrew.errors import ActionError, EnvironmentFailure, extra_installed
from deskcrew.facts.observation import Box, Screen

MOST = 1500
"""Elements that are read at most in one look, those of the topmost windows first."""
"""Characters of a document that are read."""
ANSWER_SECONDS = 20.0
SHELL = frozenset({"Progman", "WorkerW", "Shell_TrayWnd", "Shell_SecondaryTrayWnd"})
"""Classes of the desktop's own windows: its background and its task bar."""
POPUPS = frozenset({"Menu", "List", "ToolTip"})
TOGGLED = ("off", "on", "indeterminate")
EXPANDED = ("collapsed", "expanded", "partially expanded", "leaf node")
WM_CLOSE = 0x0010
ORDERS: Mapping[Verb, Pattern] = {
    "invoke": "Invoke", "toggle": "Toggle", "select": "SelectionItem", "expand": "ExpandCollapse",
    "collapse": "ExpandCollapse", "set value": "Value", "set number": "RangeValue",
}  # fmt: skip
START_MENU = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-StartApps | ConvertTo-Json -Compress"
Answer = TypeVar("Answer")


class Automation:
    """A :class:`~deskcrew.environments.windows.elements.Machine`: the one that we run on, and its main
    monitor. COM's objects belong to the thread that made them, so one thread does everything.
    """

    def __init__(self) -> None:
        """Raises EnvironmentFailure if the library is not installed, or Windows does not answer."""
        self._thread = ThreadPoolExecutor(1, "deskcrew-windows")
        self._known: dict[Key, Any] = {}
        self._programs: dict[str, str] | None = None
        try:
            self._ui: Any = importlib.import_module("uiautomation")
        except ImportError as error:
            raise EnvironmentFailure(
                "uiautomation is not installed, by which windows are read.", hint=extra_installed("windows")
            ) from error
        self._system: Any = importlib.import_module("ctypes").windll
        self._refused: Any = importlib.import_module("comtypes").COMError
        self._ui.Logger.SetLogFile("")
        self._do(self._ui.InitializeUIAutomationInCurrentThread)

    def _do(self, work: Callable[[], Answer]) -> Answer:
        def done() -> Answer:
            try:
                return work()
            except self._refused as error:
                raise ActionError(f"Windows refused it ({error.text or error.hresult}). Look again.") from error

        try:
            return self._thread.submit(done).result(ANSWER_SECONDS)
        except TimeoutError as error:
            raise ActionError("A program does not answer. Wait, or use another window.") from error

    def close(self) -> None:
        """End the thread."""
        self._thread.submit(self._ui.UninitializeUIAutomationInCurrentThread)
        self._thread.shutdown(wait=False)

    # -- looking

    def look(self) -> Snapshot:
        """Everything, as it is now."""
        return self._do(self._look)

    def _look(self) -> Snapshot:
        self._known = {}
        front = self._ui.GetForegroundWindow()
        windows: list[TopWindow] = []
        for control in self._ui.GetRootControl().GetChildren():
            with contextlib.suppress(self._refused):  # it has just gone
                if control.ClassName not in SHELL and (window := self._window(control, front)) is not None:
                    windows.append(window)
        width, height = self._ui.GetScreenSize()
        screen = Screen(width=width, height=height, scale=self._system.user32.GetDpiForSystem() / 96)
        return Snapshot(screen=screen, windows=tuple(windows), cut=len(self._known) >= MOST)

    def _window(self, control: Any, front: int) -> TopWindow | None:
        handle, pid = control.NativeWindowHandle, control.ProcessId
        responding = not self._system.user32.IsHungAppWindow(handle)
        root = self._element(control, inside=responding)
        if root is None or root.box is None or not (root.name or root.type in POPUPS):
            return None
        modal = control.GetPattern(self._ui.PatternId.WindowPattern) if responding and root.type == "Window" else None
        return TopWindow(
            id=handle,
            app=_program(pid),
            pid=pid,
            root=root,
            active=handle == front,
            modal=modal is not None and bool(modal.IsModal),
            responding=responding,
        )

    def _element(self, control: Any, *, inside: bool = True) -> Element | None:
        """An element and what is ``inside`` it; None if it has just gone, or too much was read already."""
        if len(self._known) >= MOST:
            return None
        try:
            key = tuple(control.GetRuntimeId())
            kind = control.ControlTypeName.removesuffix("Control")
            place = control.BoundingRectangle
            width, height = place.right - place.left, place.bottom - place.top
            found: dict[Pattern, Any] = {}
            for pattern in PATTERNS.get(kind, ()) if inside else ():
                having = control.GetPattern(getattr(self._ui.PatternId, f"{pattern}Pattern"))
                if having is not None:
                    found[pattern] = having
            self._known[key] = control
            children = (self._element(child) for child in control.GetChildren()) if inside else ()
            return Element(
                type=kind,
                key=key,
                name=control.Name or "",
                box=Box(x=place.left, y=place.top, width=width, height=height) if width > 0 and height > 0 else None,
                enabled=bool(control.IsEnabled),
                offscreen=bool(control.IsOffscreen),
                focused=bool(control.HasKeyboardFocus),
                password=bool(control.IsPassword),
                patterns=tuple(found),
                **_told(found, secret=bool(control.IsPassword)),
                children=tuple(child for child in children if child is not None),
            )
        except self._refused:
            return None

    def picture(self) -> bytes:
        """PNG of the main monitor."""
        target = io.BytesIO()
        try:
            ImageGrab.grab().save(target, "PNG")
        except OSError as error:
            raise EnvironmentFailure("The screen cannot be seen.", hint="Unlock it and try again.") from error
        return target.getvalue()

    # -- acting

    def order(self, key: Key, verb: Verb, argument: str | float | None = None) -> None:
        """Order something of an element of the last look. Raises ActionError."""
        self._do(lambda: self._order(key, verb, argument))

    def _order(self, key: Key, verb: Verb, argument: str | float | None) -> None:
        control = self._known.get(key)
        if control is None:
            raise ActionError("It has gone. Look again.")
        if verb == "focus":
            control.SetFocus()
            return
        pattern = control.GetPattern(getattr(self._ui.PatternId, f"{ORDERS[verb]}Pattern"))
        if pattern is None:
            raise ActionError("It has changed, and cannot do that now. Look again.")
        given = () if argument is None else (argument,)
        method = {"select": "Select", "set value": "SetValue", "set number": "SetValue"}.get(verb, verb.capitalize())
        getattr(pattern, method)(*given, waitTime=0)

    def click(self, x: int, y: int, button: str, count: int) -> None:
        """Click at a place."""
        clicks = {"left": self._ui.Click, "right": self._ui.RightClick, "middle": self._ui.MiddleClick}
        if button not in clicks:
            raise ActionError(f"There is no mouse button {button!r}; buttons: {', '.join(clicks)}.")
        for _ in range(count):
            self._do(lambda: clicks[button](x, y, waitTime=0))

    def wheel(self, x: int, y: int, notches: int) -> None:
        """Turn the wheel at a place."""
        turn = self._ui.WheelUp if notches > 0 else self._ui.WheelDown
        self._do(lambda: (self._ui.SetCursorPos(x, y), turn(abs(notches), waitTime=0)))

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
        self._do(lambda: self._type(text))

    def _type(self, text: str) -> None:
        units = text.replace("\r\n", "\n").encode("utf-16-le", "surrogatepass")
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
        self._ui.PostMessage(window, WM_CLOSE, 0, 0)

    def programs(self) -> Mapping[str, str]:
        """Programs of the start menu, asked for once."""
        if self._programs is None:
            command = ["powershell", "-NoProfile", "-NonInteractive", "-Command", START_MENU]
            try:
                said = subprocess.run(command, capture_output=True, check=True, timeout=30).stdout
                self._programs = {one["Name"]: one["AppID"] for one in json.loads(said)}
            except (OSError, subprocess.SubprocessError, ValueError, TypeError, KeyError) as error:
                raise ActionError("The start menu cannot be read.") from error
        return self._programs

    def start(self, program: str) -> None:
        """Start a program of the start menu."""
        try:
            subprocess.Popen(["explorer.exe", f"shell:AppsFolder\\{program}"])
        except OSError as error:
            raise ActionError(f"It cannot be started: {error.strerror}.") from error


def _told(found: Mapping[Pattern, Any], *, secret: bool) -> dict[str, Any]:
    """What the patterns of an element tell, as fields of an :class:`Element`."""
    told: dict[str, Any] = {}
    if "Text" in found and not secret:
        told["value"] = str(found["Text"].DocumentRange.GetText(LONGEST_VALUE))
    if "Value" in found:
        told["read_only"] = bool(found["Value"].IsReadOnly)
        told["value"] = None if secret else str(found["Value"].Value or "")
    if "RangeValue" in found:
        told["number"], told["read_only"] = float(found["RangeValue"].Value), bool(found["RangeValue"].IsReadOnly)
    if "Toggle" in found:
        told["toggled"] = TOGGLED[found["Toggle"].ToggleState]
    if "SelectionItem" in found:
        told["selected"] = bool(found["SelectionItem"].IsSelected)
    if "ExpandCollapse" in found:
        told["expanded"] = EXPANDED[found["ExpandCollapse"].ExpandCollapseState]
    return told


def _program(pid: int) -> str:
    """The name of a process's program; '' if it has gone or is another user's."""
    try:
        return psutil.Process(pid).name().removesuffix(".exe")
    except psutil.Error:
        return ""
