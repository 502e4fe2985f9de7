"""Short labels for controls of pages, the same for the same control from one observation to the next.

A page may replace an element by a new one each time something happens, or while something else covers it. If an element has
gone and one of the same kind and name has come in the same window, the new one counts as the old one; if there are several,
the one in the same row or card, or in one with a similar text. In another row it is a different element.

If the page's own code marks one element of each, and no other, in the same words, they need not be called the same: a number
in the name may have changed, and it may only now be alone of its name, so that nothing is said of its row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
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
    """A label, with the kind, surroundings and mark of its element, and the last observation that showed it."""

    label: str
    kind: Kind
    owner: str
    mark: str
    look: int


class PageLabels:
    """The labels of one browser."""

    def __init__(self) -> None:
        self._given: dict[Thing, Given] = {}
        self._numbers = count(1)
        self._look = 0

    def of(self, things: Sequence[tuple[Thing, Kind, str, str]]) -> list[str]:
        """The labels of all elements in one observation, in order. ``things``: each element with its kind, its surroundings
        (a row, a card; '' if they do not distinguish it), and how the page's code marks it ('' if not in words)."""
        self._look += 1
        self._hand_over(things)
        labels = [self._label(*each) for each in things]
        for thing in [one for one, given in self._given.items() if given.look < self._look - KEPT]:
            del self._given[thing]
        return labels

    def _hand_over(self, things: Sequence[tuple[Thing, Kind, str, str]]) -> None:
        """Give new elements the labels of the missing ones that they replace, those observed last first."""
        present = {thing for thing, *_ in things}
        for old, new in [*self._marked_alike(things, present)]:
            self._given[new] = self._given.pop(old)
        gone: dict[Kind, list[Thing]] = defaultdict(list)
        for thing, given in sorted(self._given.items(), key=lambda each: -each[1].look):
            if thing not in present:
                gone[given.kind].append(thing)
        come: dict[Kind, dict[Thing, str]] = defaultdict(dict)
        for thing, kind, owner, _ in things:
            if kind in gone and thing not in self._given:
                come[kind][thing] = owner
        for kind, newcomers in come.items():
            for old, new in _pairs({thing: self._given[thing].owner for thing in gone[kind]}, newcomers):
                self._given[new] = self._given.pop(old)

    def _marked_alike(
        self, things: Sequence[tuple[Thing, Kind, str, str]], present: set[Thing]
    ) -> Iterator[tuple[Thing, Thing]]:
        """Pairs of a missing element and the new one that alone has its mark, and its name but for numbers. In another row
        it is a different element."""
        was: dict[Kind, list[Thing]] = defaultdict(list)
        now: dict[Kind, list[tuple[Thing, str]]] = defaultdict(list)
        for thing, given in self._given.items():
            if given.mark and thing not in present:
                was[_called(given.kind, given.mark)].append(thing)
        for thing, kind, owner, mark in things if was else ():
            if mark:
                now[_called(kind, mark)].append((thing, owner))
        for called, ((new, owner), *others) in now.items():
            olds = was.get(called, [])
            if len(olds) != 1 or others or new in self._given:
                continue
            whose = self._given[olds[0]].owner
            if not (whose and owner) or whose == owner or _alike(whose, owner) >= ALIKE:
                yield olds[0], new

    def _label(self, thing: Thing, kind: Kind, owner: str, mark: str) -> str:
        given = self._given.get(thing)
        label = given.label if given is not None else str(next(self._numbers))
        self._given[thing] = Given(label, kind, owner, mark, self._look)
        return label


def _called(kind: Kind, mark: str) -> Kind:
    """What an element has in common with the one that replaces it: role, mark, and its name without numbers."""
    window, role, name = kind
    return window, f"{role} {mark}", "".join(sign for sign in name if not sign.isdecimal())


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
