"""What acting needs from the desktop."""

from __future__ import annotations

from typing import Protocol

from deskcrew.environments.expecting import Expected
from deskcrew.environments.linux.look.controls import Seen
from deskcrew.environments.linux.look.views import View
from deskcrew.environments.linux.screen.input import Input
from deskcrew.environments.linux.screen.x11 import Display, Screenful, XWindow
from deskcrew.environments.linux.tree.cells import Cell, Grid
from deskcrew.environments.linux.tree.programs import Programs
from deskcrew.observation import Control, Observation


class ActedOn(Protocol):
    """A desktop: the means to act, the last observation, and how to wait for effects."""

    @property
    def display(self) -> Display: ...

    @property
    def input(self) -> Input: ...

    @property
    def programs(self) -> Programs: ...

    @property
    def expected(self) -> Expected:
        """The target of the next actions."""
        ...

    @property
    def screenful(self) -> Screenful:
        """Windows and layers now."""
        ...

    # -- finding

    def last_seen(self, control: Control) -> Seen:
        """What a control of the last observation refers to. Raises ActionError if it no longer exists."""
        ...

    def line(self, control: Control) -> Control | None:
        """A line that was read from a window's pixels, as it is now; None for controls that a program reports."""
        ...

    def adopt_cell(self, view: View, grid: Grid, cell: Cell) -> Control:
        """A cell in view as a control that can be acted on, even if the last observation did not list it."""
        ...

    def window(self, number: int) -> XWindow:
        """An open window by its id. Raises ActionError if it has gone."""
        ...

    def check_window(self, number: int | None) -> None:
        """Raise ActionError if a window is not the one that a person was shown. None: the active one."""
        ...

    def bring_forward(self, window: XWindow) -> None:
        """Activate a window and wait until it is the active one."""
        ...

    # -- looking and waiting

    def look(self) -> Observation:
        """Observe without waiting."""
        ...

    def observe(self) -> Observation:
        """Observe once the last action has had its effect."""
        ...

    def acted(self, quiet: float = ...) -> None:
        """Note that something was done; the next observation must be at least ``quiet`` seconds after its effect."""
        ...

    def settle(self) -> None:
        """Wait until the last action has been processed; bounded."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait until the screen changes and settles, at most ``seconds``."""
        ...

    def wait_for_event(self, seconds: float) -> bool:
        """Wait for something to be drawn or signalled, at most ``seconds``."""
        ...
