"""A small model's operations: what is put between and left out, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from deskcrew.coaching.operations import arranged, forbidden, unheard
from deskcrew.events import Operation, RunStarted
from deskcrew.journal.fold import RunState
from deskcrew.observation import Box, Control, FileEntry, Observation
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


BOX = Box(x=0, y=0, width=9, height=9)
NAMES = {"1": ("button", "Book now"), "2": ("button", "Clear"), "3": ("text field", "Name"), "4": ("link", "Send")}
PAGE = Observation(
    controls=tuple(
        Control(label=label, role=role, name=name, window=1, box=BOX, operations=("click",))
        for label, (role, name) in NAMES.items()
    )
)


def click(label: str) -> Operation:
    return Operation(function="click_input", control=label)


SENDS = Operation(function="keyboard_input", control="3", params={"keys": "Ann", "click_enter": True})


@pytest.mark.parametrize(
    ("task", "operation", "words"),
    [
        ("Enter Ann, but do not send the form.", click("1"), "do not send the form"),
        ("Enter Ann, but don’t submit it", click("4"), "don’t submit it"),
        ("Enter Ann without booking anything.", click("1"), "without booking anything"),
        ("Enter Ann, but do not send the form.", SENDS, "do not send the form"),
        ("Enter Ann. Do not press Book now.", click("1"), "Do not press Book now"),
        ('Enter Ann. Never click the "Clear" button.', click("2"), 'Never click the "Clear" button'),
        ("Enter Ann, but do not send the form.", click("2"), ""),
        ("Enter Ann. Do not press Clear.", click("1"), ""),
        ("Enter Ann and do not forget to send it.", click("4"), ""),
        ("You do not have to book a table first.", click("1"), ""),
        ("Enter Ann and press Book now.", click("1"), ""),
        (
            "Enter Ann, but do not send the form.",
            Operation(function="keyboard_input", control="3", params={"keys": "A"}),
            "",
        ),
    ],
)
def test_what_a_task_forbids(task: str, operation: Operation, words: str) -> None:
    assert forbidden(operation, task, PAGE) == words


FILES = Observation(files=(FileEntry(path="beach.jpg", kind="file", size=1),))


@pytest.mark.parametrize(
    ("function", "params", "word"),
    [
        ("make_folder", {"folder": "trip"}, "trip"),
        ("make_folder", {"folder": "Holiday 2024"}, ""),
        ("move_file", {"source": "beach.jpg", "destination": "holiday/beach.jpg"}, ""),
        ("move_file", {"source": "beach.jpg", "destination": "trip/beach.jpg"}, "trip"),
        ("copy_file", {"source": "beach.jpg", "destination": "beach-07.jpg"}, ""),
        ("delete_file", {"path": "trip"}, ""),
    ],
)
def test_a_new_name_is_made_of_words_that_somebody_said(function: str, params: dict[str, str], word: str) -> None:
    task = "Put the photos into a folder holiday 2024."
    state = RunState(started=RunStarted(task=task, crew="", model="", mode="", workspace="", desktop="none"))
    assert unheard(Operation(function=function, params=params), state, FILES) == word
