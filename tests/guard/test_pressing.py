"""What sends a form by the mouse sends it by Enter too, and is judged alike."""

from __future__ import annotations

import pytest

from deskcrew.guard.pressing import entering, pressing
from deskcrew.guard.words import Words
from deskcrew.observation import Behind, Box, Control

BOX = Box(x=0, y=0, width=9, height=9)


@pytest.mark.parametrize(
    ("name", "method", "has", "risk"),
    [
        ("Go", "post", ("form", "message"), "send"),
        ("", "post", ("form", "message"), "send"),
        ("Save draft", "post", ("form", "message"), "read"),  # says that it stays where it is
        ("Go", "get", ("form", "message"), "read"),  # a search
        ("Go", "post", ("form",), "read"),  # nothing was written in it
        ("Go", "post", ("form", "payment"), "spend"),
    ],
)
def test_enter_in_a_form_is_judged_as_its_button_is(name: str, method: str, has: tuple[str, ...], risk: str) -> None:
    words = Words.load()
    button = Behind(kind="submit", method=method, has=has)  # pyright: ignore[reportArgumentType]
    field = Behind(kind="field", method=method, has=has, sends=name)  # pyright: ignore[reportArgumentType]
    pressed = pressing(Control(label="1", role="button", name=name, box=BOX, window=1, behind=button), words)
    assert (pressed.risk, entering(field, words).risk) == (risk, risk)
