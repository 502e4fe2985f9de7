"""The units in which programs report places: pixels of the screen, or larger ones of their own.

On a scaled desktop, GTK (and so LibreOffice) and Qt report places in their own pixels, each of which is several screen
pixels; so does Chromium, except inside a page. None of them says so. But the X server knows a window's size in screen
pixels, so a program's unit follows from the size that it reports.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from deskcrew.environments.linux.screen.picture import Rectangle
from deskcrew.environments.linux.screen.x11 import XWindow

FINEST = 6
"""The largest denominator of a scale: 5/4, 4/3, 3/2, 7/6."""


class Units(NamedTuple):
    """Converts a program's places to the screen's: ``factor`` screen pixels per pixel of the program, from an origin."""

    factor: float = 1.0
    x: int = 0
    y: int = 0

    def place(self, told: Rectangle) -> Rectangle:
        """The corresponding rectangle of the screen."""
        x, y, width, height = told
        if self.factor == 1:
            return x + self.x, y + self.y, width, height
        left, top = round(x * self.factor), round(y * self.factor)
        right, bottom = round((x + width) * self.factor), round((y + height) * self.factor)
        return left + self.x, top + self.y, right - left, bottom - top

    def back(self, x: int, y: int) -> tuple[int, int]:
        """A point of the screen in the program's units."""
        return int((x - self.x) / self.factor), int((y - self.y) / self.factor)


PIXELS = Units()
"""The units of a program that counts in screen pixels."""


def units_in(window: XWindow, told: Rectangle, factor: float) -> Units:
    """The units of a program that does not know where its window is, and calls the window's place ``told``. What that is
    larger by than the window is a shadow, of the same width on both sides."""
    x, y, width, height = Units(factor).place(told)
    box, shadow = window.box, window.counted_from != "window"
    left, top = ((box.width - width) // 2, (box.height - height) // 2) if shadow else (0, 0)
    return Units(factor, box.x - x + left, box.y - y + top)


def factor_of(place: Rectangle, window: XWindow, *, whole: bool) -> float | None:
    """Screen pixels per pixel in which a window's place is reported; None if width and height disagree, as during a resize.
    ``whole``: the factor is a whole number (GTK), and the reported size may include frame or shadow."""
    if min(place[2:]) <= 0:
        return None
    ratios = Fraction(window.box.width, place[2]), Fraction(window.box.height, place[3])
    across, down = (Fraction(round(one)) if whole else one.limit_denominator(FINEST) for one in ratios)
    return float(across) if across == down >= 1 else None
