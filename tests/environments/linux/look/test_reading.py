"""Windows that tell nothing of themselves: what is read of them is where it stands, and does what it should."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import pytest
from PIL import Image
from tests.environments.linux.conftest import await_look, desktop_in, only

from deskcrew.environments import ocr
from deskcrew.environments.describe import describe
from deskcrew.environments.evidence import compare
from deskcrew.environments.labels import Labels
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.look import reading
from deskcrew.environments.linux.look.reading import cut, divided, made, once, within
from deskcrew.environments.linux.screen.x11 import Screenful, WindowLayer, XWindow
from deskcrew.environments.ocr import SeenText
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Observation

QUESTION = "The file report.txt exists already"
BUTTONS = ("Cancel", "Keep both", "Replace")


def asked(desktop: LinuxDesktop, answer: str) -> None:
    """Start a program without any toolkit that asks a question, and writes what was answered into a file."""
    if shutil.which("xmessage") is None:
        pytest.skip("sudo apt install x11-utils")
    program = f'xmessage -print -buttons "{",".join(BUTTONS)}" "{QUESTION}" >{answer}'
    desktop.session.start(["/bin/sh", "-c", program])


def names(look: Observation) -> list[str]:
    return [one.name for one in look.controls]


@pytest.fixture
def read(desktop: LinuxDesktop, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Sizes of the pictures that were read."""
    sizes: list[tuple[int, int]] = []
    real = ocr.read_text

    def counted(image: Image.Image, *, seconds: float) -> list[SeenText]:
        sizes.append(image.size)
        return real(image, seconds=seconds)

    monkeypatch.setattr(reading.ocr, "read_text", counted)
    return sizes


@pytest.mark.desktop
def test_a_window_without_a_tree_is_read_and_pressed(
    desktop: LinuxDesktop, workspace: Path, read: list[tuple[int, int]]
) -> None:
    asked(desktop, "answer.txt")
    look = await_look(desktop, lambda seen: "Replace" in names(seen), 20.0)
    assert names(look) == [QUESTION, *BUTTONS]
    assert look.note == ""
    assert all(one.window == look.windows[0].id and look.windows[0].box.contains(*one.box.centre) for one in look.controls)
    assert {one.role for one in look.controls} == {ocr.ROLE}

    times = len(read)
    again = desktop.look(everything=True)
    assert again.controls == look.controls
    assert len(read) == times, "what looks as it did is not read again"

    keep = only(look, "text", "Keep both")
    with pytest.raises(ActionError, match="can only be clicked"):
        desktop.type_text(keep, "x")
    desktop.click(keep)
    gone = await_look(desktop, lambda seen: not seen.windows)
    assert (workspace / "answer.txt").read_text() == "Keep both\n"
    evidence = compare(look, gone)
    assert evidence.windows_closed == ("xmessage",)
    assert {*evidence.controls_gone} == {one.label for one in look.controls}
    with pytest.raises(ActionError, match="has gone"):
        desktop.click(keep)


@pytest.mark.desktop
def test_without_the_library_the_look_says_what_is_missing(
    desktop: LinuxDesktop, monkeypatch: pytest.MonkeyPatch, read: list[tuple[int, int]]
) -> None:
    monkeypatch.setattr(reading.ocr, "available", lambda: False)
    asked(desktop, "other.txt")
    look = await_look(desktop, lambda seen: bool(seen.note), 20.0)
    assert ocr.INSTALL in look.note
    assert look.controls == ()
    assert not read
    assert look.note in describe(look, tokens=500)
    desktop.close_window(look.windows[0].id)
    assert await_look(desktop, lambda seen: not seen.windows).note == ""


@pytest.mark.desktop
def test_a_window_with_a_tree_is_not_read(editor: LinuxDesktop, read: list[tuple[int, int]]) -> None:
    look = await_look(editor, lambda seen: any(one.role == "text area" for one in seen.controls))
    assert not read
    assert ocr.ROLE not in {one.role for one in look.controls}


def window(box: Box) -> XWindow:
    return XWindow(7, 7, "t", "a", None, box, True, False)


def test_only_what_is_seen_of_a_window_is_read() -> None:
    box = Box(x=-10, y=20, width=60, height=40)
    menu = WindowLayer(9, Box(x=30, y=0, width=50, height=30), True)
    crop = cut(
        window(box), Screenful((window(box),), (menu, WindowLayer(7, box, False))), Image.new("RGB", (100, 50), "white")
    )
    assert crop is not None
    assert crop.size == (50, 30), "what is off the screen is cut off"
    assert (crop.getpixel((29, 9)), crop.getpixel((30, 9)), crop.getpixel((30, 10))) == (
        (255, 255, 255), reading.GREY, (255, 255, 255)
    )  # fmt: skip
    away = Box(x=200, y=0, width=10, height=10)
    assert cut(window(away), Screenful((window(away),), ()), Image.new("RGB", (100, 50))) is None


