"""Short labels for controls of pages, the same for the same control from one observation to the next.

A page may put a new element in the place of one it has thrown away, each time something happens. Where an element has gone
and one of the same kind and name has come in the same window, the new one is what the old one was to whoever looks.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

Thing = tuple[int, str, int, int]
"""An element: window, frame, world of its document, number in it."""
Kind = tuple[int, str, str]
"""Window, role and name."""
KEPT = 20
"""Looks after which the number of what is not seen any more is given to something else."""


class Labels:
    """The labels of one browser."""

    def __init__(self) -> None:
        self._given: dict[Thing, tuple[str, Kind, int]] = {}
        """Labels, with the kinds of what has them and the last looks that showed it."""
        self._free: list[int] = []
        self._next = 1
        self._look = 0

    def of(self, things: Sequence[tuple[Thing, Kind]]) -> list[str]:
        """The labels of all that one observation shows, in their order."""
        self._look += 1
        present = {thing for thing, _ in things}
        orphans: dict[Kind, deque[Thing]] = defaultdict(deque)
        for thing, (_, kind, look) in self._given.items():
            if look == self._look - 1 and thing not in present:
                orphans[kind].append(thing)
        labels = [self._label(thing, kind, orphans) for thing, kind in things]
        for thing in [one for one, (_, _, look) in self._given.items() if look < self._look - KEPT]:
            self._free.append(int(self._given.pop(thing)[0]))
        self._free.sort(reverse=True)
        return labels

    def _label(self, thing: Thing, kind: Kind, orphans: dict[Kind, deque[Thing]]) -> str:
        given = self._given.get(thing)
        if given is None and orphans[kind]:
            given = self._given.pop(orphans[kind].popleft())
        if given is not None:
            label = given[0]
        else:
            label = str(self._free.pop() if self._free else self._next)
            self._next = max(self._next, int(label) + 1)
        self._given[thing] = label, kind, self._look
        return label
