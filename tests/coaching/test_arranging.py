"""What is put between, and left out of, a small model's operations."""

from __future__ import annotations

from typing import Any

import pytest

from deskcrew.coaching.arranging import arranged
from deskcrew.observation import Observation
from support.desktop_double import SIGHT, control

SAVE = {"function": "hotkey", "control": None, "params": {"keys": ["ctrl", "s"]}}
END = {"function": "hotkey", "control": None, "params": {"keys": ["ctrl", "end"]}}
ENTER = {"function": "hotkey", "control": None, "params": {"keys": ["enter"]}}


def typing(text: str, label: str | None = None, *, clear: bool = False) -> dict[str, Any]:
    return {"function": "keyboard_input", "control": label, "params": {"keys": text, "clear": clear}}


def seen(role: str, value: str) -> Observation:
    field = control("1", role, "Place", value=value, operations=("type",))
    return SIGHT.model_copy(update={"controls": (field,), "focus": "1"})


def operations(part: str, look: Observation, *given: dict[str, Any]) -> list[dict[str, Any]]:
    return arranged({"operations": list(given), "branch": "Continue"}, part, look)["operations"]


@pytest.mark.parametrize("part", ['Add the line "bye" at the end', "append bye as the last line", "put bye at the bottom"])
def test_what_belongs_at_the_end_goes_there_on_a_line_of_its_own(part: str) -> None:
    assert operations(part, seen("text area", "hello"), typing("bye"), SAVE) == [END, ENTER, typing("bye"), SAVE]
    assert operations(part, seen("text area", "hello\n"), typing("bye", "1"), SAVE) == [END, typing("bye"), SAVE]
    assert operations(part, seen("text area", "a long te…"), typing("bye"))[0] == END


def test_a_word_at_the_end_needs_no_line() -> None:
    assert operations("write bye at the end", seen("text area", "hello"), typing("bye")) == [END, typing("bye")]


@pytest.mark.parametrize(
    ("part", "look", "given"),
    [
        ("write bye", seen("text area", "hello"), [typing("bye")]),
        ("write bye at the end", seen("text area", ""), [typing("bye")]),
        ("write bye at the end", seen("text area", "hello"), [END, typing("bye")]),
        ("write bye at the end", seen("text area", "hello"), [typing("bye", clear=True)]),
        ("write bye at the end", seen("text area", "hello"), [SAVE]),
        ("write bye", seen("text field", ""), [typing("bye")]),
        ("press 2 twice", seen("text field", ""), [typing("2"), typing("2")]),
        ("go down", seen("text field", "x"), [ENTER, ENTER]),
    ],
)
def test_all_else_stays_as_it_is(part: str, look: Observation, given: list[dict[str, Any]]) -> None:
    assert operations(part, look, *given) == given


def test_what_stands_in_a_field_of_one_line_gives_way() -> None:
    look = seen("text field", "Untitled.txt")
    assert operations("save it as a.txt", look, typing("a.txt", "1")) == [typing("a.txt", "1", clear=True)]
    assert operations("add it at the end", look, typing("a.txt", "1")) == [typing("a.txt", "1")]


def test_a_text_typed_again_and_again_is_typed_once() -> None:
    look = seen("text area", "")
    assert operations("write it", look, typing("hello"), typing("hello"), typing("hello"), SAVE) == [typing("hello"), SAVE]
    assert operations("save it", look, SAVE, SAVE, SAVE) == [SAVE]
    assert operations("write it", look, typing("hello"), SAVE, typing("hello")) == [typing("hello"), SAVE, typing("hello")]


def test_who_has_it_at_the_end_already_does_not_go_there_again() -> None:
    stands = seen("text area", "hello\nbye")
    assert operations('Add the line "bye" at the end', stands, typing("bye", "1"), SAVE) == [typing("bye", "1"), SAVE]
