"""Keyboard and mouse through XTEST.

Characters that the keyboard lacks are put on spare keys first. Programs read the changed map some time after the server has
it, so there is a wait after a change and another before a key that was just typed is reassigned.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Iterator

from deskcrew.environments.linux.screen.x11 import Display, display_errors
from deskcrew.errors import ActionError

KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE, MOTION = 2, 3, 4, 5, 6
BUTTONS = {"left": 1, "middle": 2, "right": 3}
SCROLL_UP, SCROLL_DOWN = 4, 5
SHIFT = 0xFFE1
NAMES = {
    "ctrl": 0xFFE3, "control": 0xFFE3, "shift": SHIFT, "alt": 0xFFE9, "super": 0xFFEB, "win": 0xFFEB, "meta": 0xFFE7,
    "cmd": 0xFFE3, "enter": 0xFF0D, "return": 0xFF0D, "esc": 0xFF1B, "escape": 0xFF1B, "tab": 0xFF09,
    "backspace": 0xFF08, "delete": 0xFFFF, "del": 0xFFFF, "insert": 0xFF63, "home": 0xFF50, "end": 0xFF57,
    "pageup": 0xFF55, "page_up": 0xFF55, "prior": 0xFF55, "pagedown": 0xFF56, "page_down": 0xFF56, "next": 0xFF56,
    "left": 0xFF51, "up": 0xFF52, "right": 0xFF53, "down": 0xFF54, "space": 0x20, "menu": 0xFF67, "plus": 0x2B,
    "minus": 0x2D, "comma": 0x2C, "period": 0x2E, "slash": 0x2F, "equal": 0x3D, "print": 0xFF61, "pause": 0xFF13,
    **{f"f{number}": 0xFFBD + number for number in range(1, 13)},
}  # fmt: skip
MODIFIERS = frozenset({"ctrl", "control", "shift", "alt", "super", "win", "meta", "cmd"})
SETTLE_AFTER_REMAP = 0.03
SETTLE_BEFORE_REUSE = 0.06
SAME_KEY_AGAIN = 0.3
"""Seconds between presses of one button, or of a key that may trigger it: GTK shows a button that was pressed without the
mouse as pressed for 0.25 seconds, during which it ignores input."""
BETWEEN_CLICKS = 120
"""Milliseconds between the presses of a double click. Programs do not expect it to be faster than a hand: PCManFM notices up
to 0.2 seconds late which icon the first press selected, and until then opens the one selected before."""
DRAG_STEPS, BETWEEN_STEPS, IN_HAND = 10, 0.03, 0.3
"""Mouse movements of a drag, and seconds between them. Longer waits follow the first, since only then a program notices the
drag, and the last, since the program checks whether the target accepts it."""
LONGEST_ON_BUTTONS = 40
"""The maximum length of a text that may be meant for buttons: a sum, not a page."""


def keysym_of(character: str) -> int:
    """The X keysym of a character."""
    code = ord(character)
    if character in "\n\r":
        return 0xFF0D
    if character == "\t":
        return 0xFF09
    if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF:
        return code
    return 0x01000000 | code


def sym_of(key: str) -> int:
    """The keysym of a key by its name. Raises ActionError for an unknown key."""
    sym = NAMES.get(key.lower())
    if sym is None and len(key) == 1:
        sym = keysym_of(key)
    if sym is None:
        raise ActionError(f"There is no key {key!r}. Name keys like ctrl, alt, shift, enter, esc, f5, a.")
    return sym


def button_number(button: str) -> int:
    """The number of a mouse button. Raises ActionError for a button that does not exist."""
    number = BUTTONS.get(button)
    if number is None:
        raise ActionError(f"There is no mouse button {button!r}; buttons: {', '.join(BUTTONS)}.")
    return number


def batches(text: str, known: Container[int], spare: int) -> Iterator[list[int]]:
    """The keysyms of a text in pieces, as long as possible, of whose characters at most ``spare`` are not ``known``."""
    batch: list[int] = []
    strange: set[int] = set()
    for sym in map(keysym_of, text):
        if sym not in known and sym not in strange and len(strange) == max(1, spare):
            yield batch
            batch, strange = [], set()
        batch.append(sym)
        strange |= set() if sym in known else {sym}
    if batch:
        yield batch


class PacedInput(ABC):
    """What is the same for every keyboard and mouse."""

    def __init__(self) -> None:
        self._heard: dict[str, float] = {}

    @abstractmethod
    def move(self, x: int, y: int) -> None:
        """Move the pointer."""

    @abstractmethod
    def type(self, text: str) -> None:
        """Type text, with any Unicode characters, into whatever has the focus."""

    @abstractmethod
    def _hold(self, number: int, down: bool) -> None:
        """Press or release a mouse button."""

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press the left button in one place and release it in another, moving as a hand does."""
        self.move(*start)
        self._hold(BUTTONS["left"], True)
        for step in range(1, DRAG_STEPS + 1):
            x, y = (here + (there - here) * step // DRAG_STEPS for here, there in zip(start, end, strict=True))
            self.move(x, y)
            time.sleep(IN_HAND if step in (1, DRAG_STEPS) else BETWEEN_STEPS)
        self._hold(BUTTONS["left"], False)

    def type_on_buttons(self, text: str) -> None:
        """Type text where keys may trigger buttons, as in a calculator."""
        if len(text) > LONGEST_ON_BUTTONS:
            self.type(text)
            return
        for stretch in stretches(text):
            self.await_hearing(stretch)
            self.type(stretch)

    def await_hearing(self, keys: Iterable[str]) -> None:
        """Wait until the buttons with these keys or names, which are about to be pressed, accept input again."""
        keys = tuple(keys)
        until = max((self._heard.get(key, 0.0) for key in keys), default=0.0) + SAME_KEY_AGAIN
        time.sleep(max(0.0, until - time.monotonic()))
        self._heard.update(dict.fromkeys(keys, time.monotonic()))


class Input(PacedInput):
    """The keyboard and mouse of a display."""

    def __init__(self, display: Display) -> None:
        super().__init__()
        self.display = display
        setup = display.connection.setup
        self._lowest, highest = int(setup.min_keycode), int(setup.max_keycode)
        with display_errors():
            reply = display.core.GetKeyboardMapping(self._lowest, highest - self._lowest + 1).reply()
        self._per_key = int(reply.keysyms_per_keycode)
        syms = list(reply.keysyms)
        self._keys: dict[int, tuple[int, bool]] = {}
        self._spare: list[int] = []
        self._lent: dict[int, int] = {}
        """Keysyms put on spare keys, oldest first."""
        for number in range(0, len(syms), self._per_key):
            keycode = self._lowest + number // self._per_key
            mine = syms[number : number + self._per_key]
            if not any(mine):
                self._spare.append(keycode)
            for level, sym in enumerate(mine[:2]):
                self._keys.setdefault(sym, (keycode, level == 1))
        self._last_typed = 0.0

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0, *, after: int = 0) -> None:
        """Send an input event. ``after``: milliseconds to wait first, kept by the X server even if the machine is busy."""
        self.display.test.FakeInput(kind, detail, after, self.display.root, x, y, 0)

    # -- mouse

    def move(self, x: int, y: int) -> None:
        with display_errors():
            self._fake(MOTION, 0, x, y)
            self.display.sync()

    def click(self, x: int, y: int, *, button: str = "left", count: int = 1) -> None:
        """Click at a place. Raises ActionError for a button that does not exist."""
        self._press_button(button_number(button), x, y, count, apart=BETWEEN_CLICKS)

    def _hold(self, number: int, down: bool) -> None:
        with display_errors():
            self._fake(BUTTON_PRESS if down else BUTTON_RELEASE, number)
            self.display.sync()

    def scroll(self, x: int, y: int, notches: int) -> None:
        """Turn the wheel over a place; positive is up."""
        self._press_button(SCROLL_UP if notches > 0 else SCROLL_DOWN, x, y, abs(notches))

    def _press_button(self, number: int, x: int, y: int, count: int, *, apart: int = 0) -> None:
        with display_errors():
            self._fake(MOTION, 0, x, y)
            for each in range(count):
                self._fake(BUTTON_PRESS, number, after=apart if each else 0)
                self._fake(BUTTON_RELEASE, number)
            self.display.sync()

    # -- keyboard

    def press(self, keys: Iterable[str]) -> None:
        """Press keys together, in order, and release them. Raises ActionError for an unknown key."""
        syms = [sym_of(key) for key in keys]
        if not syms:
            raise ActionError("No key was named.")
        self._borrow([sym for sym in syms if sym not in self._keys])
        codes: list[int] = []
        for sym in syms:
            code, shifted = self._keys.get(sym) or (self._lent[sym], False)
            if shifted and self._keys[SHIFT][0] not in codes:
                codes.append(self._keys[SHIFT][0])
            codes.append(code)
        with display_errors():
            for code in codes:
                self._fake(KEY_PRESS, code)
            for code in reversed(codes):
                self._fake(KEY_RELEASE, code)
            self.display.sync()
        self._last_typed = time.monotonic()

    def type(self, text: str) -> None:
        for wanted in batches(text, self._keys, len(self._spare)):
            self._borrow([sym for sym in wanted if sym not in self._keys])
            with display_errors():
                for sym in wanted:
                    self._type_sym(sym)
                self.display.sync()
            self._last_typed = time.monotonic()

    def _type_sym(self, sym: int) -> None:
        code, shifted = self._keys.get(sym) or (self._lent[sym], False)
        shift = self._keys[SHIFT][0]
        if shifted:
            self._fake(KEY_PRESS, shift)
        self._fake(KEY_PRESS, code)
        self._fake(KEY_RELEASE, code)
        if shifted:
            self._fake(KEY_RELEASE, shift)

    def _borrow(self, syms: list[int]) -> None:
        """Put keysyms on spare keys, reusing the least recently assigned ones."""
        missing = [sym for sym in dict.fromkeys(syms) if sym not in self._lent]
        if not missing:
            return
        if not self._spare:
            raise ActionError("This keyboard has no key to spare for such characters; paste them instead.")
        needed = set(syms)
        free = [code for code in self._spare if code not in self._lent.values()]
        if len(free) < len(missing):
            # A program that has not yet read the last keys would read them with the new meaning.
            time.sleep(max(0.0, self._last_typed + SETTLE_BEFORE_REUSE - time.monotonic()))
        for sym in missing:
            if free:
                code = free.pop(0)
            else:
                oldest = next(lent for lent in self._lent if lent not in needed)
                code = self._lent.pop(oldest)
            self._lent[sym] = code
            self.display.core.ChangeKeyboardMapping(1, code, 2, [sym, sym])
        self.display.sync()
        time.sleep(SETTLE_AFTER_REMAP)


def stretches(text: str) -> list[str]:
    """``text`` in pieces, none of which contains a digit or symbol twice."""
    pieces = [""]
    for character in text:
        if character in pieces[-1] and not character.isalpha() and not character.isspace():
            pieces.append("")
        pieces[-1] += character
    return pieces
