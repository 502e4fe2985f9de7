"""Short labels for controls, the same for one control from one observation to the next."""

from __future__ import annotations


class Labels:
    """Short labels, stable while a control is seen; a number is reused some observations after its control has gone."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, ...], str] = {}
        self._last_seen: dict[tuple[str, ...], int] = {}
        self._look = 0
        self._free: list[int] = []
        self._next = 1

    def start_look(self) -> None:
        """Count an observation and free the numbers of what was not seen in the last twenty."""
        self._look += 1
        for identity in [one for one, look in self._last_seen.items() if look < self._look - 20]:
            del self._last_seen[identity]
            self._free.append(int(self._given.pop(identity)))
        self._free.sort(reverse=True)

    def label(self, identity: tuple[str, ...]) -> str:
        """The label for ``identity``."""
        self._last_seen[identity] = self._look
        known = self._given.get(identity)
        if known is None:
            if self._free:
                number = self._free.pop()
            else:
                number, self._next = self._next, self._next + 1
            known = self._given[identity] = str(number)
        return known
