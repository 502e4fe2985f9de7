"""Short labels for controls. A control keeps its label from one observation to the next, and no other ever gets it."""

from __future__ import annotations

from itertools import count

KEPT = 20
"""The number of observations for which a control that has disappeared keeps its label, in case it comes back."""


class Labels:
    """Numbers as labels, stable while a control is observed, and for some observations after."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._given: dict[tuple[str, ...], str] = {}
        self._last_seen: dict[tuple[str, ...], int] = {}
        self._look = 0

    def start_look(self) -> None:
        """Start an observation, and forget what was not in the last :data:`KEPT` ones."""
        self._look += 1
        for identity in [one for one, look in self._last_seen.items() if look < self._look - KEPT]:
            del self._last_seen[identity], self._given[identity]

    def label(self, identity: tuple[str, ...]) -> str:
        """The label for ``identity``."""
        self._last_seen[identity] = self._look
        if identity not in self._given:
            self._given[identity] = str(next(self._numbers))
        return self._given[identity]
