"""Programs by their .desktop files: what they are called, and which one is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.environments.linux.applications import Application, find, installed, refuse_damage
from deskcrew.errors import ActionError


@pytest.fixture
def programs(tmp_path: Path) -> dict[str, Application]:
    """``cat`` and the like stand for graphical programs: only what can be run is listed."""
    for file, lines in {
        "editor": ("Name=Mousepad", "GenericName=Text Editor", "Exec=cat %U"),
        "settings": ("Name=Mousepad Settings", "Exec=cat --preferences", "Categories=GTK;Settings;"),
        "calc": ("Name=LibreOffice Calc", "GenericName=Spreadsheet", "Exec=env --calc %U"),
        "galculator": ("Name=Galculator", "GenericName=Calculator", "Exec=true"),
        "xterm": ("Name=XTerm", "GenericName=Terminal", "Exec=sh"),
        "uxterm": ("Name=UXTerm", "GenericName=Terminal", "Exec=sh"),
        "hidden": ("Name=Hidden", "Exec=sh", "NoDisplay=true"),
        "missing": ("Name=Missing", "Exec=no-such-program-here"),
    }.items():
        (tmp_path / f"{file}.desktop").write_text("\n".join(("[Desktop Entry]", "Type=Application", *lines)))
    return installed((tmp_path,))


def test_programs_are_called_by_what_they_are(programs: dict[str, Application]) -> None:
    assert sorted(programs) == [
        "Calculator (Galculator)",
        "Mousepad Settings",
        "Spreadsheet (LibreOffice Calc)",
        "Terminal (UXTerm)",
        "Terminal (XTerm)",
        "Text Editor (Mousepad)",
    ]
    assert [name for name, program in programs.items() if program.settings] == ["Mousepad Settings"]


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("Text Editor (Mousepad)", "Text Editor (Mousepad)"),
        ("text editor", "Text Editor (Mousepad)"),
        ("cat", "Text Editor (Mousepad)"),
        ("settings", "Mousepad Settings"),
        ("libreoffice-calc", "Spreadsheet (LibreOffice Calc)"),
        ("spreadsheet", "Spreadsheet (LibreOffice Calc)"),
        ("galculator.desktop", "Calculator (Galculator)"),
        ("Calculator.exe", "Calculator (Galculator)"),
        ("(XTerm)", "Terminal (XTerm)"),
    ],
)
def test_the_program_that_is_meant(programs: dict[str, Application], wanted: str, meant: str) -> None:
    assert find(wanted, programs).name == meant


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("terminal", r"could be Terminal \(UXTerm\), Terminal \(XTerm\); use the full name"),
        ("Mousepad", r"could be Mousepad Settings, Text Editor \(Mousepad\)"),
        ("Terminal (XTermm)", r"Did you mean 'Terminal \(XTerm\)"),
        ("hidden", "There is no application 'hidden'"),
        ("", "There is no application ''.* Applications here: Calculator"),
    ],
)
def test_what_is_not_clear_is_not_started(programs: dict[str, Application], wanted: str, said: str) -> None:
    with pytest.raises(ActionError, match=said):
        find(wanted, programs)


def test_games_are_found_though_the_search_path_lacks_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = tmp_path / "marbles"
    game.write_text("#!/bin/sh\n")
    game.chmod(0o755)
    (tmp_path / "marbles.desktop").write_text("[Desktop Entry]\nType=Application\nName=Marbles\nExec=marbles --easy\n")
    assert installed((tmp_path,)) == {}
    monkeypatch.setattr("deskcrew.environments.linux.applications.GAMES", str(tmp_path))
    found = installed((tmp_path,))
    assert find("marbles", found).with_file(None) == [str(game), "--easy"]


@pytest.mark.parametrize(("categories", "content", "refused"), [
    ("Utility;TextEditor;", b"PK\x03\x04\x00\x00", True),
    ("Utility;TextEditor;", "plain ü\n".encode(), False),
    ("Office;WordProcessor;", b"PK\x03\x04\x00\x00", False),
])  # fmt: skip
def test_what_is_no_text_is_not_opened_where_saving_damages_it(
    tmp_path: Path, categories: str, content: bytes, refused: bool
) -> None:
    lines = ("[Desktop Entry]", "Type=Application", "Name=Pad", "Exec=true %F", f"Categories={categories}")
    (tmp_path / "pad.desktop").write_text("\n".join(lines))
    (tmp_path / "letters").write_bytes(content)
    pad = installed((tmp_path,))["Pad"]
    if refused:
        with pytest.raises(ActionError, match=r"letters is not text, and Pad would damage it\. read_file reads it"):
            refuse_damage(pad, tmp_path / "letters")
    else:
        refuse_damage(pad, tmp_path / "letters")
    refuse_damage(pad, tmp_path / "a new file")
