"""What the agent needs of a machine, and how that says no."""

from __future__ import annotations

from typing import Protocol

from deskcrew_windows_agent.protocol import Button, Key, Snapshot, Verb


class RefusedError(Exception):
    """Something has gone, or refuses: a model is told, and does something else."""


class FailedError(Exception):
    """Nothing can be done any more. ``hint``: what a person can do about it."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


class Machine(Protocol):
    """A machine with somebody's session. Blocking, and bounded; every method raises RefusedError and FailedError.
    ``lacks``: what cannot be done there, in whole sentences."""

    @property
    def lacks(self) -> tuple[str, ...]: ...

    def look(self) -> Snapshot: ...

    def order(self, key: Key, verb: Verb, argument: str | float | None) -> None: ...

    def click(self, x: int, y: int, button: Button, count: int) -> None: ...

    def wheel(self, x: int, y: int, notches: int) -> None: ...

    def press(self, codes: tuple[int, ...]) -> None: ...

    def type(self, text: str) -> None: ...

    def picture(self) -> bytes:
        """PNG of the screen."""
        ...

    def clipboard(self) -> str: ...

    def set_clipboard(self, text: str) -> None: ...

    def bring_forward(self, window: int) -> None: ...

    def close_window(self, window: int) -> None: ...

    def programs(self) -> tuple[str, ...]:
        """Names of what can be started."""
        ...

    def start(self, program: str) -> None:
        """Start a program by its name."""
        ...

    def close(self) -> None: ...
