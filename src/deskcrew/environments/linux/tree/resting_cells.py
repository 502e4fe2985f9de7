"""Cells of a sheet that need not be queried again, because they look as they did when they were last read.

A program needs far longer to report a cell's content than it takes to compare the cell's pixels. But a picture does not
always determine the text: a cell is cached only if it does (``judge``), if nothing covers it, and if it has not moved.
Cached cells are still queried from time to time (``TURNS``), so that an error is corrected soon.
"""

from __future__ import annotations

from collections.abc import Mapping

from deskcrew.environments.linux.screen.picture import Rectangle
from deskcrew.environments.linux.tree.sight import Pane

Place = tuple[int, int]
"""Row and column."""
TURNS = 32
"""The number of observations within which every cached cell is queried once."""
EDGE = 2
"""Pixels along a cell's edges that belong to grid lines and the frame of the current cell; they are not compared."""
SLACK = 3
"""Pixels by which a character's box may exceed its cell in height though all of it is visible: the box includes space above
and below."""


class RestingCells:
    """The appearance of one sheet at the last observation, and the cells for which it can be trusted."""

    def __init__(self) -> None:
        self._pane: Pane | None = None
        self._boxes: Mapping[Place, Rectangle] = {}
        self._trusted: set[Place] = set()
        self.due: set[Place] = set()
        """Cells that look unchanged, but are queried because it is their turn."""
        self._orderly = False
        self._turn = 0
        self._last: tuple[Pane | None, Mapping[Place, Rectangle]] = (None, {})
        """The pane and the boxes at the observation before."""

    def forget(self) -> None:
        """Forget the cached cells."""
        self._pane = None
        self._trusted.clear()

    def unchanged(self, pane: Pane | None, boxes: Mapping[Place, Rectangle]) -> set[Place]:
        """The cells that need not be queried. ``boxes``: the reported boxes of all cells in view.

        Call it before the other cells are queried, so that the picture is never newer than the program's answers.
        """
        before, was, trusted = self._pane, self._boxes, self._trusted
        self._last = before, was
        self._pane, self._boxes, self._trusted, self.due = pane, boxes, set(), set()
        self._orderly = orderly(boxes)
        if pane is None or before is None or not self._orderly:
            return set()
        self._turn = (self._turn + 1) % TURNS
        if (pane.shift, pane.place) != (before.shift, before.place):
            return set()
        differing = pane.picture.differing(before.picture)
        suspect = {band for band in {(box[1], box[3]) for box in boxes.values()} if touched(pane, band, differing)}
        moved = was != boxes
        for place in trusted & boxes.keys():
            box = boxes[place]
            if moved and was[place] != box:
                continue
            if (box[1], box[3]) in suspect and (pane.covered(box) or pane.pixels(box, EDGE) != before.pixels(box, EDGE)):
                continue
            (self.due if sum(place) % TURNS == self._turn else self._trusted).add(place)
        return set(self._trusted)

    def candidate(self, place: Place, text: str, before: str | None) -> bool:
        """Whether a cell just read may be cached if its text fits (``judge``): it is in view, uncovered, and something is
        drawn in it. ``before``: its text at the last observation. A cell that was queried in its turn, with the same result,
        stays cached."""
        if place in self.due and text == before:
            self._trusted.add(place)
            return False
        if self._pane is None or not self._orderly:
            return False
        box = self._boxes[place]
        pixels = self._pane.pixels(box, EDGE)
        if not pixels or self._pane.covered(box):
            return False
        return not text or not blank(pixels)

    def drawn(self, place: Place) -> bool | None:
        """Whether anything is drawn in a cell now; None if the cell is not visible."""
        return drawn(self._pane, self._boxes[place]) if self._orderly else None

    def was_drawn(self, place: Place) -> bool | None:
        """Whether anything was drawn in a cell at the previous observation, if it has not moved."""
        pane, boxes = self._last
        moved = pane is None or self._pane is None or (pane.shift, pane.place) != (self._pane.shift, self._pane.place)
        return None if moved or boxes.get(place) != self._boxes[place] else drawn(pane, self._boxes[place])

    def keep(self, place: Place) -> None:
        """Trust a cell's appearance from now on."""
        self._trusted.add(place)

    def judge(self, place: Place, first: Rectangle, last: Rectangle) -> None:
        """Trust a cell's appearance if its first and last character lie inside it: what overflows, is cut off, or is
        replaced by ``###`` can change without a change in the cell's picture."""
        x, y, width, height = self._boxes[place]
        if all(
            x <= left and left + wide <= x + width + 1 and wide > 0 and y - SLACK <= top and top + high <= y + height + SLACK
            for left, top, wide, high in (first, last)
        ):
            self._trusted.add(place)


def drawn(pane: Pane | None, box: Rectangle) -> bool | None:
    """Whether anything is drawn in a reported rectangle; None if it is not visible."""
    pixels = pane.pixels(box, EDGE) if pane is not None and not pane.covered(box) else None
    return not blank(pixels) if pixels else None


def blank(pixels: list[bytes]) -> bool:
    """Whether all pixels have one colour."""
    first = pixels[0]
    return all(line == first for line in pixels) and first == first[:4] * (len(first) // 4)


def touched(pane: Pane, band: tuple[int, int], differing: bytes) -> bool:
    """Whether something was drawn in a row of cells (reported y, height), or covers it."""
    y, height = band[0] + pane.shift, band[1]
    return 1 in differing[max(0, y) : max(0, y + height)] or any(
        cover[1] < y + height and y < cover[1] + cover[3] for cover in pane.covers
    )


def orderly(boxes: Mapping[Place, Rectangle]) -> bool:
    """Whether rows and columns are in numerical order on the screen. In a split window they are not, and places computed
    from the first row and column are unreliable."""
    rows = {row: (box[1], box[3]) for (row, _), box in boxes.items()}
    columns = {column: (box[0], box[2]) for (_, column), box in boxes.items()}
    for lanes in (rows, columns):
        end: int | None = None
        for number in sorted(lanes):
            start, size = lanes[number]
            if size <= 0:
                continue
            if end is not None and start < end - 1:
                return False
            end = start + size
    return True
