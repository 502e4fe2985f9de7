"""Keyboard and mouse of a Wayland session, as virtual devices of wlroots' protocols.

They are there as long as the connection. Programs that make a new keyboard for each key (wtype) cannot operate an open menu:
the compositor takes the focus from the window when a keyboard comes, and gives it back only when the menu has closed. The
keyboard has the layout ``us``; characters that this lacks are put on keys that no real keyboard has.
"""

from __future__ import annotations

import array
import os
import socket
import struct
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping

from deskcrew.environments.linux.screen.input import BETWEEN_CLICKS, SHIFT, PacedInput, batches, button_number, sym_of
from deskcrew.errors import ActionError, EnvironmentFailure

KEYBOARDS, POINTERS, SEAT = "zwp_virtual_keyboard_manager_v1", "zwlr_virtual_pointer_manager_v1", "wl_seat"
SECONDS = 5.0
"""The maximum seconds that the compositor may take to answer."""
ROWS = ((2, "1234567890-=", "!@#$%^&*()_+"), (16, "qwertyuiop[]", "QWERTYUIOP{}"), (30, "asdfghjkl;'`", 'ASDFGHJKL:"~'),
        (43, "\\zxcvbnm,./", "|ZXCVBNM<>?"), (57, " ", ""))  # fmt: skip
"""The characters of the layout: the kernel's number of a row's first key, and what the keys type without and with Shift."""
KEYS: dict[int, tuple[int, bool]] = {
    0xFFE3: (29, False), SHIFT: (42, False), 0xFFE9: (56, False), 0xFFEB: (125, False), 0xFFE7: (125, False),
    0xFF0D: (28, False), 0xFF1B: (1, False), 0xFF09: (15, False), 0xFF08: (14, False), 0xFFFF: (111, False),
    0xFF63: (110, False), 0xFF50: (102, False), 0xFF57: (107, False), 0xFF55: (104, False), 0xFF56: (109, False),
    0xFF51: (105, False), 0xFF52: (103, False), 0xFF53: (106, False), 0xFF54: (108, False), 0xFF67: (127, False),
    0xFF61: (99, False), 0xFF13: (119, False), 0xFFC8: (87, False), 0xFFC9: (88, False),
    **{0xFFBE + number: (59 + number, False) for number in range(10)},
    **{ord(one): (first + at, False) for first, plain, _ in ROWS for at, one in enumerate(plain)},
    **{ord(one): (first + at, True) for first, _, shifted in ROWS for at, one in enumerate(shifted)},
}  # fmt: skip
"""The kernel's number of the key for each keysym, and whether Shift is held."""
MODIFIERS = {29: 4, 42: 1, 56: 8, 125: 64}
"""The bit of each modifier, by the kernel's number of its key."""
SPARE = range(183, 195)
"""The keys F13 to F24."""
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}
NOTCH = 15
"""What one notch of a wheel scrolls, by convention."""
_U = struct.Struct("=I")


