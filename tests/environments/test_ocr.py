"""The text in pictures, with the real models."""

from __future__ import annotations

import socket
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from deskcrew.environments import ocr
from deskcrew.environments.ocr import SeenText
from deskcrew.errors import ActionError


def picture(*lines: str) -> Image.Image:
    image = Image.new("RGB", (640, 40 + 50 * len(lines)), "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((20, 20 + 50 * number), line, fill="black", font=ImageFont.load_default(24))
    return image


def test_lines_with_their_places_and_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    ocr._engine.cache_clear()
    seen = ocr.read_text(picture("Save the file", "Cancel"))
    assert [line.text for line in seen] == ["Save the file", "Cancel"]
    left, top, right, bottom = seen[1].box
    assert left < 40
    assert 60 < top < 90 < bottom < 110
    assert right < 200
    assert all(line.score > 0.8 for line in seen)


def test_the_library_behind_it_keeps_no_record_of_its_user(tmp_path: Path) -> None:
    """onnxruntime has telemetry that is on unless it is told otherwise before it is imported."""
    code = "from PIL import Image; from deskcrew.environments import ocr; ocr.read_text(Image.new('RGB', (64, 32), 'white'))"
    subprocess.run([sys.executable, "-c", code], env={"HOME": str(tmp_path)}, check=True, timeout=120)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_was_read_is_remembered_by_its_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    look = ocr._Engine._look
    monkeypatch.setattr(ocr._Engine, "_look", lambda *given: looked.append(1) or look(*given))
    first = ocr.read_text(picture("Remember me"))
    assert ocr.read_text(picture("Remember me")) == first
    assert len(looked) == 1
    ocr.read_text(picture("Remember us"))
    assert len(looked) == 2


def test_lines_that_there_was_no_time_for_are_found_but_not_read_and_not_remembered() -> None:
    image = picture(*(f"This is line {number}" for number in range(1, 9)))
    clock = count(0.0)
    partly = ocr.read_text(image, seconds=1.5, clock=lambda: next(clock))
    assert [bool(line.text) for line in partly].count(True) == 6
    assert len(partly) == 8
    assert all(line.text for line in ocr.read_text(image))


@pytest.mark.parametrize("mode", ["L", "1", "P", "RGBA", "LA", "CMYK"])
def test_every_mode_of_a_picture(mode: str) -> None:
    assert [line.text for line in ocr.read_text(picture("Any mode").convert(mode))] == ["Any mode"]


def test_black_on_what_shows_through_is_read() -> None:
    image = Image.new("RGBA", (640, 90), (0, 0, 0, 0))
    ImageDraw.Draw(image).text((20, 20), "On glass", fill="black", font=ImageFont.load_default(24))
    assert [line.text for line in ocr.read_text(image)] == ["On glass"]


@pytest.mark.parametrize("size", [(1, 1), (7, 500), (9000, 20), (640, 480), (12, 1000)])
def test_pictures_without_text(size: tuple[int, int]) -> None:
    assert ocr.read_text(Image.new("RGB", size, "white")) == []


def test_a_picture_that_is_too_large_and_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ActionError, match="at most 40 million"):
        ocr.read_text(Image.new("1", (8000, 8000)))
    monkeypatch.setattr(ocr, "available", lambda: False)
    with pytest.raises(ActionError, match="not installed here"):
        ocr.read_text(picture("x"))


def test_what_stands_side_by_side_is_one_row() -> None:
    lines = [
        SeenText("3.50", (300, 12, 350, 30), 1.0),
        SeenText("Tea", (10, 10, 60, 30), 1.0),
        SeenText("Milk", (10, 40, 60, 60), 1.0),
        SeenText("", (300, 40, 350, 60), 0.0),
    ]
    assert ocr.in_rows(lines) == ["Tea  3.50", "Milk"]


def test_of_a_picture_that_changed_only_the_changed_lines_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    ocr._engine.cache_clear()
    read: list[int] = []
    engine = ocr._engine()
    recognize = engine._rapid.recognize_txt
    monkeypatch.setattr(engine._rapid, "recognize_txt", lambda crops: read.append(len(crops)) or recognize(crops))
    lines = ["One line", "Another line", "The third line", "And one more", "Then the last"]
    ocr.read_text(picture(*lines))
    assert sum(read) == 5
    lines[1] = "Something else"
    assert [line.text for line in ocr.read_text(picture(*lines))] == lines
    assert 6 <= sum(read) <= 8, "beside the line that changed, at most those next to it"
