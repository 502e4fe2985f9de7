"""An X server as the display of a desktop."""

from __future__ import annotations

from deskcrew.environments.linux.screen import clipboard, executables, scaling
from deskcrew.environments.linux.screen.display import DesktopInput
from deskcrew.environments.linux.screen.input import Input
from deskcrew.environments.linux.screen.picture import ScreenPixels
from deskcrew.environments.linux.screen.x11 import Display


class X11Display(Display):
    """See :class:`~deskcrew.environments.linux.screen.display.DesktopDisplay`."""

    holder = ["xclip", "-selection", "clipboard", "-in"]  # noqa: RUF012

    @property
    def scale(self) -> float:
        return scaling.scale_of(self)

    def process_of(self, window: int) -> int | None:
        return executables.process_of(self, window)

    def pixels(self) -> ScreenPixels | None:
        return self.frame_buffer.copy() if self.frame_buffer else None

    def keys_and_mouse(self) -> DesktopInput:
        return Input(self)

    def read_selection(self, name: str = "CLIPBOARD") -> str:
        return clipboard.read_selection(self, name)

    def forget_selection(self, name: str) -> None:
        clipboard.forget_selection(self, name)
