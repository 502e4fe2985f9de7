"""Short labels for controls of pages, the same for the same control from one observation to the next.

A page may replace an element by a new one each time something happens, or while something else covers it. If an element has
gone and one of the same kind and name has come in the same window, the new one counts as the old one; if there are several,
the one in the same row or card, or in one with a similar text. In another row it is a different element.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from deskcrew.environments.labels import KEPT

Thing = tuple[int, str, int, int]
"""Identifies an element: window, frame, world of its document, number in that."""
Kind = tuple[int, str, str]
"""Window, role and name."""
ALIKE = 0.5
"""The share of words that a row before and after a change must have in common."""

MOST_COMPARED = 100
"""The maximum number of elements of one kind whose surroundings are compared; each with each."""


class Given(NamedTuple):
    """A label, with the kind and surroundings of its element, and the last observation that showed it."""

    label: str
    kind: Kind
    owner: str
    look: int


class PageLabels:
    """The labels of one browser."""

    def __init__(self) -> None:
        self._given: dict[Thing, Given] = {}
        self._numbers = count(1)
        self._look = 0

    def of(self, things: Sequence[tuple[Thing, Kind, str]]) -> list[str]:
        """The labels of all elements in one observation, in order. ``things``: each element with its kind and its
        surroundings (a row, a card; '' if they do not distinguish it)."""
        self._look += 1
        self._hand_over(things)
        labels = [self._label(*each) for each in things]
        for thing in [one for one, given in self._given.items() if given.look < self._look - KEPT]:
            del self._given[thing]
        return labels

    def _hand_over(self, things: Sequence[tuple[Thing, Kind, str]]) -> None:
        """Give new elements the labels of the missing ones that they replace, those observed last first."""
        present = {thing for thing, _, _ in things}
        gone: dict[Kind, list[Thing]] = defaultdict(list)
        for thing, given in sorted(self._given.items(), key=lambda each: -each[1].look):
            if thing not in present:
                gone[given.kind].append(thing)
        come: dict[Kind, dict[Thing, str]] = defaultdict(dict)
        for thing, kind, owner in things:
            if kind in gone and thing not in self._given:
                come[kind][thing] = owner
        for kind, newcomers in come.items():
            for old, new in _pairs({thing: self._given[thing].owner for thing in gone[kind]}, newcomers):
                self._given[new] = self._given.pop(old)

    def _label(self, thing: Thing, kind: Kind, owner: str) -> str:
        given = self._given.get(thing)
        label = given.label if given is not None else str(next(self._numbers))
        self._given[thing] = Given(label, kind, owner, self._look)
        return label


def _pairs(gone: dict[Thing, str], come: dict[Thing, str]) -> list[tuple[Thing, Thing]]:
    """Pairs of a missing element and the new one that replaces it, by their surroundings."""
    pairs: list[tuple[Thing, Thing]] = []
    by_owner: dict[str, list[Thing]] = defaultdict(list)
    for thing in reversed(gone):
        by_owner[gone[thing]].append(thing)
    for thing, owner in come.items():
        if by_owner[owner]:
            pairs.append((by_owner[owner].pop(), thing))
    left = [thing for same in by_owner.values() for thing in same]
    new = [thing for thing in come if thing not in {thing for _, thing in pairs}]
    if len(left) == len(new) == 1 and not (gone[left[0]] and come[new[0]]):
        return [*pairs, (left[0], new[0])]  # one of them stood alone, and so nothing was said of where
    left, new = left[:MOST_COMPARED], new[:MOST_COMPARED]
    for thing in new:
        best = max(left, key=lambda one: _alike(gone[one], come[thing]), default=None)
        if best is not None and _alike(gone[best], come[thing]) >= ALIKE:
            left.remove(best)
            pairs.append((best, thing))
    return pairs


def _alike(one: str, other: str) -> float:
    """The share of words that two texts have in common, 0 to 1."""
    words, others = set(one.split()), set(other.split())
    return len(words & others) / len(words | others) if words and others else 0.0
