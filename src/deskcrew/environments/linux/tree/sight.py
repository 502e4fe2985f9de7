"""For one observation: which X window shows a top-level accessible, where it is drawn, and what is visible of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deskcrew.environments.linux.screen.display import DesktopDisplay
from deskcrew.environments.linux.screen.picture import Rectangle, ScreenPixels, common, inside, overlap, rectangle
from deskcrew.environments.linux.screen.x11 import Screenful, WindowLayer, XWindow
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node


class Pane(NamedTuple):
    """The visible part of an object that draws its own contents."""

    shift: int
    """Pixels to add to the y that it reports."""
    place: Rectangle
    """The visible part on the screen."""
    picture: ScreenPixels
    covers: tuple[Rectangle, ...]
    """What covers it: windows, the pointer, other objects of its program."""

    def pixels(self, place: Rectangle, edge: int = 0) -> list[bytes] | None:
        """The pixels of a reported rectangle without ``edge`` pixels along its sides, line by line.

        None if the rectangle is not entirely inside the pane, or nothing is left of it.
        """
        x, y, width, height = place
        moved = (x, y + self.shift, width, height)
        if not inside(moved, self.place) or min(width, height) <= 2 * edge:
            return None
        return self.picture.cut((x + edge, moved[1] + edge, width - 2 * edge, height - 2 * edge))

    def covered(self, place: Rectangle) -> bool:
        """Whether something covers a reported rectangle."""
        moved = (place[0], place[1] + self.shift, place[2], place[3])
        return any(overlap(moved, cover) for cover in self.covers)


class ScreenSight:
    """The screen at the beginning of an observation, before any program is queried. Where fetching pixels takes
    longer than it saves, there is no picture and no pane."""

    def __init__(self, display: DesktopDisplay, screenful: Screenful, number: int) -> None:
        """``number``: increases by one with each observation."""
        self.display = display
        self.screenful = screenful
        self.number = number
        self.picture = display.pixels()
        self._pointer: Rectangle | None = None

    def pane(self, node: Node, pid: int, *, corrected: bool) -> Pane | None:
        """The pane of an object; None if it is unknown what would be visible there."""
        root = top_of(node)
        window = best_window(root, [window for window in self.screenful.windows if window.pid == pid])
        if self.picture is None or window is None:
            return None
        shift = libreoffice_shift(root) if corrected else 0
        place = common(screen_place(node, shift), self.picture.screen)
        if min(place[2:]) <= 0:
            return None
        above = [rectangle(layer.box) for layer in layers_above(window, self.screenful)]
        over = (*above, self.pointer(), *objects_over(root, node, shift))
        covers = tuple({cover for cover in over if overlap(cover, place)})
        return Pane(0 if node.native else shift, place, self.picture, covers)

    def pointer(self) -> Rectangle:
        """The box of the mouse pointer's picture."""
        if self._pointer is None:
            self._pointer = self.display.pointer()
        return self._pointer


def top_of(node: Node) -> Node:
    """The top-level accessible that contains a node."""
    while node.parent is not None:
        node = node.parent
    return node


def screen_place(node: Node, shift: int) -> Rectangle:
    """The rectangle of a node on the screen."""
    x, y, width, height = node.box
    return x, y if node.native else y + shift, width, height


def objects_over(root: Node, node: Node, shift: int) -> Iterator[Rectangle]:
    """The rectangles of what may be drawn over ``node``: a chart or picture on a sheet, the text field of an edited cell.
    Whether it really lies above cannot be queried; assuming it only costs time."""
    ancestors: set[str] = set()
    above: Node | None = node
    while above is not None:
        ancestors.add(above.path)
        above = above.parent
    mine = screen_place(node, shift)
    stack = [root]
    while stack:
        other = stack.pop()
        if other.path not in ancestors:
            place = screen_place(other, shift)
            if other.showing and other.placed and overlap(mine, place):
                yield place
        stack += other.children


def layers_above(window: XWindow, screenful: Screenful) -> list[WindowLayer]:
    """The layers above a window, topmost first."""
    above: list[WindowLayer] = []
    for layer in screenful.layers:
        if layer.id == window.frame:
            break
        above.append(layer)
    return above


def best_window(root: Node, windows: list[XWindow]) -> XWindow | None:
    """The window that shows a top-level accessible: with the same title, else in about the same place; None: no window."""
    if root.role == roles.WINDOW and not root.name:
        return None
    named = [window for window in windows if window.title == root.name]
    x, y, width, _ = root.box
    for window in named or windows:
        if abs(window.box.x - x) <= 12 and abs(window.box.y - y) <= 60 and abs(window.box.width - width) <= 24:
            return window
    return named[0] if named else None


def window_of(root: Node, windows: Sequence[XWindow]) -> XWindow | None:
    """The window of a top-level: with its title and, if several have that, equally active or inactive; topmost first."""
    named = [window for window in windows if window.title == root.name]
    active = [window for window in named if window.active == bool(root.states & roles.ACTIVE)]
    return next(iter(active or named), None)


def libreoffice_shift(root: Node) -> int:
    """Pixels by which LibreOffice's own drawing is lower than it reports.

    It ignores the height of the (GTK) menu bar above it until the mouse has first moved over the window, and is right from
    then on. Its drawing fills a GTK panel whose place is always right, so the difference is the error.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        parent = node.parent
        if not node.native and parent is not None and parent.native and node.box[2:] == parent.box[2:]:
            return parent.box[1] - node.box[1]
        stack += reversed(node.children)
    return 0
