"""What Windows itself tells of its session, windows and processes, by its own functions."""

from __future__ import annotations

import ctypes
import os
from ctypes import wintypes
from pathlib import Path
from typing import Any

import psutil

from deskcrew_windows_agent.machine import FailedError

PER_MONITOR = -4
"""DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2: all places are physical pixels, whatever each monitor's scale."""
LEFT, TOP, WIDTH, HEIGHT = 76, 77, 78, 79
"""System metrics of all monitors together."""
WM_CLOSE = 0x0010
OWNER, ROOT, CLOAKED = 4, 2, 14
WINDOW_STATION_NAME = 2
QUERY, TOKEN_QUERY, TOKEN_ELEVATION, DENIED = 0x1000, 0x0008, 20, 5
CONNECT_STATE, DISCONNECTED = 8, 4


class System:
    """Windows' functions. Makes this process aware of each monitor's scale."""

    def __init__(self) -> None:
        """Raises FailedError on any other system."""
        windows: Any = getattr(ctypes, "WinDLL", None)
        if windows is None:
            hint = "Start the agent on the Windows machine, and `deskcrew run --desktop windows --at ...` here."
            raise FailedError("This is not Windows.", hint)
        self._user, self._kernel, self._security, self._sessions, self._drawn = (
            windows(name, use_last_error=True) for name in ("user32", "kernel32", "advapi32", "wtsapi32", "dwmapi")
        )
        pointer = ctypes.c_void_p
        self._user.GetWindow.restype = self._user.GetAncestor.restype = self._user.OpenInputDesktop.restype = pointer
        self._user.GetProcessWindowStation.restype = self._kernel.OpenProcess.restype = pointer
        self._user.SetProcessDpiAwarenessContext.argtypes = [pointer]
        self._user.SetProcessDpiAwarenessContext(PER_MONITOR)
        self._elevated = self._is_elevated(os.getpid())

    def check_session(self) -> None:
        """Raises FailedError if there is no screen that could be seen and operated."""
        name = ctypes.create_unicode_buffer(64)
        station = ctypes.c_void_p(self._user.GetProcessWindowStation())
        self._user.GetUserObjectInformationW(station, WINDOW_STATION_NAME, name, ctypes.sizeof(name), None)
        if name.value and name.value != "WinSta0":
            hint = (
                "Start the agent in a session with a desktop: `deskcrew-windows-agent --listen 8765`, and forward that port."
            )
            raise FailedError("There is no desktop here: this is a service's session, as over ssh.", hint)
        if self._disconnected():
            hint = "Connect again and leave it connected, or start the agent at the machine's own screen."
            raise FailedError("The remote desktop is closed, so the session has no screen.", hint)
        desktop = self._user.OpenInputDesktop(0, False, 0x0001)
        if not desktop:
            raise FailedError("The session is locked, or asks for an administrator.", "Unlock it and continue the run.")
        self._user.CloseDesktop(ctypes.c_void_p(desktop))

    def _disconnected(self) -> bool:
        state, size = ctypes.POINTER(ctypes.c_int)(), ctypes.c_ulong()
        asked = (None, -1, CONNECT_STATE, ctypes.byref(state), ctypes.byref(size))
        if not self._sessions.WTSQuerySessionInformationW(*asked):
            return False
        found = state.contents.value
        self._sessions.WTSFreeMemory(state)
        return found == DISCONNECTED

    # -- windows

    def screen(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """The top left corner of all monitors together, and their size."""
        metric = self._user.GetSystemMetrics
        return (metric(LEFT), metric(TOP)), (metric(WIDTH), metric(HEIGHT))

    def scale_at(self, window: int) -> float:
        """Physical pixels per logical pixel where a window is."""
        return (self._user.GetDpiForWindow(ctypes.c_void_p(window)) or self._user.GetDpiForSystem()) / 96

    def windows(self) -> tuple[int, ...]:
        """Handles of the windows that are shown, topmost first."""
        found: list[int] = []
        handle = self._user.GetWindow(ctypes.c_void_p(self._user.GetDesktopWindow()), 5)
        while handle and len(found) < 500:
            if self._user.IsWindowVisible(ctypes.c_void_p(handle)) and not self._cloaked(handle):
                found.append(handle)
            handle = self._user.GetWindow(ctypes.c_void_p(handle), 2)
        return tuple(found)

    def _cloaked(self, window: int) -> bool:
        """Whether it is a program's of the Store that sleeps, or on another virtual desktop."""
        cloaked = ctypes.c_ulong()
        self._drawn.DwmGetWindowAttribute(ctypes.c_void_p(window), CLOAKED, ctypes.byref(cloaked), ctypes.sizeof(cloaked))
        return bool(cloaked.value)

    def class_of(self, window: int) -> str:
        """The name of a window's class."""
        name = ctypes.create_unicode_buffer(256)
        self._user.GetClassNameW(ctypes.c_void_p(window), name, 256)
        return name.value

    def title_of(self, window: int) -> str:
        """The text of a window's title bar."""
        title = ctypes.create_unicode_buffer(512)
        self._user.InternalGetWindowText(ctypes.c_void_p(window), title, 512)  # asks no program
        return title.value

    def place_of(self, window: int) -> Any:
        """Where a window is: left, top, right and bottom."""
        place = wintypes.RECT()
        self._user.GetWindowRect(ctypes.c_void_p(window), ctypes.byref(place))
        return place

    def is_top(self, window: int) -> bool:
        """Whether a window is on the desktop, not in another one."""
        return self._user.GetAncestor(ctypes.c_void_p(window), ROOT) == window

    def owned(self, window: int) -> bool:
        """Whether a window belongs to another one, as a dialog does."""
        return bool(self._user.GetWindow(ctypes.c_void_p(window), OWNER)) or self.class_of(window) == "#32770"

    def hangs(self, window: int) -> bool:
        """Whether a window's program does not respond."""
        return bool(self._user.IsHungAppWindow(ctypes.c_void_p(window)))

    def ask_to_close(self, window: int) -> None:
        """Ask a window to close."""
        self._user.PostMessageW(ctypes.c_void_p(window), WM_CLOSE, 0, 0)

    # -- processes

    def process_of(self, window: int) -> int:
        """The number of the process that made a window."""
        number = ctypes.c_ulong()
        self._user.GetWindowThreadProcessId(ctypes.c_void_p(window), ctypes.byref(number))
        return number.value

    def program_of(self, process: int) -> tuple[str, str]:
        """The name of a process's program, and its path if only administrators can change it; '' for what is unknown."""
        try:
            path = psutil.Process(process).exe()
        except (psutil.Error, OSError):
            return "", ""
        safe = (os.environ.get(name) for name in ("SystemRoot", "ProgramFiles", "ProgramFiles(x86)", "ProgramW6432"))
        inside = any(path.casefold().startswith(f"{folder}\\".casefold()) for folder in safe if folder)
        return Path(path.replace("\\", "/")).stem, path if inside else ""

    def reachable(self, process: int) -> bool:
        """Whether a process's windows can be read and operated: Windows keeps those of administrators from all others."""
        return self._elevated or not self._is_elevated(process)

    def _is_elevated(self, process: int) -> bool:
        handle = self._kernel.OpenProcess(QUERY, False, process)
        if not handle:
            return False
        token, elevated, size = ctypes.c_void_p(), ctypes.c_ulong(), ctypes.c_ulong()
        opened = self._security.OpenProcessToken(ctypes.c_void_p(handle), TOKEN_QUERY, ctypes.byref(token))
        denied = not opened and _windows_only(ctypes).get_last_error() == DENIED
        if opened:
            self._security.GetTokenInformation(
                token, TOKEN_ELEVATION, ctypes.byref(elevated), ctypes.sizeof(elevated), ctypes.byref(size)
            )
            self._kernel.CloseHandle(token)
        self._kernel.CloseHandle(ctypes.c_void_p(handle))
        return denied or bool(elevated.value)

    def open(self, what: str) -> None:
        """Have the shell open something. Raises OSError."""
        _windows_only(os).startfile(what)


def _windows_only(module: Any) -> Any:
    """A module for what only Windows has of it."""
    return module
