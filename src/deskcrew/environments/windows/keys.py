"""Virtual-key codes of the keys that actions name, on a US keyboard (Microsoft's "Virtual-key codes")."""

from __future__ import annotations

import string

from deskcrew.errors import ActionError

SHIFT, ENTER, TAB = 0x10, 0x0D, 0x09
CODES = {
    "ctrl": 0x11, "alt": 0x12, "shift": SHIFT, "super": 0x5B, "enter": ENTER, "tab": TAB, "escape": 0x1B, "space": 0x20,
    "backspace": 0x08, "delete": 0x2E, "insert": 0x2D, "home": 0x24, "end": 0x23, "pageup": 0x21, "pagedown": 0x22,
    "up": 0x26, "down": 0x28, "left": 0x25, "right": 0x27, "menu": 0x5D, "printscreen": 0x2C, "equal": 0xBB,
    "minus": 0xBD, "comma": 0xBC, "period": 0xBE, "slash": 0xBF, "backslash": 0xDC, "semicolon": 0xBA,
    "apostrophe": 0xDE, "grave": 0xC0, "bracketleft": 0xDB, "bracketright": 0xDD,
    **{f"f{number}": 0x6F + number for number in range(1, 13)},
    **{letter: ord(letter.upper()) for letter in string.ascii_lowercase},
    **{digit: ord(digit) for digit in string.digits},
}  # fmt: skip


def codes_of(names: tuple[str, ...]) -> tuple[int, ...]:
    """The codes of keys that are pressed together. Raises ActionError for an unknown key."""
    codes: list[int] = []
    for name in names:
        if name == "plus":  # the equals key with Shift
            codes += [SHIFT, CODES["equal"]]
        elif name in CODES:
            codes.append(CODES[name])
        else:
            raise ActionError(f"There is no key {name!r}. Name keys like ctrl, alt, shift, enter, escape, f5, a.")
    return tuple(dict.fromkeys(codes))
