"""The person at the machine comes first: while they move the mouse or type, nothing is done; Escape held down, or the
pointer pushed into the top left corner, ends it all. A banner says so for as long as a run works here."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import Any

from deskcrew_windows_agent.machine import FailedError, RefusedError

QUIET = 3.0
"""Seconds without a person's input after which the run goes on."""
PATIENCE = 15.0
"""Seconds that it waits for that before it says so."""
HELD = 1.5
"""Seconds that Escape is held down to end it."""
ESCAPE = 0x1B
CORNER = 2
"""Pixels from the top left corner that still are it."""
BANNER = "Deskcrew works here. To end it, hold Esc."
STOPPED = "The person at the machine has ended it."
RESUME = "Start the agent again, then `deskcrew resume`."


class Watch:
    """What the person at the machine does. ``clock`` and ``sleep``: of seconds. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._last = -QUIET
        self._held: float | None = None
        self._ours: tuple[int, int] | None = None
        self.stopped = threading.Event()

    def puts(self, x: int, y: int) -> None:
        """The run puts the pointer there, and whoever tells of it may not say by whom it was moved."""
        self._ours = x, y

    def moved(self, x: int, y: int) -> None:
        """They have moved the pointer to a place, from the corner of the main monitor, or pressed a button there."""
        if (x, y) == self._ours:
            return
        self._ours, self._last = None, self._clock()
        if abs(x) <= CORNER and abs(y) <= CORNER:
            self.stopped.set()

    def key(self, code: int, *, down: bool) -> None:
        """They have pressed or released a key; one that is held down is pressed again and again."""
        self._last = self._clock()
        if code != ESCAPE or not down:
            self._held = None
        elif self._held is None:
            self._held = self._last
        elif self._last - self._held >= HELD:
            self.stopped.set()

    def may_go_on(self, *, acting: bool) -> None:
        """Wait, before something is done, until they rest. Raises FailedError if they have ended it, RefusedError if they go
        on."""
        until = self._clock() + PATIENCE
        while True:
            if self.stopped.is_set():
                raise FailedError(STOPPED, RESUME)
            if not acting or (resting := self._clock() - self._last) >= QUIET:
                return
            if self._clock() >= until:
                raise RefusedError("A person uses mouse or keyboard there, and it was not done. Wait, and try again.")
            self._sleep(min(0.2, QUIET - resting))


class Overseer:
    """Tells a :class:`Watch` of a person's input, and shows the banner. ``lacks``: what of it is impossible here, in whole
    sentences."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.lacks: tuple[str, ...] = ()
        self._thread_id = 0
        self._ready = threading.Event()
        self._library: Any = ctypes  # of which only Windows has the half
        windows = self._library.WinDLL
        self._user, self._kernel = windows("user32"), windows("kernel32")
        self._thread = threading.Thread(target=self._run, name="deskcrew-overseer", daemon=True)
        self._thread.start()
        self._ready.wait(5)

    def close(self) -> None:
        """Take the banner away, and listen no more."""
        self._user.PostThreadMessageW(self._thread_id, 0x0012, 0, 0)  # WM_QUIT
        self._thread.join(5)

    def _run(self) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self._thread_id = self._kernel.GetCurrentThreadId()
        self._kernel.GetModuleHandleW.restype = self._user.CreateWindowExW.restype = pointer
        self._user.SetWindowsHookExW.restype = self._user.CallNextHookEx.restype = pointer
        self._user.SetWindowsHookExW.argtypes = [number, pointer, pointer, ctypes.c_ulong]
        self._user.CallNextHookEx.argtypes = [pointer, number, pointer, pointer]
        kind = self._library.WINFUNCTYPE(pointer, number, pointer, pointer)
        called = kind(self._mouse), kind(self._keyboard)  # kept: Windows has their addresses
        module = self._kernel.GetModuleHandleW(None)
        hooks = [self._user.SetWindowsHookExW(what, call, module, 0) for what, call in zip((14, 13), called, strict=True)]
        banner = self._banner(module)
        self.lacks = (
            *(() if all(hooks) else ("The person at the machine cannot end it by Esc or the corner there.",)),
            *(() if banner else ("No banner says there that a run works.",)),
        )
        self._ready.set()
        message = ctypes.create_string_buffer(64)
        while self._user.GetMessageW(message, None, 0, 0) > 0:
            self._user.DispatchMessageW(message)
        for hook in filter(None, hooks):
            self._user.UnhookWindowsHookEx(pointer(hook))
        if banner:
            self._user.DestroyWindow(pointer(banner))

    def _mouse(self, code: int, message: int | None, about: int) -> int | None:
        told = ctypes.cast(about, ctypes.POINTER(ctypes.c_int))  # x, y, data, flags
        if code == 0 and not told[3] & 0x01:  # what programs make is marked so
            self._watch.moved(told[0], told[1])
        return self._user.CallNextHookEx(None, code, message, about)

    def _keyboard(self, code: int, message: int | None, about: int) -> int | None:
        told = ctypes.cast(about, ctypes.POINTER(ctypes.c_int))  # code, scan code, flags
        if code == 0 and not told[2] & 0x10:
            self._watch.key(told[0], down=not told[2] & 0x80)
        return self._user.CallNextHookEx(None, code, message, about)

    def _banner(self, module: int) -> int | None:
        """A line over everything at the top of the main monitor, through which clicks go, and which no picture shows."""
        scale = (self._user.GetDpiForSystem() or 96) / 96
        width, height = int(640 * scale), int(24 * scale)
        left = (self._user.GetSystemMetrics(0) - width) // 2
        layered, below, above, tool, inactive = 0x80000, 0x20, 0x8, 0x80, 0x08000000
        popup, shown, centred = 0x80000000, 0x10000000, 0x201
        style = popup | shown | centred
        banner = self._user.CreateWindowExW(
            layered | below | above | tool | inactive, "STATIC", BANNER, ctypes.c_ulong(style), left, 0, width, height,
            None, None, ctypes.c_void_p(module), None,
        )  # fmt: skip
        if banner:
            self._user.SetLayeredWindowAttributes(ctypes.c_void_p(banner), 0, 230, 2)
            self._user.SetWindowDisplayAffinity(ctypes.c_void_p(banner), 0x11)
        return banner
