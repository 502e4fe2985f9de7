"""What a desktop needs of the display that its windows are on, and of that display's keyboard, mouse and clipboard."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PIL import Image

from deskcrew.environments.linux.screen.picture import Rectangle, ScreenPixels
from deskcrew.environments.linux.screen.x11 import Screenful
from deskcrew.facts.observation import Box


class DesktopInput(Protocol):
    """The keyboard and mouse. Raises ActionError for keys and buttons that do not exist."""

    def move(self, x: int, y: int) -> None: ...

    def click(self, x: int, y: int, *, button: str = "left", count: int = 1) -> None: ...

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None: ...

    def scroll(self, x: int, y: int, notches: int) -> None: ...

    def press(self, keys: Iterable[str]) -> None: ...

    def type(self, text: str) -> None: ...

    def type_on_buttons(self, text: str) -> None: ...

    def await_hearing(self, keys: Iterable[str]) -> None: ...


class DesktopDisplay(Protocol):
    """Windows, pixels and what changes. Everything is in pixels of its pictures. Every method raises EnvironmentFailure if
    the display has died."""

    width: int
    height: int
    changes: int
    """Counts changes on the screen that :meth:`drain` has noticed."""

    @property
    def scale(self) -> float:
        """Physical pixels per logical pixel, as its programs are told."""
        ...

    def close(self) -> None: ...

    def drain(self) -> int:
        """Notice what has changed. Returns :attr:`changes`."""
        ...

    def fileno(self) -> int:
        """A descriptor that can be read when there is something to drain."""
        ...

    def windows(self) -> Screenful: ...

    def parts(self, window: int) -> list[Box]:
        """The boxes of the innermost windows in a window; empty where windows have none."""
        ...

    def activate(self, window: int) -> None: ...

    def close_window(self, window: int) -> None: ...

    def process_of(self, window: int) -> int | None:
        """The process that made a window, for which nobody else can pass; None if the display cannot tell."""
        ...

    def picture(self) -> Image.Image: ...

    def screenshot(self) -> bytes:
        """PNG of the screen."""
        ...

    def pixels(self) -> ScreenPixels | None:
        """The pixels, to find what looks unchanged; None if fetching them takes longer than that saves."""
        ...

    def pointer(self) -> Rectangle:
        """Where :meth:`pixels` may show the mouse pointer."""
        ...

    def keys_and_mouse(self) -> DesktopInput: ...

    def read_selection(self, name: str = "CLIPBOARD") -> str:
        """The text of one of ``clipboard.SELECTIONS``; '' if there is none."""
        ...

    def forget_selection(self, name: str) -> None: ...

    @property
    def holder(self) -> list[str]:
        """The program that puts its input on the clipboard and holds it there."""
        ...