def test_lines_become_controls_with_the_same_label_wherever_the_words_stand() -> None:
    labels, box = Labels(), Box(x=100, y=50, width=300, height=200)
    screenful = Screenful((window(box),), (WindowLayer(7, box, False),))
    labels.start_look()
    first = made(
        window(box), screenful, [SeenText("Save", (5, 5, 45, 25), 0.9), SeenText("Save", (5, 50, 45, 70), 0.9)], labels
    )
    assert [one.box for one in first] == [Box(x=105, y=55, width=40, height=20), Box(x=105, y=100, width=40, height=20)]
    labels.start_look()
    moved = made(
        window(box), screenful, [SeenText("New", (0, 0, 9, 9), 0.9), SeenText("Save", (5, 90, 45, 110), 0.9)], labels
    )
    assert moved[1].label == first[0].label
    assert moved[0].label not in {one.label for one in first}
    again = made(window(box), screenful, [SeenText("Save]", (5, 90, 45, 110), 0.9)], labels)
    assert [(one.label, one.name) for one in again] == [(first[0].label, "Save]")], "a mark more is what moves behind it"
    assert made(window(box), screenful, [SeenText("", (0, 0, 9, 9), 0.0)], labels) == []
    covered = Screenful(
        (window(box),), (WindowLayer(9, Box(x=100, y=50, width=60, height=30), False), WindowLayer(7, box, False))
    )
    assert [one.box.y for one in made(window(box), covered, [SeenText("Save", (5, 5, 45, 25), 0.9)], labels)] == []


def test_a_line_across_several_parts_is_read_part_by_part(monkeypatch: pytest.MonkeyPatch) -> None:
    crop = Image.new("RGB", (200, 40))

    def read(image: Image.Image, seconds: float) -> list[SeenText]:
        return [SeenText(f"w{image.width}", (2, 13, 8, 19), 0.9), SeenText("another row", (2, 25, 8, 31), 0.9)]

    monkeypatch.setattr(reading.ocr, "read_text", read)
    parts = [(60, 0, 120, 40), (0, 0, 50, 40), (0, 30, 200, 40), (0, 0, 200, 40), (0, 5, 50, 35)]
    line = SeenText("No Yes", (10, 10, 110, 20), 0.9)
    pieces = [SeenText("w50", (2, 18, 8, 24), 0.9), SeenText("w60", (62, 13, 68, 19), 0.9)]
    assert divided(line._replace(box=(10, 10, 110, 22)), parts, crop) == pieces, "once each, in the innermost parts"
    assert divided(line, parts[:1], crop) == [line]
    monkeypatch.setattr(reading.ocr, "read_text", lambda image, seconds: [])
    assert divided(line, parts, crop) == [line]


def test_what_is_read_twice_at_one_place_is_listed_once() -> None:
    first, below = SeenText("Zoom", (1, 706, 34, 725), 0.9), SeenText("Zoom", (1, 730, 34, 749), 0.9)
    assert once([first, SeenText("Zoom]", (2, 707, 34, 725), 0.8), below, SeenText("1", (2, 707, 34, 725), 0.9)]) == [
        first, below, SeenText("1", (2, 707, 34, 725), 0.9),
    ]  # fmt: skip


def test_parts_are_placed_in_what_is_seen_of_their_window() -> None:
    crop = Image.new("RGB", (50, 30))
    at = window(Box(x=-10, y=20, width=60, height=40))
    assert within(Box(x=-5, y=25, width=20, height=50), at, crop) == (0, 5, 15, 30)
    assert within(Box(x=60, y=25, width=20, height=5), at, crop) is None


@pytest.mark.desktop
@pytest.mark.deep
def test_a_dialog_that_its_program_hides_is_read_and_pressed(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<title>Order</title><p>hello")
    with contextlib.closing(desktop_in(tmp_path)) as desktop:
        try:
            desktop.open_application("chromium", "page.html")
        except ActionError as error:
            pytest.skip(f"{error} {error.hint}")
        await_look(desktop, lambda seen: "Order" in seen.windows[0].title)
        desktop.press(("ctrl", "s"))
        await_look(desktop, lambda seen: seen.windows[0].title == "Save File" and "Cancel" in names(seen), 20.0)
        desktop.type_text(None, "saved.html", clear=True)
        desktop.click(only(desktop.observe(), ocr.ROLE, "Save"))
        await_look(desktop, lambda _: (tmp_path / "saved.html").exists(), 10.0)
