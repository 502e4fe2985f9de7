"""A display that a person uses, too: while they move the mouse or type, the crew keeps its hands off both."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any

import xcffib.screensaver

from deskcrew.environments.linux.screen.display import DesktopInput
from deskcrew.environments.linux.screen.on_x11 import X11Display
from deskcrew.environments.linux.screen.x11 import Display, display_errors
from deskcrew.errors import ActionError

QUIET = 2.0
"""Seconds without a person's input after which the run goes on."""
PATIENCE = 15.0
"""Seconds that it waits for that before it says so."""
_LATE = 0.1
"""Seconds by which the server may place the run's own input after its end: it counts whole milliseconds."""


class Turns:
    """Whose turn it is: a person's until they rest, then the run's. Used by one thread at a time."""

    def __init__(
        self,
        display: Display,
        *,
        quiet: float = QUIET,
        patience: float = PATIENCE,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """``quiet``, ``patience``: see :data:`QUIET` and :data:`PATIENCE`."""
        self._display, self._quiet, self._patience, self._sleep = display, quiet, patience, sleep
        self._ours = 0.0
        """When the run's own input ended, in monotonic seconds. The server does not say whose the last input was."""
        with display_errors():
            self._saver: Any = display.connection(xcffib.screensaver.key)

    @contextmanager
    def own(self) -> Generator[None]:
        """A time for the run's input. Raises ActionError if the person does not rest."""
        until = time.monotonic() + self._patience
        while (left := self._left()) > 0:
            if time.monotonic() >= until:
                raise ActionError("A person uses mouse or keyboard there, and it was not done. Wait, and try again.")
            self._sleep(min(0.2, left))
        try:
            yield
        finally:
            self._ours = time.monotonic()

    def _left(self) -> float:
        """Seconds until a person's last input is long enough ago."""
        with display_errors():
            idle = int(self._saver.QueryInfo(self._display.root).reply().ms_since_user_input) / 1000
        return self._quiet - idle if time.monotonic() - idle > self._ours + _LATE else 0.0


class TakingTurns:
    """A keyboard and mouse that are used only while nobody else uses them."""

    def __init__(self, hands: DesktopInput, turns: Turns) -> None:
        self._hands, self._turns = hands, turns

    def move(self, x: int, y: int) -> None:
        with self._turns.own():
            self._hands.move(x, y)

    def click(self, x: int, y: int, *, button: str = "left", count: int = 1) -> None:
        with self._turns.own():
            self._hands.click(x, y, button=button, count=count)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        with self._turns.own():
            self._hands.drag(start, end)

    def scroll(self, x: int, y: int, notches: int) -> None:
        with self._turns.own():
            self._hands.scroll(x, y, notches)

    def press(self, keys: Iterable[str]) -> None:
        with self._turns.own():
            self._hands.press(keys)

    def type(self, text: str) -> None:
        with self._turns.own():
            self._hands.type(text)

    def type_on_buttons(self, text: str) -> None:
        with self._turns.own():
            self._hands.type_on_buttons(text)

    def await_hearing(self, keys: Iterable[str]) -> None:
        self._hands.await_hearing(keys)


class SharedDisplay(X11Display):
    """The X server of a person's own session."""

    def keys_and_mouse(self) -> DesktopInput:
        name = xcffib.screensaver.key.name
        with display_errors():
            told = self.core.QueryExtension(len(name), name).reply().present
        hands = super().keys_and_mouse()
        # A server that does not tell when somebody last used them is no reason to refuse the session.
        return TakingTurns(hands, Turns(self)) if told else hands
