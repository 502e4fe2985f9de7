"""A desktop that does nothing and remembers all that is asked of it, and something to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deskcrew.environments.environment import Desktop
from deskcrew.environments.linux.applications import Application, find
from deskcrew.facts.observation import Box, Control, Observation, Screen, Window

BOX = Box(x=0, y=0, width=10, height=10)


PAGED = ("open_url", "back", "forward", "hover", "drag", "upload", "download", "find_text", "page_markdown")
POINTED = ("click_at", "drag_along", "scroll_at")


def recorder(name: str) -> Callable[..., None]:
    def record(self: RecordingDesktop, *arguments: Any, **named: Any) -> None:
        self.calls.append((name, *(getattr(a, "label", a) for a in arguments), *named.values()))

    return record


RECORDED = {name: recorder(name) for name in (*Desktop.__abstractmethods__, *PAGED, *POINTED)}


class RecordingDesktop(type("Recording", (Desktop,), RECORDED)):
    """Does nothing and remembers all of it."""

    def __init__(self, names: tuple[str, ...] = ("Calculator", "Mousepad", "Mousepad Settings")) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.names = names
        self.read_back = ""
        self.text = ""

    def observe(self, *, screenshot: bool = False) -> Observation:
        return Observation()

    def applications(self) -> tuple[str, ...]:
        return self.names

    def open_application(self, name: str, file: str | None = None) -> str:
        found = find(name, {known: Application(known, (known,)) for known in self.names}).name
        self.calls.append(("open_application", found, file))
        return found

    def clipboard(self) -> str:
        return self.text

    def program_of_window(self, window: int) -> str:
        """All of its windows are of programs that are installed and called as a test would have them."""
        return "/usr/bin/canary-mail"

    def forget_copies(self, holds: Callable[[str], bool]) -> None:
        self.text = "" if holds(self.text) else self.text

    def type_text(self, control: Control | None, text: str, *, clear: bool = False, enter: bool = False) -> str:
        self.calls.append(("type_text", control.label if control else None, text, clear, enter))
        return self.read_back


def control(label: str, role: str = "button", name: str = "", **more: Any) -> Control:
    return Control(label=label, role=role, name=name, box=BOX, window=more.pop("window", 1), **more)


SIGHT = Observation(
    screen=Screen(width=100, height=100),
    windows=(
        Window(id=1, title="Untitled 1 - Mousepad", app="mousepad", box=BOX, active=True),
        Window(id=2, title="Calculator", app="calc", box=BOX),
    ),
    controls=(
        control("1", "text area", "Text", value="", operations=("type", "scroll")),
        control("2", "button", "Save", operations=("click",)),
        control("3", "combo box", "Size", value="A4", operations=("click", "select"), options=("A4", "A5")),
        control("4", "check box", "Wrap", operations=("click", "toggle")),
        control("5", "slider", "Volume", value="3", operations=("set",)),
        control("6", "menu", "File", operations=("click",)),
        control("7", "button", "Off"),
    ),
)
