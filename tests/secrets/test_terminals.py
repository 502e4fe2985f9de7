"""Windows in which what is typed is a command, and windows that only sound like them."""

from __future__ import annotations

import pytest

from deskcrew.facts.observation import Box, Control, Window
from deskcrew.secrets.terminals import is_runner, is_terminal, sounds_like_one

BOX = Box(x=0, y=0, width=100, height=100)


def window(app: str) -> Window:
    return Window(id=1, title="any", app=app, box=BOX)


APPS = [
    "Xfce4-terminal", "gnome-terminal-server", "qterminal", "xterm", "UXTerm", "konsole", "kitty", "Alacritty",
    "terminator", "terminology", "Tilix", "urxvt", "org.wezfurlong.wezterm", "foot", "footclient", "ghostty",
    "sakura", "guake", "yakuake", "termit", "termite", "cool-retro-term", "cmd.exe", "PowerShell", "conhost",
    "krunner", "rofi", "dmenu", "gmrun", "xfrun4", "xfce4-appfinder", "lxqt-runner", "ulauncher", "albert",
]  # fmt: skip


@pytest.mark.parametrize("app", APPS)
def test_a_command_is_typed_there(app: str) -> None:
    assert is_terminal(None, window(app))


@pytest.mark.parametrize("app", ["mousepad", "Barefoot", "intermittent", "determine", "firefox", ""])
def test_plain_text_is_typed_there(app: str) -> None:
    assert not is_terminal(None, window(app))


def test_a_terminal_within_another_program() -> None:
    control = Control(label="1", role="terminal", name="", box=BOX, window=1)
    assert is_terminal(control, window("code"))
    assert not is_terminal(control.model_copy(update={"role": "text field"}), window("code"))
    assert not is_terminal(None, None)


def test_what_starts_programs_is_a_terminal_of_its_own_kind() -> None:
    assert is_runner(window("krunner"))
    assert not is_runner(window("xterm"))
    assert not is_runner(None)


@pytest.mark.parametrize(("title", "sounds"), [("Terminal - ana@pc", True), ("Long-term plan.odt", False), ("foot", False)])
def test_a_window_may_be_called_like_a_terminal(title: str, sounds: bool) -> None:
    called = window("python3").model_copy(update={"title": title})
    assert (sounds_like_one(called), is_terminal(None, called)) == (sounds, False)
