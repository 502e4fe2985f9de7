"""Windows in which typed text is a command, by their application. The guard judges it so; no secret is typed there."""

from __future__ import annotations

import re

from deskcrew.observation import Control, Window

TERMINALS = re.compile(
    r"terminal|terminator|terminology|\btermite?\b|term\b|xterm|konsole|kitty|alacritty|tilix|rxvt|wezterm|\bfoot|ghostty"
    r"|sakura|guake|yakuake|powershell|cmd\.exe|conhost"
)
RUNNERS = re.compile(r"krunner|rofi|dmenu|gmrun|xfrun|appfinder|lxqt-runner|ulauncher|albert")
"""Text typed there starts a program."""


def is_terminal(control: Control | None, window: Window | None) -> bool:
    """Whether typed text is a command there."""
    if control is not None and control.role == "terminal":
        return True
    return window is not None and (TERMINALS.search(window.app.casefold()) is not None or is_runner(window))


def is_runner(window: Window | None) -> bool:
    """Whether a window belongs to a program that starts others by name."""
    return window is not None and RUNNERS.search(window.app.casefold()) is not None
