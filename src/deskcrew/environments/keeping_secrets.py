"""What a desktop does for secrets besides typing them: it identifies the program behind a window, and clears what was
copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from deskcrew.facts.observation import Control


@runtime_checkable
class Discreet(Protocol):
    """A desktop that identifies its programs, and clears their selections."""

    def program_of_window(self, window: int) -> str:
        """The path of a window's program; '' if it is not a single one of the system. Raises ActionError if it has gone."""
        ...

    def forget_copies(self, holds: Callable[[str], bool]) -> None:
        """Clear each selection whose text contains a secret."""
        ...


@runtime_checkable
class Located(Protocol):
    """A desktop whose controls may be in pages."""

    def origin_of(self, control: Control) -> str | None:
        """Scheme, host and port of the page that a control is in, '' if its frame has another origin; None if it is not in a
        page. Raises ActionError if it has gone."""
        ...
