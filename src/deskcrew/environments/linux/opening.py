"""Starting a program on a desktop, and waiting until its window is there and can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deskcrew.environments.linux.applications import Application
from deskcrew.environments.linux.x11 import XWindow, poll_until
from deskcrew.errors import ActionError

if TYPE_CHECKING:
    from deskcrew.environments.linux.desktop import LinuxDesktop

OPEN_SECONDS = 30.0
READABLE_SECONDS = 4.0


def start(desktop: LinuxDesktop, application: Application, target: str | None) -> None:
    """Start a program with a file (as the program sees it). Raises ActionError when no window comes."""
    before = {window.id for window in desktop.screenful.windows}
    desktop.session.start(application.with_file(target))

    def opened() -> XWindow | None:
        desktop.check_alive()
        found = next((window for window in desktop.screenful.windows if window.id not in before), None)
        return found if found is not None and found.title else None

    def readable() -> bool | None:
        desktop.check_alive()
        desktop.programs.refresh()
        return True if window is not None and desktop.program_of(window.pid) else None

    window = poll_until(opened, OPEN_SECONDS, desktop.wait_for_event)
    if window is None:
        raise ActionError(f"{application.name} was started but no window came within {OPEN_SECONDS:.0f} seconds.")
    # Some programs never join the accessibility bus; their window can still be seen.
    poll_until(readable, READABLE_SECONDS, desktop.wait_for_event)
