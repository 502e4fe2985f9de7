"""Windows in which typed text is a command, by their application. The guard judges it so; no secret is typed there."""

from __future__ import annotations

import re

from deskcrew.observation import Control, Window

TERMINALS = re.compile(
    r"terminal|terminator|terminology|\btermite?\b|term\b|xterm|konsole|kitty|alacritty|tilix|rxvt|wezterm|\bfoot|ghostty"
    r"|sakura|guake|yakuake|powershell|cmd\.exe|conhost"
)
TITLES = re.compile(r"\b(terminal|xterm|konsole|powershell)\b")
"""Names of terminals that stand in titles as words. Most of those above would be found in the title of any document."""
RUNNERS = re.compile(r"krunner|rofi|dmenu|gmrun|xfrun|appfinder|lxqt-runner|ulauncher|albert")
"""Text typed there starts a program."""


def is_terminal(control: Control | None, window: Window | None) -> bool:
    """Whether typed text is a command there."""
    if control is not None and control.role == "terminal":
        return True
    return window is not None and (TERMINALS.search(window.app.casefold()) is not None or is_runner(window))


def sounds_like_one(window: Window | None) -> bool:
    """Whether a window that need not be a terminal's is called like one: reason enough to take care."""
    return window is not None and TITLES.search(window.title.casefold()) is not None


def is_runner(window: Window | None) -> bool:
    """Whether a window belongs to a program that starts others by name."""
    return window is not None and RUNNERS.search(window.app.casefold()) is not None