class Wire:
    """A connection to the compositor. ``variables``: of the session. Raises EnvironmentFailure without such devices."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        place = os.path.join(variables.get("XDG_RUNTIME_DIR", ""), variables.get("WAYLAND_DISPLAY", ""))
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(SECONDS)
        self._read = b""
        self._number = 2
        self._offered: dict[str, int] = {}
        try:
            self._socket.connect(place)
        except OSError as error:
            self.close()
            raise EnvironmentFailure(f"The Wayland session cannot be reached: {error.strerror}.") from error
        self.send(1, 1, _U.pack(2))  # the registry is 2
        self.sync()
        lacking = {KEYBOARDS, POINTERS, SEAT} - {*self._offered}
        if lacking:
            self.close()
            raise EnvironmentFailure(
                f"This session lets no program press keys or buttons (no {', '.join(sorted(lacking))})."
            )
        seat, keyboards, pointers = (self._bind(name) for name in (SEAT, KEYBOARDS, POINTERS))
        self.keyboard, self.mouse = self._new(), self._new()
        self.send(keyboards, 0, _U.pack(seat) + _U.pack(self.keyboard))
        self.send(pointers, 0, _U.pack(seat) + _U.pack(self.mouse))

    def _new(self) -> int:
        self._number += 1
        return self._number

    def _bind(self, name: str) -> int:
        number, text = self._new(), name.encode() + b"\0"
        words = _U.pack(len(text)) + text + bytes(-len(text) % 4)
        self.send(2, 0, _U.pack(self._offered[name]) + words + _U.pack(1) + _U.pack(number))
        return number

    def send(self, target: int, request: int, body: bytes = b"", *, file: int | None = None) -> None:
        """Send a request. Raises EnvironmentFailure if the session has ended."""
        message = struct.pack("=II", target, (8 + len(body)) << 16 | request) + body
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))] if file is not None else []
        try:
            self._socket.sendmsg([message], passed)
        except OSError as error:
            raise EnvironmentFailure("The display has died.", hint="Log in again.") from error

    def sync(self) -> None:
        """Wait until the compositor has processed all requests. Raises EnvironmentFailure if it does not, or refuses one."""
        answer = self._new()
        self.send(1, 0, _U.pack(answer))
        while not self._received(answer):
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                data = b""
            if not data:
                raise EnvironmentFailure("The display does not answer.", hint="Log in again.")
            self._read += data

    def _received(self, answer: int) -> bool:
        """Take what has come. Returns whether the answer ``answer`` was in it."""
        found = False
        while len(self._read) >= 8:
            source, head = struct.unpack_from("=II", self._read)
            if len(self._read) < head >> 16:
                break
            body, self._read = self._read[8 : head >> 16], self._read[head >> 16 :]
            found = found or source == answer
            if source == 1 and not head & 0xFFFF:
                told = body[12:].rstrip(b"\0").decode(errors="replace")
                raise EnvironmentFailure(f"The display refuses a request: {told}.")
            if source == 2 and not head & 0xFFFF:
                number, length = struct.unpack_from("=II", body)
                self._offered.setdefault(body[8 : 7 + length].decode(errors="replace"), number)
        return found

    def close(self) -> None:
        """Disconnect, which removes the devices. Safe to call twice."""
        self._socket.close()


class WaylandInput(PacedInput):
    """The virtual keyboard and mouse. ``size``: returns that of all screens together."""

    def __init__(self, wire: Wire, size: Callable[[], tuple[int, int]]) -> None:
        super().__init__()
        self._wire = wire
        self._size = size
        self._lent: dict[int, int] = {}
        """Keysyms put on spare keys, oldest first."""
        self._tell_keymap()

    # -- mouse

    def move(self, x: int, y: int) -> None:
        self._mouse(1, struct.pack("=IIIII", _now(), max(0, x), max(0, y), *self._size()))
        self._wire.sync()

    def click(self, x: int, y: int, *, button: str = "left", count: int = 1) -> None:
        number = button_number(button)
        self.move(x, y)
        for each in range(count):
            time.sleep(BETWEEN_CLICKS / 1000 if each else 0)
            self._hold(number, True)
            self._hold(number, False)

    def scroll(self, x: int, y: int, notches: int) -> None:
        self.move(x, y)
        for _ in range(abs(notches)):
            way = -1 if notches > 0 else 1
            self._mouse(5, struct.pack("=I", 0), frame=False)  # a wheel
            self._mouse(7, struct.pack("=IIii", _now(), 0, way * NOTCH * 256, way))
        self._wire.sync()

    def _hold(self, number: int, down: bool) -> None:
        self._mouse(2, struct.pack("=III", _now(), BUTTONS[number], down))
        self._wire.sync()

    def _mouse(self, request: int, body: bytes, *, frame: bool = True) -> None:
        self._wire.send(self._wire.mouse, request, body)
        if frame:
            self._wire.send(self._wire.mouse, 4)

    # -- keyboard

    def press(self, keys: Iterable[str]) -> None:
        syms = [sym_of(key) for key in keys]
        if not syms:
            raise ActionError("No key was named.")
        self._borrow(syms)
        self._strike(syms)
        self._wire.sync()

    def type(self, text: str) -> None:
        for batch in batches(text, KEYS, len(SPARE)):
            self._borrow(batch)
            for sym in batch:
                self._strike([sym])
            self._wire.sync()

    def _strike(self, syms: list[int]) -> None:
        """Press keys together, in order, and release them."""
        codes: list[int] = []
        for sym in syms:
            code, shifted = KEYS.get(sym) or (self._lent[sym], False)
            codes += [one for one in ([KEYS[SHIFT][0]] if shifted else []) + [code] if one not in codes]
        held = 0
        for code, down in (*((code, True) for code in codes), *((code, False) for code in reversed(codes))):
            self._wire.send(self._wire.keyboard, 1, struct.pack("=III", _now(), code, down))
            if bit := MODIFIERS.get(code, 0):
                held = held | bit if down else held & ~bit
                self._wire.send(self._wire.keyboard, 2, struct.pack("=IIII", held, 0, 0, 0))

    def _borrow(self, syms: list[int]) -> None:
        """Put keysyms that the layout lacks on spare keys, reusing the least recently assigned ones."""
        needed = {sym for sym in syms if sym not in KEYS}
        missing = [sym for sym in dict.fromkeys(syms) if sym in needed and sym not in self._lent]
        for sym in missing:
            free = next((code for code in SPARE if code not in self._lent.values()), None)
            if free is None:
                free = self._lent.pop(next(lent for lent in self._lent if lent not in needed))
            self._lent[sym] = free
        if missing:
            self._tell_keymap()

    def _tell_keymap(self) -> None:
        text = keymap(self._lent).encode() + b"\0"
        with tempfile.TemporaryFile() as file:
            file.write(text)
            file.flush()
            self._wire.send(self._wire.keyboard, 0, struct.pack("=II", 1, len(text)), file=file.fileno())
        self._wire.sync()


def keymap(lent: Mapping[int, int]) -> str:
    """The keyboard's layout in the language of XKB. ``lent``: keysyms by the keys that they were put on."""
    keys = " ".join(f"key <FK{code - SPARE.start + 13}> {{ [ {sym:#x} ] }};" for sym, code in lent.items())
    return f"""xkb_keymap {{
xkb_keycodes {{ include "evdev+aliases(qwerty)" }};
xkb_types {{ include "complete" }};
xkb_compat {{ include "complete" }};
xkb_symbols {{ include "pc+us+inet(evdev)" {keys} }};
}};"""


def _now() -> int:
    return int(time.monotonic() * 1000) & 0xFFFFFFFF
