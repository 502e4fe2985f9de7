"""The difference between two pictures of the screen: the later one, dimmed where nothing changed, and changes framed."""

from __future__ import annotations

import io

from PIL import Image, ImageChops, ImageDraw, ImageFilter

from deskcrew.facts.observation import Box

CELL = 16
"""The edge, in pixels, of the squares in which changes are grouped, so that words are framed and not single letters."""
_NOTICED = [255 if value > 8 else 0 for value in range(256)]
"""For each difference in brightness, whether it is visible."""
FRAME = (230, 60, 160)


def difference(before: bytes, after: bytes) -> bytes:
    """A PNG that shows what is different in ``after``. Raises ValueError if one of the two is not a picture."""
    try:
        with Image.open(io.BytesIO(before)) as old, Image.open(io.BytesIO(after)) as new:
            was, now = old.convert("RGB"), new.convert("RGB")
    except OSError as error:
        raise ValueError("one of the two is not a picture") from error
    if was.size != now.size:
        was = was.resize(now.size)
    changed = ImageChops.difference(was, now).convert("L").point(_NOTICED)
    quiet = Image.blend(now.convert("L").convert("RGB"), Image.new("RGB", now.size, (128, 128, 128)), 0.55)
    grown = changed.filter(ImageFilter.MaxFilter(5))
    made = Image.composite(now, quiet, grown)
    draw = ImageDraw.Draw(made)
    for box in changes(changed):
        draw.rectangle((box.x - 2, box.y - 2, box.x + box.width + 1, box.y + box.height + 1), outline=FRAME, width=2)
    target = io.BytesIO()
    made.save(target, "PNG", compress_level=1)
    return target.getvalue()


def changes(mask: Image.Image) -> list[Box]:
    """The regions of a mask (0 or 255) that are not 0; adjacent regions are merged."""
    width, height = -(-mask.width // CELL), -(-mask.height // CELL)
    padded = Image.new("L", (width * CELL, height * CELL))
    padded.paste(mask)
    cells = padded.reduce(CELL).load()
    todo = {(x, y) for x in range(width) for y in range(height) if cells is not None and cells[x, y]}
    # A cell whose few pixels round to nothing is no change that anybody would see.
    found: list[Box] = []
    while todo:
        together, edge = [todo.pop()], 0
        while edge < len(together):
            x, y = together[edge]
            near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & todo
            todo -= near
            together += near
            edge += 1
        left, top = min(x for x, _ in together) * CELL, min(y for _, y in together) * CELL
        right, bottom = (max(x for x, _ in together) + 1) * CELL, (max(y for _, y in together) + 1) * CELL
        part = mask.crop((left, top, min(right, mask.width), min(bottom, mask.height))).getbbox()
        if part is not None:
            found.append(Box(x=left + part[0], y=top + part[1], width=part[2] - part[0], height=part[3] - part[1]))
    return sorted(found, key=lambda box: (box.y, box.x))
