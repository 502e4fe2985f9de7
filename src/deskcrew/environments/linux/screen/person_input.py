"""A person's input on a display, by the X server's RECORD extension: every key and button, whichever window gets it."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import xcffib
import xcffib.record

from deskcrew.environments.linux.screen.input import (
    BUTTON_PRESS,
    BUTTON_RELEASE,
    BUTTONS,
    KEY_PRESS,
    MODIFIERS,
    NAMES,
    SCROLL_DOWN,
    SCROLL_UP,
)
from deskcrew.environments.person_input import Gesture, Key, Press, WheelTurn
from deskcrew.errors import EnvironmentFailure

record: Any = xcffib.record
"""xcffib generates this from the protocol's description, without types."""
_EVENT = struct.Struct("=BBHIIIIhhhhHBx")
"""An input event of the X protocol."""
_FROM_SERVER = 0
_SHIFT, _LOCK = 1, 2
_HELD = ((4, "ctrl"), (8, "alt"), (64, "super"))
_OTHER_GROUP = 128
"""Mod5, which selects the third level of a key."""
_BUTTONS = {number: name for name, number in BUTTONS.items()}
_NAMES = {sym: name for name, sym in NAMES.items() if len(name) > 1 and not 0x20 < sym < 0x7F} | {0xFE20: "tab"}
_KEYPAD = {0xFFAA: "*", 0xFFAB: "+", 0xFFAD: "-", 0xFFAE: ".", 0xFFAF: "/", 0xFF8D: "\n"} | {
    0xFFB0 + digit: str(digit) for digit in range(10)
}
_UNICODE = 0x01000000


