"""Set-of-marks pictures: a box and a label on every control (COLA's mechanism C28).

Drawn into the screenshot of the same observation, so there is only one coordinate space.
"""

from __future__ import annotations

import io

from PIL import Image, ImageDraw, ImageFont

from deskcrew.facts.observation import Box, Control, Observation

COLOURS = {
    "type": (200, 30, 30),
    "set": (170, 80, 0),
    "select": (120, 40, 160),
    "toggle": (0, 110, 60),
    "click": (20, 70, 200),
    "": (110, 110, 110),
}
"""By the most specific thing that can be done to a control; grey for what can only be read."""
HIGHLIGHT = (255, 0, 160)
LABEL_HEIGHT = 12
"""The height of labels in pixels of a screen at 100 %."""


def marks(observation: Observation, *, highlight: str | None = None) -> bytes:
    """PNG of the observation's screenshot with a mark on each control; the one labelled ``highlight`` stands out.

    Raises ValueError if the observation has no screenshot.
    """
    if observation.screenshot is None:
        raise ValueError("Marks are drawn on a screenshot; observe(screenshot=True).")
    with Image.open(io.BytesIO(observation.screenshot)) as source:
        picture = source.convert("RGB")
    draw = ImageDraw.Draw(picture)
    height = round(LABEL_HEIGHT * (observation.screen.scale if observation.screen is not None else 1))
    font = ImageFont.load_default(height - 1)
    for control in observation.controls:
        if control.label != highlight:
            mark(draw, font, control, colour_of(control), 1, height)
    chosen = observation.control(highlight) if highlight is not None else None
    if chosen is not None:
        mark(draw, font, chosen, HIGHLIGHT, 3, height)
    target = io.BytesIO()
    picture.save(target, "PNG", compress_level=1)
    return target.getvalue()


def colour_of(control: Control) -> tuple[int, int, int]:
    """The colour of a control's kind."""
    kind = next((kind for kind in COLOURS if kind in control.operations), "")
    return COLOURS[kind]


def mark(
    draw: ImageDraw.ImageDraw,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    control: Control,
    colour: tuple[int, int, int],
    width: int,
    height: int,
) -> None:
    """Draw one box with its label, ``height`` pixels high, inside the top left corner, or above if the box is too small for
    it."""
    box = control.box
    draw.rectangle((box.x, box.y, box.x + box.width - 1, box.y + box.height - 1), outline=colour, width=width)
    place = label_box(box, round(draw.textlength(control.label, font=font)), height)
    draw.rectangle((place.x, place.y, place.x + place.width - 1, place.y + place.height - 1), fill=colour)
    draw.text((place.x + 1, place.y - 1), control.label, fill=(255, 255, 255), font=font)


def label_box(box: Box, length: int, height: int = LABEL_HEIGHT) -> Box:
    """The box for a label whose text is ``length`` pixels wide."""
    inside = box.height >= 2 * height and box.width >= length + 4
    y = box.y if inside else max(0, box.y - height // 2)
    return Box(x=max(0, box.x), y=y, width=length + 3, height=height)
