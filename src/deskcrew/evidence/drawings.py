"""What a picture consists of, and how it differs from an earlier one: for a model that cannot see it."""

from __future__ import annotations

import io
from functools import reduce

from PIL import Image, ImageChops

from deskcrew.actions.sections import damaged
from deskcrew.environments.pictures import DECODED

LARGEST = 8_000_000
"""The maximum size of a picture, in pixels, for its content to be described."""
COLOURS, MOST_COLOURS = 8, 256
"""How many colours are listed, and above how many a picture is taken for a photograph: then none are."""


def form(content: bytes) -> str:
    """The format, size in pixels and mode of a picture, and where its most frequent colours are; '' if it cannot be read. An
    area is given as left, top, right and bottom; right and bottom are exclusive."""
    if (picture := _opened(content)) is None:
        return ""
    told = f"{picture.format}, {picture.width} x {picture.height} pixels, mode {picture.mode}"
    pixels = picture.convert("RGBA")
    counted = pixels.getcolors(MOST_COLOURS)
    if counted is None:
        return told
    colours = sorted(((count, colour) for count, colour in counted if isinstance(colour, tuple)), reverse=True)
    more = [f"{len(colours) - COLOURS} more colours"] if len(colours) > COLOURS else []
    shown = (f"{_hex(colour)} {count} within {_place(pixels, colour)}" for count, colour in colours[:COLOURS])
    return f"{told}; pixels of each colour: {', '.join((*shown, *more))}"


def difference(before: bytes, now: bytes) -> str:
    """Describe where two pictures differ and in how many pixels, or that they do not. '' if they cannot be compared: one is
    unreadable, or their sizes differ."""
    start, end = _opened(before), _opened(now)
    if start is None or end is None or start.size != end.size:
        return ""
    apart = _most(ImageChops.difference(start.convert("RGBA"), end.convert("RGBA")))
    where = apart.getbbox()
    if where is None:
        return "all pixels are as at the start"
    return f"{apart.width * apart.height - apart.histogram()[0]} pixels differ from the start, all within {where}"


def _opened(content: bytes) -> Image.Image | None:
    try:
        picture = Image.open(io.BytesIO(content), formats=DECODED)
        if picture.width * picture.height > LARGEST:
            return None
        picture.load()
    except damaged():
        return None
    return picture


def _place(pixels: Image.Image, colour: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    other = _most(ImageChops.difference(pixels, Image.new("RGBA", pixels.size, colour)))
    return ImageChops.invert(other.point([0, *[255] * 255])).getbbox()


def _most(apart: Image.Image) -> Image.Image:
    """The largest difference of each pixel over all bands."""
    return reduce(ImageChops.lighter, apart.split())


def _hex(colour: tuple[int, ...]) -> str:
    *opaque, alpha = colour
    return f"#{bytes(opaque).hex()}" if alpha == 255 else f"#{bytes(colour).hex()}"
