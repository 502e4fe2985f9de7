"""Starts a program on a desktop, and waits until its window is there and can be read."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Protocol

from deskcrew.environments.linux.applications import Application
from deskcrew.environments.linux.pages.chromium import Chromium
from deskcrew.environments.linux.screen.x11 import Screenful, XWindow, poll_until
from deskcrew.environments.linux.session import ProgramSession
from deskcrew.environments.linux.tree.programs import BusProgram, Programs
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Observation

OPEN_SECONDS = 30.0
READABLE_SECONDS = 4.0
"""Seconds that a program may take to join the accessibility bus. Some never do; their windows are visible even so."""
TOLD_SECONDS = 12.0
"""Seconds that a program on the bus may take to report its window: office programs load a document first."""


class OpenedOn(Protocol):
    """What opening needs from the desktop; ``linux/desktop.py`` documents the methods."""

    @property
    def session(self) -> ProgramSession: ...

    @property
    def programs(self) -> Programs: ...

    @property
    def chromium(self) -> Chromium: ...

    @property
    def screenful(self) -> Screenful: ...

    def check_alive(self) -> None: ...

    def program_of(self, pid: int | None) -> BusProgram | None: ...

    def look(self, *, everything: bool = False) -> Observation: ...

    def wait_for_event(self, seconds: float) -> bool: ...


def start(desktop: OpenedOn, application: Application, target: str | None) -> None:
    """Start a program with a file (as the program sees it). Raises ActionError if no window appears."""
    before = {window.id: window.title for window in desktop.screenful.windows}
    command = application.with_file(target)
    if application.browses:
        desktop.chromium.start(desktop.session, command)
    else:
        desktop.session.start(command)
    program = Path(application.command[0]).name.casefold()

    def opened() -> XWindow | None:
        desktop.check_alive()
        for window in desktop.screenful.windows:
            another_tab = program in window.app.casefold() and before.get(window.id, window.title) != window.title
            if window.title and (window.id not in before or another_tab):
                return window
        return None

    def told() -> bool | None:
        desktop.check_alive()
        desktop.programs.refresh()
        if desktop.chromium.coming:
            return None
        if window is None or desktop.program_of(window.pid) is None:
            return True if time.monotonic() > since + READABLE_SECONDS else None
        return True if any(control.window == window.id for control in desktop.look().controls) else None

    def paged() -> bool | None:
        desktop.check_alive()
        desktop.look(everything=True)
        return bool(desktop.chromium.seen) or None

    window = poll_until(opened, OPEN_SECONDS, desktop.wait_for_event)
    if window is None:
        raise ActionError(f"{application.name} was started but no window came within {OPEN_SECONDS:.0f} seconds.")
    since = time.monotonic()
    poll_until(told, TOLD_SECONDS, desktop.wait_for_event)
    if application.browses and desktop.chromium.await_page():
        # Where it is on the screen the accessibility bus tells a moment later.
        poll_until(paged, READABLE_SECONDS, desktop.wait_for_event)
