"""Finds what a window shows but does not report: canvases, games, drawings, whatever a program paints itself.

It compares the picture with what was reported at the same moment. A part of the picture counts as drawn if something is
visible in it and no control or text describes it; a canvas always does. There the text form of an observation is poor, so
vision models are shown the picture, and OCR is the fallback for the text in it.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Sequence

from PIL import Image

from deskcrew.environments import ocr
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Box, Control, Line, Observation, Window

CANVAS = "canvas"
"""Role of a control whose program paints its content."""
TILE = 32
"""The edge of the squares that are examined, in pixels of a screen at 100 %."""
CONTRAST = 40
"""The difference of lightness, of 255, within a square that counts as content."""
MARGIN = 6
"""Pixels around a control that still belong to it: its frame and shadow."""
LEAST = 0.1
"""The share of the window that must be drawn; less is an ornament."""
LARGE = 0.5
"""The share of the window above which a control without a value is a container, and does not describe its content."""
SECONDS = 15.0
"""Seconds after which no more lines are read."""
MOST = 300
"""The number of lines that are kept, reported ones first."""


def with_drawn(seen: Observation, *, read: bool) -> Observation:
    """The observation with the drawn area of its front window. ``read``: also with the texts of the window and their places,
    for roles that act on points. Blocks while drawn text is recognized; the same pixels are not read again."""
    window = seen.active_window
    if window is None or seen.screenshot is None or seen.screen is None:
        return seen
    with Image.open(io.BytesIO(seen.screenshot)) as source:
        picture = source.convert("RGB")
    area = _area(window, picture)
    drawn = _drawn(seen, window, area, picture) if area is not None else None
    lines = (*_told(seen, window), *(_read(seen, drawn, area, picture) if drawn and area else ())) if read else ()
    return seen.model_copy(update={"drawn": drawn, "lines": lines[:MOST]})


def _area(window: Window, picture: Image.Image) -> Box | None:
    """The part of the window, or of the page in it, that is in the picture."""
    whole = Box(x=0, y=0, width=picture.width, height=picture.height)
    return (window.page or window.box).intersection(whole)


def _drawn(seen: Observation, window: Window, area: Box, picture: Image.Image) -> Box | None:
    there = [control for control in seen.controls if control.window == window.id]
    canvases = [inside for one in there if one.role == CANVAS and (inside := one.box.intersection(area)) is not None]
    told = [one.box for one in there if _tells(one, area)] + [box for _, box in seen.places]
    if not told and not canvases:
        return area
    scale = seen.screen.scale if seen.screen is not None else 1.0
    side, margin = round(TILE * scale), round(MARGIN * scale)
    found = list(_painted(picture.convert("L"), area, side, _covered([*told, *canvases], area, side, margin)))
    seen_of = sum(tile.width * tile.height for tile in found) / (area.width * area.height)
    parts = [*canvases, *(found if seen_of >= LEAST else ())]
    return _around(parts) if parts else None


def _tells(control: Control, area: Box) -> bool:
    """Whether a control describes what is visible in its place."""
    if control.role in (CANVAS, ocr.ROLE):
        return False
    return bool(control.value) or control.box.width * control.box.height < LARGE * area.width * area.height


def _covered(told: Iterable[Box], area: Box, side: int, margin: int) -> set[tuple[int, int]]:
    """The squares, by column and row, covered by something reported."""
    found: set[tuple[int, int]] = set()
    last, lowest = (area.width - 1) // side, (area.height - 1) // side
    for box in told:
        left, top = (box.x - margin - area.x) // side, (box.y - margin - area.y) // side
        right, bottom = (box.x + box.width + margin - 1 - area.x) // side, (box.y + box.height + margin - 1 - area.y) // side
        across, down = range(max(0, left), min(last, right) + 1), range(max(0, top), min(lowest, bottom) + 1)
        found.update(itertools.product(across, down))
    return found


def _painted(grey: Image.Image, area: Box, side: int, covered: set[tuple[int, int]]) -> Iterable[Box]:
    """The squares outside ``covered`` with visible content."""
    for column, row in itertools.product(range(-(-area.width // side)), range(-(-area.height // side))):
        if (column, row) in covered:
            continue
        x, y = area.x + column * side, area.y + row * side
        right, bottom = min(x + side, area.x + area.width), min(y + side, area.y + area.height)
        darkest, lightest = grey.crop((x, y, right, bottom)).getextrema()
        if isinstance(darkest, int) and isinstance(lightest, int) and lightest - darkest >= CONTRAST:
            yield Box(x=x, y=y, width=right - x, height=bottom - y)


def _around(boxes: Sequence[Box]) -> Box:
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return Box(x=left, y=top, width=right - left, height=bottom - top)


def _told(seen: Observation, window: Window) -> Iterable[Line]:
    """The window's reported texts outside controls."""
    return (Line(text=text, box=box) for text, box in seen.places if text and window.box.contains(*box.centre))


def _read(seen: Observation, drawn: Box, area: Box, picture: Image.Image) -> Iterable[Line]:
    """The text in ``drawn``, without reported text, which OCR could only misread."""
    if any(control.role == ocr.ROLE for control in seen.in_front):
        return  # whoever looked has read the whole window
    told = [box for _, box in seen.places] + [one.box for one in seen.in_front if one.name and _tells(one, area)]
    try:
        found = ocr.read_text(picture.crop(_corners(drawn)), seconds=SECONDS)
    except ActionError:  # the extra is not installed, or the picture too large
        return
    for line in found:
        left, top, right, bottom = line.box
        box = Box(x=drawn.x + left, y=drawn.y + top, width=max(1, right - left), height=max(1, bottom - top))
        if line.text and not any(one.contains(*box.centre) for one in told):
            yield Line(text=line.text, box=box, read=True)


def _corners(box: Box) -> tuple[int, int, int, int]:
    return box.x, box.y, box.x + box.width, box.y + box.height
