"""Typed checks of the screen, and how values are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.contract import Contract, Requirement, TypedCheck
from deskcrew.goals.typed import Side, holds
from deskcrew.observation import Box, Control, Observation, Screen, Window

BOX = Box(x=0, y=0, width=9, height=9)
SHOP = "https://shop.example/cart?id=7#top"
DESK = Observation(
    screen=Screen(width=99, height=99),
    windows=(
        Window(id=1, title="Shop - Browser", app="firefox", box=BOX, active=True, url=SHOP),
        Window(id=2, title="Notes", app="Text Editor", box=BOX),
    ),
    controls=(
        Control(label="c1", role="check box", name="Newsletter", states=("checked", "focused"), box=BOX, window=1),
        Control(label="c2", role="button", name="Send", states=("disabled",), box=BOX, window=1),
        Control(label="c3", role="radio", name="Size", box=BOX, window=1),
        Control(label="c4", role="radio", name="Size", states=("checked",), box=BOX, window=1),
    ),
)


def seen(kind: str, target: str, text: str = "", look: Observation = DESK) -> bool | None:
    check = TypedCheck.model_validate({"kind": kind, "target": target, "text": text})
    assert check.words
    return holds(check, Side(Path("/nowhere"), Path("/nowhere"), look))[0]


@pytest.mark.parametrize(
    ("kind", "target", "text", "wanted"),
    [
        ("program_runs", "firefox", "", True),
        ("program_runs", "text  editor", "", True),
        ("program_runs", "fire", "", False),
        ("page_at", "Shop", SHOP, True),
        ("page_at", "Shop", "https://shop.example/cart", True),
        ("page_at", "Shop", "https://shop.example/cart/", True),
        ("page_at", "Shop", "https://shop.example/cart?id=8#top", False),
        ("page_at", "Shop", "https://shop.example/", False),
        ("page_at", "Bank", "https://bank.example/", False),
        ("page_at", "Notes", "https://shop.example/", None),
        ("control_is", "Newsletter", "checked", True),
        ("control_is", "newsletter", "not checked", False),
        ("control_is", "Newsletter", "not disabled", True),
        ("control_is", "Send", "disabled", True),
        ("control_is", "Send", "checked", False),
        ("control_is", "Send", "not chekced", None),
        ("control_is", "Nothing", "checked", None),
        ("control_is", "Size", "checked", None),
    ],
)
def test_the_screen(kind: str, target: str, text: str, wanted: bool | None) -> None:
    assert seen(kind, target, text) is wanted


def test_without_a_desktop_no_program_can_be_looked_at() -> None:
    assert seen("program_runs", "firefox", look=Observation()) is None


def test_what_is_on_the_screen_is_no_path_that_may_change() -> None:
    checks = tuple(
        TypedCheck.model_validate({"kind": kind, "target": "a"}) for kind in ("control_is", "page_at", "program_runs")
    )
    of_file = TypedCheck(kind="value_is", target="b.docx#paragraph[1].bold", text="true")
    requirement = Requirement(id="1", says="x", checks=(*checks, of_file))
    assert Contract(requirements=(requirement,)).files == ("b.docx",)


@pytest.mark.parametrize(
    ("value", "wanted", "alike"),
    [
        ("3.0", "3", True),
        ("3", "03.00", True),
        ("3.01", "3", False),
        (" a  b ", "a b", True),
        ("A", "a", False),
        ("2026-03-01 00:00:00", "2026-03-01", True),
        ("2026-03-01T10:00:00Z", "2026-03-01T11:00+01:00", True),
        ("2026-03-01T10:00:00", "2026-03-01T10:00:00Z", False),
        ("2026-03-01", "2026-03-02", False),
        ("2026-13-01", "2026-13-01T00:00", False),
    ],
)
def test_values_are_compared_as_texts_numbers_or_moments(tmp_path: Path, value: str, wanted: str, alike: bool) -> None:
    (tmp_path / "a.csv").write_text(f'"{value}"\n')
    check = TypedCheck(kind="value_is", target="a.csv#A1", text=wanted)
    assert holds(check, Side(tmp_path, tmp_path, DESK))[0] is alike
