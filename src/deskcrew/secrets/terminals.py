"""Recognizes windows in which typed text is a command. The guard judges it as one; no secret is typed there."""

from __future__ import annotations

from deskcrew.facts.observation import Control, Window
from deskcrew.facts.texts import words_in

_TERMINALS = (
    "terminal", "terminator", "terminology", "xterm", "konsole", "kitty", "alacritty", "tilix", "rxvt", "wezterm", "ghostty",
    "sakura", "guake", "yakuake", "powershell", "cmd.exe", "conhost",
)  # fmt: skip
"""Parts of terminals' application names. For names that also occur inside of others, see :func:`_is_called`."""
_IN_TITLES = frozenset({"terminal", "xterm", "konsole", "powershell"})
"""Words in window titles that suggest a terminal. Other names of terminals may occur in the title of any document."""
_RUNNERS = ("krunner", "rofi", "dmenu", "gmrun", "xfrun", "appfinder", "lxqt-runner", "ulauncher", "albert")
"""Parts of the names of launchers, in which typed text starts a program."""


def is_terminal(control: Control | None, window: Window | None) -> bool:
    """Whether text typed into this control or window is a command."""
    if control is not None and control.role == "terminal":
        return True
    return window is not None and (_is_called(window.app.casefold()) or is_runner(window))


def sounds_like_one(window: Window | None) -> bool:
    """Whether a window's title suggests a terminal, which is reason enough to be careful."""
    return window is not None and not _IN_TITLES.isdisjoint(words_in(window.title.casefold()))


def is_runner(window: Window | None) -> bool:
    """Whether a window belongs to a program that starts others by name."""
    return window is not None and any(part in window.app.casefold() for part in _RUNNERS)


def _is_called(app: str) -> bool:
    """Whether an application is a terminal by its name: one of the known ones, or a name that ends in "term"."""
    ends = any(word.endswith("term") or word in ("termit", "termite") or word.startswith("foot") for word in words_in(app))
    return ends or any(part in app for part in _TERMINALS)
