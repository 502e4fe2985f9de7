"""The units in which programs report places: pixels of the screen, or larger ones of their own.

On a desktop with a scale GTK (and with it LibreOffice) and Qt tell places in their own pixels, of which one is several of
the screen's; of Chromium's window that holds for all but the page in it. None says so. But how large a window is in pixels
of the screen is what the X server knows, so what a program counts in is how its own word for that compares with it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from deskcrew.environments.linux.screen.picture import Rectangle
from deskcrew.environments.linux.screen.x11 import XWindow

FINEST = 6
"""The largest denominator of a scale: 5/4, 4/3, 3/2, 7/6."""


class Units(NamedTuple):
    """From a program's places to the screen's: ``factor`` pixels for each of its own, from a point on."""

    factor: float = 1.0
    x: int = 0
    y: int = 0

    def place(self, told: Rectangle) -> Rectangle:
        """The rectangle of the screen that is meant."""
        x, y, width, height = told
        if self.factor == 1:
            return x + self.x, y + self.y, width, height
        left, top = round(x * self.factor), round(y * self.factor)
        right, bottom = round((x + width) * self.factor), round((y + height) * self.factor)
        return left + self.x, top + self.y, right - left, bottom - top

    def back(self, x: int, y: int) -> tuple[int, int]:
        """A point of the screen as the program would tell it."""
        return int((x - self.x) / self.factor), int((y - self.y) / self.factor)


PIXELS = Units()
"""Of a program that counts in pixels of the screen."""


def factor_of(place: Rectangle, window: XWindow, *, whole: bool) -> float | None:
    """Pixels of the screen for each of those that a window's place is told in; None where width and height do not agree, as
    when it is just becoming larger. ``whole``: of GTK they are whole numbers, and what it tells may have frame or shadow
    with it or not."""
    if min(place[2:]) <= 0:
        return None
    ratios = Fraction(window.box.width, place[2]), Fraction(window.box.height, place[3])
    across, down = (Fraction(round(one)) if whole else one.limit_denominator(FINEST) for one in ratios)
    return float(across) if across == down >= 1 else None
