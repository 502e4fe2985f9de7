"""The target an action was authorized for: the driver compares it with what is there at the moment of acting, not at the
observation before.

Between an observation and an action a page loads, a window changes, a list is re-sorted; if a person is asked in between it
may be minutes. A driver therefore reads the control once more just before acting on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deskcrew.environments.names import named
from deskcrew.errors import ActionError
from deskcrew.facts.observation import Control, Identity
from deskcrew.secrets.vault import Recipient


@dataclass(frozen=True, slots=True)
class Expected:
    """The target of an operation. ``control``: the control that it names, or that had the focus. ``approved``: what a person
    was shown and approved; None if nobody was asked: then its role and name must be unchanged, but not its surroundings.
    ``shown``: returns a text as observations show it, without values of secrets. ``behind``: the only recipient of a secret
    that is typed, which goes into its element, never to whatever has the focus; None if none is typed."""

    control: Control | None = None
    approved: Identity | None = None
    shown: Callable[[str], str] = str
    behind: Recipient | None = None

    def check_control(self, control: Control, role: str, name: str, owner: str | None = None) -> None:
        """Raise ActionError if a control has changed. ``owner`` None: unknown."""
        was = named(control)
        if (role, self.shown(name)) != (control.role, control.name):
            raise ActionError(f'The {was} has changed: it is now a {role} "{self.shown(name)}". Look again.')
        meant = self.approved is not None and self.control is not None and self.control.label == control.label
        # The look may be a later one than was shown to the person: a run that was stopped in between goes on.
        shown = self.approved if meant else None
        if shown is not None and shown.role and (control.role, control.name) != (shown.role, shown.name):
            raise ActionError(f'The {shown.role} "{shown.name}" that was approved is now {was}. Look again.')
        if meant and owner is not None and control.owner and self.shown(owner) != control.owner:
            raise ActionError(f'The {was} has changed: it now belongs to "{self.shown(owner)}". Look again.')

    def check_window(self, title: str, app: str, page: str | None = None) -> None:
        """Raise ActionError if a window that a person was shown has changed. ``page`` None: unknown."""
        if self.approved is not None:
            self._same("title", self.approved.window, title)
            self._same("program", self.approved.app, app)
            self.check_page(page)

    def check_page(self, page: str | None) -> None:
        """Raise ActionError if the address of a window's page is not the one that a person was shown."""
        if self.approved is not None and page is not None:
            self._same("page", self.approved.page, page)

    def _same(self, what: str, was: str, now: str) -> None:
        if was and self.shown(now) != was:
            raise ActionError(f"The window has changed: its {what} was {was!r}, now {self.shown(now)!r}. Look again.")


NOTHING = Expected()
"""Nobody was asked: controls are compared with what they were at the last observation."""
