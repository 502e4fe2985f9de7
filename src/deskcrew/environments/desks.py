"""The desks of a run with lanes: its own, and additional ones with a desktop or browser each (docs/design/loop.md).

All share one workspace. Browsers share one profile, like windows of one browser, except that what a browser stores while a
lane works in it is shared only once its subtask is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from deskcrew.environments.desk import Desk, Pictures, Services
from deskcrew.environments.environment import Browser, Desktop
from deskcrew.environments.profiles import Profile, carried_over, parsed, written
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew.facts.events import OWN_DESK
from deskcrew.secrets.vault import Vault


class Desks(Desk):
    """The run's own desk, which opens others when a lane comes to work there, and keeps them until it is closed.

    ``start``: starts a desktop or browser like its own; the other parameters are those of :class:`Desk`.
    """

    def __init__(
        self,
        workspace: Workspace,
        desktop: Desktop | None,
        vault: Vault,
        services: Services = Services(),  # noqa: B008 - it cannot change
        pictures: Pictures = Pictures(),  # noqa: B008
        *,
        start: Callable[[], Desktop | None],
        most: int = 1,
    ) -> None:
        super().__init__(workspace, desktop, vault, services, pictures)
        self.most = most
        self._start = start
        self._beside: dict[int, Desk] = {}
        self._profile: Profile | None = None
        """What the run's browsers have stored, except what so far only browsers with a lane at work have."""
        self._had: dict[int, Profile] = {}
        """What each browser had stored when that was last read."""
        self._given: dict[int, Profile] = {}
        """The profile that each browser was last given; the browser may report it in another form."""

    def at(self, number: int) -> Desk | None:
        """The desk with that number; None if it is not open yet."""
        return self if number == OWN_DESK else self._beside.get(number)

    def arrive(self, number: int, idle: Iterable[int], page: str = "") -> None:
        """Start working at a desk, with what the run's browsers have stored by now; open it if necessary. Blocking.

        ``idle``: desks where no lane is at work; ``page``: the first address of a new browser. Raises EnvironmentFailure if
        the desk cannot be opened.
        """
        for each in sorted({number, *idle}):
            self._collect(each)
        if self._profile is None:
            self._collect(OWN_DESK)
        new = self.at(number) is None
        if new:
            self._open(number)
        self._hand_out(number)
        desktop = self._desktop(number)
        if new and page and isinstance(desktop, Browser):
            with suppress(ActionError):  # whoever works there sees that no page is open
                desktop.open_url(page)

    def reopen(self, number: int) -> None:
        """Reopen a desk in a resumed run. Its browser gets nothing from others: what it had is restored, and counts as its
        own. Blocking; raises EnvironmentFailure if it cannot be opened."""
        if self.at(number) is None:
            self._collect(OWN_DESK)
            self._open(number)

    def _open(self, number: int) -> None:
        self._beside[number] = Desk(
            self.workspace,
            self._start(),
            self.vault,
            Services(self.search, self.grounder, self.likeness),
            Pictures(self.sees, self.points),
        )

    def _desktop(self, number: int) -> Desktop | None:
        desk = self.at(number)
        return desk.desktop if desk is not None else None

    def _collect(self, number: int) -> None:
        """Merge what a browser has stored since the last time."""
        browser = self._desktop(number)
        if isinstance(browser, Browser) and (state := browser.stored(anyway=True)) is not None:
            now = parsed(state)
            self._profile = carried_over(self._profile or {}, self._had.get(number, {}), now)
            self._had[number] = now

    def _hand_out(self, number: int) -> None:
        browser, profile = self._desktop(number), self._profile
        if not isinstance(browser, Browser) or profile is None:
            return
        if profile in (self._had.get(number, {}), self._given.get(number)):
            return
        browser.restore(written(profile))
        self._given[number] = profile
        self._had[number] = parsed(state) if (state := browser.stored(anyway=True)) is not None else profile

    def end_programs(self) -> None:
        """End all desktops. First merge what their browsers have stored, so that a session that is kept has all of it."""
        if self._beside:
            with suppress(ActionError, EnvironmentFailure):  # a browser that is no more has nothing to give
                self.arrive(OWN_DESK, tuple(self._beside))
        for desk in self._beside.values():
            desk.end_programs()
        self._beside.clear()
        super().end_programs()
