"""Controls of a program that need not be queried completely, since nothing indicates that they changed.

Queries take most of an observation's time. A control is at rest if all of it is visible, it looks as it did at the last
observation, and its program has not signalled anything about it since. Such a control is queried for its state alone
(tree.py). Each is still queried completely from time to time (``TURNS``), so that an error is corrected soon.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

from deskcrew.environments.linux.screen.picture import Rectangle, ScreenPixels, common, inside, overlap, rectangle
from deskcrew.environments.linux.tree import roles
from deskcrew.environments.linux.tree.node import Node
from deskcrew.environments.linux.tree.sight import ScreenSight, best_window, layers_above, libreoffice_shift

TURNS = 32
"""The number of observations within which every control is queried completely once."""


class RestingWindows:
    """The appearance of one program's windows when its tree was last read."""

    def __init__(self, pid: int, *, corrected: bool) -> None:
        """``corrected``: whether the program is LibreOffice, whose places must be shifted."""
        self._pid = pid
        self._corrected = corrected
        self._before: ScreenSight | None = None
        self._shifts: dict[str, int] = {}
        """For each window of LibreOffice, the pixels by which its drawing is lower than reported."""

    def forget(self) -> None:
        """Note that the tree could not be read, so that nothing is at rest the next time."""
        self._before = None

    def read(self, roots: Iterable[Node], sight: ScreenSight | None) -> None:
        """Note that the tree has been read, in an observation that began with ``sight``."""
        self._before = sight
        self._shifts = self._shifts_of(roots)

    def shifted(self, roots: Iterable[Node]) -> bool:
        """Whether LibreOffice now reports other places for everything that it draws, though nothing has moved."""
        if self._before is None:
            return False
        return any(shift != self._shifts.get(path, shift) for path, shift in self._shifts_of(roots).items())

    def find(self, roots: Iterable[Node], sight: ScreenSight | None, signalled: Set[str]) -> set[str]:
        """The paths of the controls at rest. ``signalled``: paths of controls about which the program sent signals."""
        before = self._before
        if sight is None or before is None or sight.number != before.number + 1:
            return set()
        if sight.picture is None or before.picture is None:
            return set()
        walk = Walk(sight.picture, before.picture, signalled, sight.number)
        mine = [window for window in sight.screenful.windows if window.pid == self._pid]
        were = {window.id: window.box for window in before.screenful.windows}
        for root in roots:
            window = best_window(root, mine)
            if window is None or were.get(window.id) != window.box or not root.showing:
                continue
            walk.covers = [sight.pointer(), *(rectangle(layer.box) for layer in layers_above(window, sight.screenful))]
            walk.shift = self._shifts.get(root.path, 0)
            seen = common(rectangle(window.box), sight.picture.screen)
            for child in root.children:
                walk.descend(child, seen)
        return walk.found

    def _shifts_of(self, roots: Iterable[Node]) -> dict[str, int]:
        return {root.path: libreoffice_shift(root) for root in roots} if self._corrected else {}


class Walk:
    """Traverses a window and finds the controls at rest."""

    def __init__(self, now: ScreenPixels, before: ScreenPixels, signalled: Set[str], number: int) -> None:
        self.found: set[str] = set()
        self.covers: list[Rectangle] = []
        self.shift = 0
        self._now, self._before = now, before
        self._differing = now.differing(before)
        self._signalled = signalled
        self._turn = number % TURNS

    def descend(self, node: Node, clip: Rectangle) -> None:
        """Judge a node and its contents. ``clip``: the visible part of its container."""
        if not node.showing:
            return
        x, y, width, height = node.box
        place = (x, y if node.native else y + self.shift, width, height)
        if node.placed:
            self._turn = (self._turn + 1) % TURNS
            if self._turn and self._silent(node) and self._still(place, clip):
                self.found.add(node.path)
        if node.role in roles.CLIPPING:
            clip = common(clip, place)
        for child in node.children:
            self.descend(child, clip)

    def _silent(self, node: Node) -> bool:
        """Whether nothing was signalled about a node, or about anything hidden in it. What a program draws into a panel of
        the toolkit shows the error of its places, so its place is always queried."""
        if node.path in self._signalled or node.raw[2] is None:
            return False
        if not node.native and node.parent is not None and node.parent.native:
            return False
        return not any(child.path in self._signalled for child in node.children if not child.showing)

    def _still(self, place: Rectangle, clip: Rectangle) -> bool:
        """Whether all of a place is visible, looks unchanged, and is not blank: a blank place could have changed."""
        if min(place[2:]) <= 0 or not inside(place, clip) or any(overlap(place, cover) for cover in self.covers):
            return False
        return self._same(place) and not self._now.blank(place)

    def _same(self, place: Rectangle) -> bool:
        x, y, width, height = place
        if 1 not in self._differing[y : y + height]:
            return True
        left, right = x * 4, (x + width) * 4
        now, before = self._now.lines[y : y + height], self._before.lines[y : y + height]
        return all(line[left:right] == was[left:right] for line, was in zip(now, before, strict=True))
