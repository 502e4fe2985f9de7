"""What acting needs from the desktop."""

from __future__ import annotations

from typing import Protocol

from deskcrew.environments.expecting import Expected
from deskcrew.environments.linux.look.controls import SeenControl
from deskcrew.environments.linux.look.views import WindowView
from deskcrew.environments.linux.screen.display import DesktopDisplay, DesktopInput
from deskcrew.environments.linux.screen.x11 import Screenful, XWindow
from deskcrew.environments.linux.tree.cells import Cell, Grid
from deskcrew.environments.linux.tree.programs import Programs
from deskcrew.facts.observation import Control, Observation


class ActedOn(Protocol):
    """A desktop to act on: the means to act, the last observation, and how to wait for effects. ``linux/desktop.py``
    documents the methods."""

    @property
    def display(self) -> DesktopDisplay: ...

    @property
    def input(self) -> DesktopInput: ...

    @property
    def programs(self) -> Programs: ...

    @property
    def expected(self) -> Expected: ...

    @property
    def screenful(self) -> Screenful: ...

    # -- finding

    def last_seen(self, control: Control) -> SeenControl: ...

    def line(self, control: Control) -> Control | None: ...

    def adopt_cell(self, view: WindowView, grid: Grid, cell: Cell) -> Control: ...

    def window(self, number: int) -> XWindow: ...

    def check_window(self, number: int | None) -> None: ...

    def bring_forward(self, window: XWindow) -> None: ...

    # -- looking and waiting

    def look(self) -> Observation: ...

    def observe(self) -> Observation: ...

    def acted(self, quiet: float = ...) -> None: ...

    def settle(self) -> None: ...

    def wait(self, seconds: float) -> None: ...

    def wait_for_event(self, seconds: float) -> bool: ...
