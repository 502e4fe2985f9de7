"""Names of keys (C20): those of pyautogui, which COLA uses, if keyboards have them; and aliases that models use."""

from __future__ import annotations

import string

from deskcrew.facts.json_values import is_list

MODIFIERS = ("ctrl", "alt", "shift", "super")
NAMED = (
    "enter", "tab", "escape", "space", "backspace", "delete", "insert", "home", "end", "pageup", "pagedown",
    "up", "down", "left", "right", "menu", "printscreen", "plus", "minus", "equal", "comma", "period", "slash",
    "backslash", "semicolon", "apostrophe", "grave", "bracketleft", "bracketright",
)  # fmt: skip
FUNCTION = tuple(f"f{number}" for number in range(1, 13))
KEYS = (*MODIFIERS, *NAMED, *FUNCTION, *string.ascii_lowercase, *string.digits)
ALIASES = {
    "control": "ctrl", "ctl": "ctrl", "ctrlleft": "ctrl", "ctrlright": "ctrl", "strg": "ctrl", "option": "alt",
    "altleft": "alt", "altright": "alt", "shiftleft": "shift", "shiftright": "shift", "win": "super",
    "winleft": "super", "winright": "super", "windows": "super", "meta": "super", "cmd": "super", "command": "super",
    "return": "enter", "\n": "enter", "\t": "tab", "esc": "escape", " ": "space", "spacebar": "space", "del": "delete",
    "ins": "insert", "pgup": "pageup", "page_up": "pageup", "prior": "pageup", "pgdn": "pagedown",
    "page_down": "pagedown", "next": "pagedown", "arrowup": "up", "arrowdown": "down", "arrowleft": "left",
    "arrowright": "right", "prtsc": "printscreen", "print": "printscreen", "prtscr": "printscreen", "apps": "menu",
    "+": "plus", "-": "minus", "=": "equal", ",": "comma", ".": "period", "/": "slash", "\\": "backslash",
    ";": "semicolon", "'": "apostrophe", "`": "grave", "[": "bracketleft", "]": "bracketright",
}  # fmt: skip


def normalise(name: str) -> tuple[str, ...]:
    """The key or keys that a name means: ``Ctrl+S`` is two. Raises ValueError for an unknown key."""
    plain = name.strip().lower() or name
    plain = ALIASES.get(plain, plain)
    if plain in KEYS:
        return (plain,)
    if "+" in plain and len(plain) > 1:
        parts = plain.removesuffix("+").split("+") + (["plus"] if plain.endswith("++") else [])
        return tuple(key for part in parts if part for key in normalise(part))
    raise ValueError(f"there is no key {name!r}; keys are for example ctrl, alt, shift, enter, tab, escape, f5, a, 1")


def spelled_out(names: object) -> object:
    """The keys in a reply by their plain names, in any notation ("End", "Ctrl+S"); unknown keys are left for the
    validator."""
    if not is_list(names):
        return names
    plain: list[object] = []
    for name in names:
        try:
            plain += normalise(name) if isinstance(name, str) else (name,)
        except ValueError:
            plain.append(name)
    return plain