class RecordedHands:
    """Listens until it is closed. ``dial``: makes a connection to the X server. Raises EnvironmentFailure if that fails."""

    def __init__(self, dial: Callable[[], socket.socket]) -> None:
        self._lock = threading.Lock()
        self._gestures: list[Gesture] = []
        self._lost = False
        self._wire: socket.socket | None = None
        self._asking: Any = None
        self._telling: Any = None
        ready = False
        try:
            self._asking = xcffib.Connection(fd=dial().detach())
            plug = dial()
            self._wire = plug.dup()
            self._telling = xcffib.Connection(fd=plug.detach())
            cookie = self._begin()
            ready = True
        except (xcffib.XcffibException, xcffib.Error, OSError) as error:
            raise EnvironmentFailure("This display does not report input: it has no RECORD extension.") from error
        finally:
            if not ready:
                self.close()
        self._thread = threading.Thread(target=self._listen, args=(cookie,), name="deskcrew-hands", daemon=True)
        self._thread.start()

    def _begin(self) -> Any:
        setup = self._asking.get_setup()
        self._lowest, self._keys = int(setup.min_keycode), int(setup.max_keycode) - int(setup.min_keycode) + 1
        recording = self._asking(record.key)
        recording.QueryVersion(1, 13).reply()
        nothing = record.Range8.synthetic(0, 0)
        none = record.ExtRange.synthetic(nothing, record.Range16.synthetic(0, 0))
        wanted = record.Range8.synthetic(KEY_PRESS, BUTTON_RELEASE)
        events = record.Range.synthetic(nothing, nothing, none, none, nothing, wanted, nothing, False, False)
        context = self._asking.generate_id()
        recording.CreateContextChecked(context, 0, 1, 1, [record.CS.AllClients], [events]).check()
        cookie = self._telling(record.key).EnableContext(context)
        self._telling.flush()
        cookie.reply()  # says that it has begun
        return cookie

    def taken(self) -> list[Gesture]:
        with self._lock:
            if self._lost:
                raise EnvironmentFailure("The display no longer reports input.", hint="Start again.")
            held = self._gestures[-1:] if self._open() else []
            done = self._gestures[: -len(held)] if held else self._gestures
            self._gestures = held
            return done

    def _open(self) -> bool:
        """Whether the last gesture is a button that is still held."""
        last = self._gestures[-1] if self._gestures else None
        return isinstance(last, Press) and last.to is None

    def close(self) -> None:
        """Stop listening. Safe to call twice."""
        if self._wire is not None:
            with suppress(OSError):  # it has been hung up already
                self._wire.shutdown(socket.SHUT_RDWR)
            self._wire.close()
            self._wire = None
            if hasattr(self, "_thread"):
                self._thread.join()
        for connection in (self._telling, self._asking):
            if connection is not None:
                connection.disconnect()
        self._telling = self._asking = None

    def _listen(self, cookie: Any) -> None:
        """Receive the replies to one request, one for each input. Ends when the connection is shut down."""
        try:
            while True:
                reply = cookie.reply()
                if reply.category == _FROM_SERVER:
                    self._take(bytes(bytearray(reply.data)))
        except (xcffib.XcffibException, xcffib.Error):
            with self._lock:
                self._lost = True

    def _take(self, data: bytes) -> None:
        now = time.monotonic()
        for start in range(0, len(data) - _EVENT.size + 1, _EVENT.size):
            kind, detail, *_, x, y, _, _, state, _ = _EVENT.unpack_from(data, start)
            if kind == KEY_PRESS:
                gesture = self._key(now, detail, state)
            elif kind == BUTTON_PRESS:
                gesture = self._button(now, detail, (x, y))
            else:
                gesture = None
                if kind == BUTTON_RELEASE and detail in _BUTTONS:
                    self._released((x, y))
            if gesture is not None:
                with self._lock:
                    self._gestures.append(gesture)

    def _released(self, point: tuple[int, int]) -> None:
        with self._lock:
            last = self._gestures[-1] if self._gestures else None
            if isinstance(last, Press) and last.to is None:
                self._gestures[-1] = replace(last, to=point)

    def _button(self, now: float, number: int, point: tuple[int, int]) -> Gesture | None:
        if number in (SCROLL_UP, SCROLL_DOWN):
            return WheelTurn(now, point, 1 if number == SCROLL_UP else -1)
        return Press(now, point, _BUTTONS[number]) if number in _BUTTONS else None

    def _key(self, now: float, code: int, state: int) -> Gesture | None:
        """The meaning of a key with the held modifiers. The keyboard map is queried each time, since keys are reassigned."""
        reply = self._asking.core.GetKeyboardMapping(code, 1).reply()
        syms = [int(sym) for sym in reply.keysyms] or [0]
        levels = [syms[at] if at < len(syms) and syms[at] else syms[0] for at in (0, 1)]
        if state & _OTHER_GROUP and len(syms) > 4 and syms[4]:
            levels = [syms[4], syms[5] if len(syms) > 5 and syms[5] else syms[4]]
        sym = levels[bool(state & _SHIFT)]
        character = _character(sym)
        if state & _LOCK and character.isalpha():
            character = character.swapcase()
        held = tuple(name for mask, name in _HELD if state & mask)
        name = _NAMES.get(sym, "")
        if name in MODIFIERS or sym in _SILENT:
            return None
        if held:
            plain = _character(levels[0])
            shifted = ("shift",) if state & _SHIFT else ()
            return Key(now, name=name or plain, held=(*held, *shifted))
        if character and name not in ("enter", "return", "tab"):
            return Key(now, character=character)
        return Key(now, name=name, held=("shift",) if state & _SHIFT else ())


_SILENT = frozenset(range(0xFFE1, 0xFFEF)) | {0xFE03, 0xFF7F, 0xFF7E, 0}
"""Modifiers and locks, which do nothing alone."""


def _character(sym: int) -> str:
    """The character that a keysym types; '' if unknown or none."""
    if 0x20 <= sym <= 0x7E or 0xA0 <= sym <= 0xFF:
        return chr(sym)
    if sym & 0xFF000000 == _UNICODE:
        return chr(sym - _UNICODE)
    return _KEYPAD.get(sym, "")
