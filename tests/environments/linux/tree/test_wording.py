"""What is made of names and texts that programs tell in a way of their own."""

from __future__ import annotations

import pytest

from deskcrew.environments.linux.tree import gtk4, roles
from deskcrew.environments.linux.tree.programs import plain
from deskcrew.environments.names import SHOWN_END, end_of


@pytest.mark.parametrize(
    ("told", "role", "name"),
    [
        ("4 4", roles.BUTTON, "4"),
        ("_Retry Retry", roles.BUTTON, "Retry"),
        ("Con_nect Connect", roles.BUTTON, "Connect"),
        ("End Group End Group", roles.BUTTON, "End Group"),
        ("New tab (Ctrl+T)", roles.BUTTON, "New tab (Ctrl+T)"),
        ("GtkMenuButton", roles.BUTTON, ""),
        ("EditorSourceView", roles.TEXT, ""),
        ("LibreOffice", roles.LABEL, "LibreOffice"),
        ("GtkLabel", roles.LABEL, ""),
        ("Open", roles.BUTTON, "Open"),
        ("", roles.BUTTON, ""),
    ],
)
def test_names_that_gtk4_tells(told: str, role: int, name: str) -> None:
    assert gtk4.name(told, role) == name


@pytest.mark.parametrize(
    ("screen", "told"),
    [
        ("$ ls\na.txt\n$ \n\n\n", "$ ls\na.txt\n$ "),
        ("", ""),
        ("one\n" + "x" * 184 + "\nlast\n", "…\n" + "x" * 184 + "\nlast"),
        ("y" * 300 + "\n", "…" + "y" * SHOWN_END),
    ],
)
def test_a_terminal_is_told_from_its_end(screen: str, told: str) -> None:
    assert end_of(screen) == told


def test_a_tool_tip_is_told_by_its_first_line_without_marks() -> None:
    assert plain("<p style='white-space:pre'>Count words\n(slow)</p>") == "Count words"
