"""The screen's pixels at one moment, and where they equal those of another moment."""

from __future__ import annotations

from weakref import ReferenceType, ref

from deskcrew.facts.observation import Box

Rectangle = tuple[int, int, int, int]
"""x, y, width, height."""


class ScreenPixels:
    """The screen, line by line, four bytes a pixel."""

    __slots__ = ("__weakref__", "_compared", "lines")

    def __init__(self, lines: list[bytes]) -> None:
        self.lines = lines
        self._compared: tuple[ReferenceType[ScreenPixels], bytes] | None = None

    @property
    def screen(self) -> Rectangle:
        """The whole screen."""
        return 0, 0, len(self.lines[0]) // 4, len(self.lines)

    def cut(self, place: Rectangle) -> list[bytes]:
        """The pixels of a rectangle that lies inside the screen, line by line."""
        x, y, width, height = place
        left, right = x * 4, (x + width) * 4
        return [line[left:right] for line in self.lines[y : y + height]]

    def differing(self, before: ScreenPixels) -> bytes:
        """A byte for each line: 1 if it differs from ``before``, a picture of the same size.

        Cached for the last ``before``, since it compares megabytes.
        """
        if self._compared is None or self._compared[0]() is not before:
            self._compared = ref(before), bytes(map(bytes.__ne__, self.lines, before.lines))
        return self._compared[1]

    def blank(self, place: Rectangle) -> bool:
        """Whether all of a rectangle inside the screen has one colour."""
        x, y, width, height = place
        left, right = x * 4, (x + width) * 4
        first = self.lines[y][left : left + 4] * width
        return all(line[left:right] == first for line in self.lines[y : y + height])


def rectangle(box: Box) -> Rectangle:
    """A box as plain numbers, which are quicker to calculate with."""
    return box.x, box.y, box.width, box.height


def overlap(one: Rectangle, other: Rectangle) -> bool:
    """Whether two rectangles have a pixel in common."""
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def inside(one: Rectangle, other: Rectangle) -> bool:
    """Whether all of ``one`` lies in ``other``."""
    return (
        other[0] <= one[0]
        and other[1] <= one[1]
        and one[0] + one[2] <= other[0] + other[2]
        and one[1] + one[3] <= other[1] + other[3]
    )


def common(one: Rectangle, other: Rectangle) -> Rectangle:
    """The intersection of two rectangles; without width or height if it is empty."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[0] + one[2], other[0] + other[2]), min(one[1] + one[3], other[1] + other[3])
    return left, top, max(0, right - left), max(0, bottom - top)
