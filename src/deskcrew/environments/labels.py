"""Short labels for controls, the same for one control from one observation to the next, and never that of another one."""

from __future__ import annotations

from itertools import count

KEPT = 20
"""Observations for which what has disappeared keeps its number, if it comes back."""


class Labels:
    """Numbers, stable while a control is seen, and for some observations after."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._given: dict[tuple[str, ...], str] = {}
        self._last_seen: dict[tuple[str, ...], int] = {}
        self._look = 0

    def start_look(self) -> None:
        """Count an observation and forget what was not seen in the last ones."""
        self._look += 1
        for identity in [one for one, look in self._last_seen.items() if look < self._look - KEPT]:
            del self._last_seen[identity], self._given[identity]

    def label(self, identity: tuple[str, ...]) -> str:
        """The label for ``identity``."""
        self._last_seen[identity] = self._look
        if identity not in self._given:
            self._given[identity] = str(next(self._numbers))
        return self._given[identity]
