"""Marks: drawn where the controls are."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from deskcrew.environments.marks import COLOURS, HIGHLIGHT, marks
from deskcrew.facts.observation import Box, Control, Observation


def picture(size: tuple[int, int] = (200, 100)) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", size, (255, 255, 255)).save(target, "PNG")
    return target.getvalue()


def observed() -> Observation:
    first = Control(label="1", role="button", box=Box(x=20, y=30, width=60, height=40), window=1, operations=("click",))
    second = first.model_copy(update={"label": "2", "box": Box(x=150, y=80, width=200, height=90)})
    return Observation(controls=(first, second), screenshot=picture())


def test_a_box_is_drawn_around_each_control() -> None:
    drawn = Image.open(io.BytesIO(marks(observed())))
    assert drawn.size == (200, 100)
    for point in ((79, 69), (50, 69), (79, 50)):
        assert drawn.getpixel(point) == COLOURS["click"]
    assert drawn.getpixel((50, 60)) == (255, 255, 255)


def test_one_control_can_stand_out() -> None:
    drawn = Image.open(io.BytesIO(marks(observed(), highlight="1")))
    assert drawn.getpixel((79, 69)) == HIGHLIGHT
    assert marks(observed(), highlight="99") == marks(observed())


def test_there_must_be_a_screenshot() -> None:
    with pytest.raises(ValueError, match="screenshot"):
        marks(Observation())
