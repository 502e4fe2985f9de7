"""What acting needs of the desktop that is acted on."""

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
    """A desktop: what there is to act with, what was seen last, and how to wait for what comes of it."""

    @property
    def display(self) -> Display: ...

    @property
    def input(self) -> Input: ...

    @property
    def programs(self) -> Programs: ...

    @property
    def expected(self) -> Expected:
        """What the next acts are meant for."""
        ...

    @property
    def screenful(self) -> Screenful:
        """Windows and layers now."""
        ...

    # -- finding

    def last_seen(self, control: Control) -> Seen:
        """What a control of the last observation refers to. Raises ActionError when it no longer exists."""
        ...

    def line(self, control: Control) -> Control | None:
        """A line that was read from a window's pixels, as it stands there now; None for what a program tells of."""
        ...

    def adopt_cell(self, view: View, grid: Grid, cell: Cell) -> Control:
        """A cell in view as a control that can be acted on, though the last observation did not list it."""
        ...

    def window(self, number: int) -> XWindow:
        """An open window by its id. Raises ActionError when it has gone."""
        ...

    def check_window(self, number: int | None) -> None:
        """Raise ActionError where a window is not the one that a person was shown. None: the active one."""
        ...

    def bring_forward(self, window: XWindow) -> None:
        """Activate a window and wait until it is the active one."""
        ...

    # -- looking and waiting

    def look(self) -> Observation:
        """Look without waiting."""
        ...

    def observe(self) -> Observation:
        """Look once the effect of what was done is there."""
        ...

    def acted(self, quiet: float = ...) -> None:
        """Note that something was done; its effect has to be ``quiet`` seconds ago for the next observation."""
        ...

    def settle(self) -> None:
        """Wait until what was done has been taken in; bounded."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait until the screen changes and settles, at most ``seconds``."""
        ...

    def wait_for_event(self, seconds: float) -> bool:
        """Wait for something to be drawn or signalled, at most ``seconds``."""
        ...
