"""The units in which programs report places: pixels of the screen, or larger ones of their own.

On a desktop with a scale GTK (and with it LibreOffice) and Qt tell places in their own pixels, of which one is several of
the screen's; of Chromium's window that holds for all but the page in it. None says so. But how large a window is in pixels
of the screen is what the X server knows, so what a program counts in is how its own word for that compares with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from deskcrew.environments.linux import roles, wire
from deskcrew.environments.linux.x11 import XWindow

if TYPE_CHECKING:
    from deskcrew.environments.linux.tree import Node, Tree

Rectangle = tuple[int, int, int, int]
FINEST = 6
"""The largest denominator of a scale: 5/4, 4/3, 3/2, 7/6."""
PAGES = frozenset({roles.DOCUMENT, 95})


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


def settle(tree: Tree, windows: Sequence[XWindow]) -> None:
    """Find out what a program counts in, and place all that is in its windows. ``windows``: its own."""
    shown = {root.path: (root, window) for root in tree.roots if (window := window_of(root, windows)) is not None}
    if not shown:
        return
    main, largest = max(shown.values(), key=lambda pair: told(pair[0])[2])
    tree.factor = factor_of(told(main), largest, whole=tree.whole) or tree.factor
    if tree.factor == 1 and all(root.units == PIXELS for root in tree.roots):
        return
    for root in tree.roots:
        # What has no window of its own, such as an open list, is of the one that is there.
        units = units_of(tree, *shown.get(root.path, (main, largest)))
        if root.units != units or tree.pages_apart:
            move(root, units, tree.pages_apart)


def units_of(tree: Tree, root: Node, window: XWindow) -> Units:
    """What a window's places are told in. GTK counts from the corner of the screen, others from a corner of a monitor; but
    of those it is known where their windows are in both."""
    if tree.whole or tree.factor == 1:
        return Units(tree.factor)
    x, y, _, _ = told(root)
    return Units(tree.factor, window.box.x - round(x * tree.factor), window.box.y - round(y * tree.factor))


def factor_of(place: Rectangle, window: XWindow, *, whole: bool) -> float | None:
    """Pixels of the screen for each of those that a window's place is told in; None where width and height do not agree, as
    when it is just becoming larger. ``whole``: of GTK they are whole numbers, and what it tells may have frame or shadow
    with it or not."""
    if min(place[2:]) <= 0:
        return None
    ratios = Fraction(window.box.width, place[2]), Fraction(window.box.height, place[3])
    across, down = (Fraction(round(one)) if whole else one.limit_denominator(FINEST) for one in ratios)
    return float(across) if across == down >= 1 else None


def window_of(root: Node, windows: Sequence[XWindow]) -> XWindow | None:
    """The window of a top-level: of its title and, where there are several, active as it is, topmost first."""
    named = [window for window in windows if window.title == root.name]
    active = [window for window in named if window.active == bool(root.states & roles.ACTIVE)]
    return next(iter(active or named), None)


def told(node: Node) -> Rectangle:
    """What was told of its place last."""
    return wire.decode_box(node.raw[2]) if node.raw[2] is not None else (0, 0, 0, 0)


def move(node: Node, units: Units, pages_apart: bool) -> None:
    """Place a node and all that is in it. ``pages_apart``: a page counts in pixels of the screen, whatever it is in."""
    node.units = PIXELS if pages_apart and node.role in PAGES else units
    node.box = node.units.place(told(node))
    for child in node.children:
        move(child, node.units, pages_apart)
