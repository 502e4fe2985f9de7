"""Short labels for controls, the same for one control from one observation to the next."""

from __future__ import annotations

KEPT = 20
"""Observations after which the number of something that has disappeared is reused."""


class Numbers:
    """Short labels: the smallest numbers that are free."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._next = 1

    def take(self) -> str:
        """A label that nothing has."""
        if self._free:
            return str(self._free.pop())
        self._next += 1
        return str(self._next - 1)

    def free(self, label: str) -> None:
        """Nothing has this label any longer."""
        self._free.append(int(label))
        self._free.sort(reverse=True)


class Labels:
    """Short labels, stable while a control is seen; a number is reused some observations after its control has gone."""

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._given: dict[tuple[str, ...], str] = {}
        self._last_seen: dict[tuple[str, ...], int] = {}
        self._look = 0

    def start_look(self) -> None:
        """Count an observation and free the numbers of what was not seen in the last ones."""
        self._look += 1
        for identity in [one for one, look in self._last_seen.items() if look < self._look - KEPT]:
            del self._last_seen[identity]
            self._numbers.free(self._given.pop(identity))

    def label(self, identity: tuple[str, ...]) -> str:
        """The label for ``identity``."""
        self._last_seen[identity] = self._look
        if identity not in self._given:
            self._given[identity] = self._numbers.take()
        return self._given[identity]
