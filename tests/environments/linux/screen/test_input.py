"""Keys that stand for buttons, which hear a key again only a moment after they were pressed."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from tests.environments.linux.conftest import await_look, desktop_in

from deskcrew.environments.linux.screen.input import stretches


@pytest.mark.parametrize(
    ("text", "pieces"),
    [("", [""]), ("4252", ["425", "2"]), ("100", ["10", "0"]), ("good book", ["good book"]), ("7--2", ["7-", "-2"])],
)
def test_no_stretch_holds_a_digit_or_sign_twice(text: str, pieces: list[str]) -> None:
    assert stretches(text) == pieces


@pytest.mark.desktop
def test_a_calculator_hears_every_key_and_click(tmp_path: Path) -> None:
    with contextlib.closing(desktop_in(tmp_path)) as desktop:
        desktop.open_application("Galculator")
        desktop.type_text(None, "4252200")
        await_look(desktop, lambda seen: any(one.value == "4252200" for one in seen.controls))
        desktop.press(("escape",))
        for key in "9911":
            desktop.press((key,))
        seen = await_look(desktop, lambda seen: any(one.value == "9911" for one in seen.controls))
        eight = next(one for one in seen.controls if (one.role, one.name) == ("toggle button", "8"))
        desktop.press(("escape",))
        for _ in range(4):
            desktop.observe()
            desktop.click(eight)
        await_look(desktop, lambda seen: any(one.value == "8888" for one in seen.controls))
