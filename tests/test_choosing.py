"""Menus by rule: the way that a part names, and the entry that its words mean."""

from __future__ import annotations

import pytest

from deskcrew.observation import Observation
from deskcrew.steps.choosing import meant, menu_path, opened, speaks_of_menus
from support.desktop_double import control


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("put all of it into capital letters with Format > Change Case", ("Format", "Change Case")),
        ("use the menu Text > Case > To Lowercase in the editor", ("Text", "Case", "To Lowercase")),
        ('choose "Tools" → "Word Count..."', ("Tools", "Word Count...")),
        ("3 > 2", ()),
        ("use A > B or C > D", ()),
        ("save the file", ()),
    ],
)
def test_the_way_that_is_named(part: str, path: tuple[str, ...]) -> None:
    assert menu_path(part) == path


def test_the_entry_that_is_meant() -> None:
    menus = [control("1", "menu", "Format"), control("2", "menu", "Change Case")]
    entries = [control(str(at), "menu item", name) for at, name in enumerate(("Uppercase", "Lowercase", "Title Case"), 3)]
    path = ("Format", "Change Case")
    assert opened(Observation(controls=tuple(menus)), path) == []
    there = opened(Observation(controls=(*menus, *entries)), path)
    assert there == entries
    found = meant(there, "put the whole text into capital letters with Format > Change Case", path)
    assert found is not None
    assert found.name == "Uppercase"
    assert meant(there, "do something nice with Format > Change Case", path) is None
    title = meant(there, "make it a title with Format > Change Case", path)
    assert title is not None
    assert title.name == "Title Case"


def test_parts_that_speak_of_menus() -> None:
    assert speaks_of_menus("open the View menu")
    assert not speaks_of_menus("write 3 lines")
