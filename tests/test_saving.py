"""Saving by rule: which parts ask for that alone, and what is done on the screen that is there."""

from __future__ import annotations

import pytest

from deskcrew.observation import Control, FileEntry, Observation, Window
from deskcrew.steps.saving import keeps_format, only_saves, said_last, ways
from support.desktop_double import BOX, control

EDITOR = Window(id=1, title="*Untitled 1 - Mousepad", app="mousepad", box=BOX, active=True)
DIALOG = Window(id=2, title="Save As", app="mousepad", box=BOX, active=True, dialog=True)
NAME = control("4", "text field", "Name:", window=2, operations=("type",), value="Untitled.txt")
SAVE = control("7", "button", "Save", window=2, operations=("click",))
CANCEL = control("8", "button", "Cancel", window=2, operations=("click",))


def seen(window: Window, *controls: Control, files: tuple[str, ...] = ()) -> Observation:
    entries = tuple(FileEntry(path=path, kind="file") for path in files)
    return Observation(windows=(window,), controls=controls, files=entries)


def done(look: Observation, name: str, *, first: bool = True) -> list[tuple[str, str | None, object]]:
    return [(each.function, each.control, each.params.get("keys")) for each in ways(look, name, first=first)]


@pytest.mark.parametrize(
    ("part", "saves"),
    [
        ("save it as note-48.txt.", True),
        ("Save the file", True),
        ("save.", True),
        ("please save this under the name summary 1.txt", True),
        ("Save it as a Word document again.", True),
        ("save the letter in the same format", True),
        ("Save it, keeping the format.", True),
        ("Save with Ctrl+S.", True),
        ("save it as a PDF", False),
        ("save the file as a.txt and close it", False),
        ('save "hello" as a.txt', False),
        ("save a.txt as b.txt", False),
        ("save money", False),
        ("Save the table as it is, as .xlsx.", True),
        ("Then just save it, keeping the name and format it has.", True),
        ("save everything once more when you are done", True),
        ("Save it in the folder Letters.", False),
        ("Save a copy.", False),
        ("Save it twice", False),
        ("Save the page about otters", False),
        ("write hello and save it", False),
    ],
)
def test_parts_that_ask_for_saving_and_nothing_else(part: str, saves: bool) -> None:
    assert only_saves(part) is saves


def test_first_the_key_then_the_dialog() -> None:
    assert done(seen(EDITOR), "a.txt") == [("hotkey", None, ["ctrl", "s"])]
    assert done(seen(EDITOR), "") == [("hotkey", None, ["ctrl", "s"])]
    named = [("keyboard_input", "4", "a.txt"), ("click_input", "7", None)]
    assert done(seen(DIALOG, NAME, SAVE, CANCEL), "a.txt", first=False) == named
    assert done(seen(DIALOG, NAME, SAVE, CANCEL), "a.txt") == named, "the part before may have pressed the key"


@pytest.mark.parametrize(
    ("look", "name", "first"),
    [
        (seen(EDITOR), "a.txt", False),  # the key led to no dialog
        (seen(DIALOG, NAME, CANCEL), "a.txt", False),
        (seen(DIALOG, SAVE, CANCEL), "a.txt", False),
        (seen(DIALOG, NAME, SAVE), "", False),
        (seen(DIALOG, NAME, NAME.model_copy(update={"label": "5"}), SAVE), "a.txt", False),
        # Under another name than its own: the key would save it under that.
        (seen(EDITOR.model_copy(update={"title": "list.txt - Mousepad"}), files=("list.txt",)), "a.txt", True),
        (Observation(), "a.txt", True),
    ],
)
def test_where_there_is_a_doubt_a_model_is_asked(look: Observation, name: str, first: bool) -> None:
    assert done(look, name, first=first) == []


def test_what_is_only_told_before_does_not_count() -> None:
    assert said_last("Each one on its own line. Save it as a.txt.") == "Save it as a.txt."
    assert said_last("Write a. Save it.") == "Write a. Save it."


def test_a_file_keeps_its_format_where_a_dialog_asks() -> None:
    keep, change = control("4", "button", "Keep Word Format!", window=2), control("5", "button", "Use ODF Format!", window=2)
    found = keeps_format(seen(DIALOG, change, keep))
    assert found is not None
    assert found.label == "4"
    assert keeps_format(seen(DIALOG, SAVE, CANCEL)) is None
    assert keeps_format(seen(EDITOR)) is None
