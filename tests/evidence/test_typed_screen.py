"""Typed checks of the screen, and how values are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskcrew.evidence.typed import Side, holds
from deskcrew.evidence.unfinished import unfinished, unsaved
from deskcrew.facts.contract import Contract, Requirement, TypedCheck
from deskcrew.facts.observation import Box, Control, Observation, Screen, Window

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


def screen(*windows: Window) -> Observation:
    return Observation(screen=Screen(width=99, height=99), windows=windows)


def window(title: str, id: int = 3, *, dialog: bool = False) -> Window:
    return Window(id=id, title=title, app="Editor", box=BOX, dialog=dialog)


def wanting(*checks: TypedCheck, files: tuple[str, ...] = ()) -> Contract:
    return Contract(requirements=(Requirement(id="1", says="x", checks=checks, files=files),))


@pytest.mark.parametrize(
    ("title", "marked"),
    [
        ("*notes.txt - Mousepad", True),
        ("● notes.txt - Studio", True),
        ("notes.txt * — Kate", True),
        ("notes.txt* - Editor", True),
        ("notes.txt •", True),
        ("notes.txt - Mousepad", False),
        ("2 * 3 = 6 - Notes", False),
        ("a*b.txt - Editor", False),
        ("Inbox • 3 new - Mail", False),
    ],
)
def test_a_title_says_that_something_was_not_saved(title: str, marked: bool) -> None:
    assert unsaved(title) is marked


SHOWS = TypedCheck(kind="window_shows", target="notes", text="milk")
LEFT = ("what is in the window '*notes.txt' was not saved",)


@pytest.mark.parametrize(
    ("contract", "first", "now", "left"),
    [
        (wanting(), (window("notes.txt"),), (window("*notes.txt"),), LEFT),
        (wanting(), (window("*notes.txt"),), (window("*notes.txt"),), ()),
        (wanting(), (), (window("notes.txt"),), ()),
        (wanting(SHOWS), (), (window("*notes.txt"),), ()),
        (wanting(SHOWS, files=("a/notes.txt",)), (), (window("*notes.txt"),), LEFT),
        (wanting(), (), (window("Save as", dialog=True),), ("the dialog 'Save as' was left open",)),
        (wanting(), (window("Save as", dialog=True),), (window("Save as", dialog=True),), ()),
        (wanting(), (window("Save", dialog=True),), (window("Save as", dialog=True),), ()),
        (wanting(TypedCheck(kind="window_shows", target="Save as", text="x")), (), (window("Save as", dialog=True),), ()),
    ],
)
def test_what_was_left_open(
    contract: Contract, first: tuple[Window, ...], now: tuple[Window, ...], left: tuple[str, ...]
) -> None:
    assert unfinished(contract, screen(*first), screen(*now)) == left


@pytest.mark.parametrize(
    ("shown", "wanted", "there"),
    [("57", "5", False), ("5", "5", True), ("1.5", "5", False), ("-5", "5", False), ("Total: 5 items", "5", True),
     ("Saved.", "Saved", True), ("Unsaved", "saved", False), ("第5章", "第5章", True), ("5,75", "5,7", False),
     ("共57元", "57", True), ("共57元", "7", False), ("已保存", "保存", True)],
)  # fmt: skip
def test_a_window_shows_words_of_their_own(shown: str, wanted: str, there: bool) -> None:
    look = screen(window("Display")).model_copy(
        update={"controls": (Control(label="c1", role="text", name=shown, box=BOX, window=3),)}
    )
    assert seen("window_shows", "Display", wanted, look) is there


@pytest.mark.parametrize(
    ("check", "wanted"),
    [
        pytest.param(TypedCheck(kind="page_at", target="Bank", text="https://bank.example/"), True, id="a page there"),
        pytest.param(TypedCheck(kind="window_shows", target="Bank", text="Balance"), True, id="what a window shows there"),
        pytest.param(TypedCheck(kind="page_at", target="Shop", text=SHOP), True, id="a page here"),
        pytest.param(TypedCheck(kind="window_shows", target="Shop", text="Balance"), False, id="not in that window"),
        pytest.param(TypedCheck(kind="control_is", target="Send", text="disabled"), True, id="a control that only one has"),
        pytest.param(TypedCheck(kind="control_is", target="Newsletter", text="checked"), None, id="two that do not agree"),
    ],
)
def test_what_another_desktop_of_the_run_shows(check: TypedCheck, wanted: bool | None) -> None:
    bank = Window(id=1, title="Bank", app="firefox", box=BOX, active=True, url="https://bank.example/")
    letter = Control(label="c1", role="check box", name="Newsletter", box=BOX, window=1)
    there = Observation(screen=DESK.screen, windows=(bank,), controls=(letter,), text="Balance")
    side = Side(Path("/nowhere"), Path("/nowhere"), DESK, elsewhere=(there,))
    assert holds(check, side)[0] is wanted
