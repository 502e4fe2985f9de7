"""Ensures that what was observed at a point of the screen is still there, before the mouse does anything."""

from __future__ import annotations

from deskcrew.environments.linux.act.acted_on import ActedOn
from deskcrew.environments.pointing import Aim, check
from deskcrew.facts.observation import page_of


def still_there(desktop: ActedOn, *aims: Aim) -> None:
    """Observe once more. Raises ActionError if something else is there now; if a person was asked, the control and the
    window must be those that the person was shown."""
    desktop.settle()
    now = desktop.look()
    for aim in aims:
        there = check(aim, now)
        control, window, expected = there.control, there.window, desktop.expected
        if control is not None:
            expected.check_control(aim.control or control, control.role, control.name, control.owner)
        if window is not None:
            expected.check_window(window.title, window.app, page_of(window.url) or None)
