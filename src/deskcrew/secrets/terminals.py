"""Windows in which typed text is a command, by their application. The guard judges it so; no secret is typed there."""

from __future__ import annotations

from deskcrew.facts.observation import Control, Window
from deskcrew.facts.texts import words_in

_TERMINALS = (
    "terminal", "terminator", "terminology", "xterm", "konsole", "kitty", "alacritty", "tilix", "rxvt", "wezterm", "ghostty",
    "sakura", "guake", "yakuake", "powershell", "cmd.exe", "conhost",
)  # fmt: skip
"""Parts of names of terminals. Some more are called by a word that others have in their names: see :func:`_is_called`."""
_IN_TITLES = frozenset({"terminal", "xterm", "konsole", "powershell"})
"""Names of terminals that stand in titles as words. Most of those above would be found in the title of any document."""
_RUNNERS = ("krunner", "rofi", "dmenu", "gmrun", "xfrun", "appfinder", "lxqt-runner", "ulauncher", "albert")
"""Text typed there starts a program."""


def is_terminal(control: Control | None, window: Window | None) -> bool:
    """Whether typed text is a command there."""
    if control is not None and control.role == "terminal":
        return True
    return window is not None and (_is_called(window.app.casefold()) or is_runner(window))


def sounds_like_one(window: Window | None) -> bool:
    """Whether a window that need not be a terminal's is called like one: reason enough to take care."""
    return window is not None and not _IN_TITLES.isdisjoint(words_in(window.title.casefold()))


def is_runner(window: Window | None) -> bool:
    """Whether a window belongs to a program that starts others by name."""
    return window is not None and any(part in window.app.casefold() for part in _RUNNERS)


def _is_called(app: str) -> bool:
    """Whether an application is a terminal: foot and termite are, and all whose names end in term."""
    ends = any(word.endswith("term") or word in ("termit", "termite") or word.startswith("foot") for word in words_in(app))
    return ends or any(part in app for part in _TERMINALS)
