"""What was expected and what is there, side by side in one picture."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw, ImageFont

from deskcrew.environments.marks import marks
from deskcrew.facts.observation import Observation

GAP = 12
CAPTION = 40
_GROUND, _INK = (255, 255, 255), (20, 20, 20)


def side_by_side(expected: tuple[Observation, str | None, str], found: tuple[Observation, str]) -> bytes | None:
    """PNG of two screens; None if neither has a picture.

    ``expected``: the recorded observation with its screenshot, the label of the control that is marked in it, and a caption.
    """
    then, label, wanted = expected
    now, instead = found
    chosen = then.control(label) if label else None
    marked = then.model_copy(update={"controls": (chosen,) if chosen else ()})
    left = _opened(marks(marked, highlight=label)) if then.screenshot else None
    right = _opened(now.screenshot) if now.screenshot else None
    if left is None and right is None:
        return None
    some = left or right
    assert some is not None
    size = some.size
    sheet = Image.new("RGB", (2 * size[0] + 3 * GAP, size[1] + CAPTION + GAP), _GROUND)
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    places = (GAP, size[0] + 2 * GAP)
    captions = (f"Expected: {wanted}", f"Found: {instead}")
    for x, caption, picture in zip(places, captions, (left, right), strict=True):
        draw.text((x, GAP), _cut(draw, caption, font, size[0]), fill=_INK, font=font)
        if picture is None:
            draw.text((x, CAPTION), "(no picture)", fill=_INK, font=font)
        else:
            sheet.paste(picture.crop((0, 0, *size)), (x, CAPTION))
    target = io.BytesIO()
    sheet.save(target, "PNG", compress_level=1)
    return target.getvalue()


def _opened(data: bytes) -> Image.Image:
    with Image.open(io.BytesIO(data)) as source:
        return source.convert("RGB")


def _cut(draw: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> str:
    """As much of a text, on one line, as fits."""
    line = " ".join(text.split())
    if draw.textlength(line, font=font) <= width:
        return line
    while line and draw.textlength(f"{line}...", font=font) > width:
        line = line[:-1]
    return f"{line}..."
