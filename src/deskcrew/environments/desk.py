"""Everything one run works on: its workspace and, if it has one, its desktop, in one observation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from deskcrew.environments.drawn import with_drawn
from deskcrew.environments.environment import Desktop
from deskcrew.environments.loading_anew import Anew, look_anew
from deskcrew.environments.looking_aside import Elsewhere, Glance, look_elsewhere
from deskcrew.environments.pointing import Grounder
from deskcrew.environments.redacted import Veil
from deskcrew.environments.search.provider import SearchProvider
from deskcrew.environments.workspace import Workspace
from deskcrew.facts.observation import Observation
from deskcrew.secrets.vault import NONE, Vault

Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""How similar in meaning a text is to each of several others, at most 1. Blocking; raises ModelFailure."""


class Services(NamedTuple):
    """Services besides the desktop, each None if unavailable. ``search``: the web search service; ``grounder``: finds
    described things in pictures; ``likeness``: compares meanings."""

    search: SearchProvider | None = None
    grounder: Grounder | None = None
    likeness: Likeness | None = None


class Pictures(NamedTuple):
    """How screenshots are used. ``sees``: a role or person is shown them; ``points``: a role may act on points in them."""

    sees: bool = False
    points: bool = False


class Desk:
    """A workspace folder, with or without a desktop. Blocking. ``vault``: the secrets of the run, which no observation
    shows."""

    def __init__(
        self,
        workspace: Workspace,
        desktop: Desktop | None,
        vault: Vault = NONE,
        services: Services = Services(),  # noqa: B008 - it cannot change
        pictures: Pictures = Pictures(),  # noqa: B008
    ) -> None:
        self.workspace = workspace
        self.desktop = desktop
        self.vault = vault
        self.search, self.grounder, self.likeness = services
        self.sees, self.points = pictures
        self._veil = Veil(vault)
        self.most = 1
        """The maximum number of desktops or browsers of the run, this one included."""

    def at(self, number: int) -> Desk | None:
        """The run's desk with that number; None if it is not open yet."""
        return self

    def arrive(self, number: int, idle: Iterable[int], page: str = "") -> None:
        """Start working at the desk with that number. Here there is only one, and it is open."""

    def reopen(self, number: int) -> None:
        """Reopen the desk with that number in a resumed run. Here there is only one."""

    def observe(self, beside: Observation | None = None) -> Observation:
        """One observation of windows, controls and files, with a screenshot if there is a screen, and with what pages have
        sent since the last one. It contains no value of a secret. ``beside``: the last observation of a desktop that another
        lane works on: only files are observed again."""
        if self.desktop is not None:
            self.desktop.carry_files()
        of_files = self.workspace.observe()
        if beside is not None:
            files = self._veil.over(of_files).files
            return beside.model_copy(update={"files": files, "sent": (), "put_away": of_files.put_away})
        if self.desktop is None:
            return self._veil.over(of_files)
        seen = self.desktop.observe(screenshot=True)
        seen = seen.model_copy(update={"files": of_files.files, "sent": self.desktop.sent(), "put_away": of_files.put_away})
        seen = self._veil.over(seen, self.desktop.observe()) if self._veil else seen
        # After the veil: what is black in the picture is not read either.
        return with_drawn(seen, read=self.points) if self.sees or self.points else seen

    def look_anew(self, page: Anew) -> tuple[Observation, str, bool]:
        """Reload a page. Returns an observation of it; what could not be observed again, '' if everything was; and whether
        the page could not even be loaded. See :func:`~deskcrew.environments.loading_anew.look_anew`."""
        seen, lost, unloaded = look_anew(self.desktop, self.observe, page)
        return self._veil.beside(seen), lost, unloaded

    def look_elsewhere(self, wanted: Elsewhere) -> tuple[Glance, ...]:
        """What other pages show in a separate browser; see :func:`~deskcrew.environments.looking_aside.look_elsewhere`."""
        seen = look_elsewhere(self.desktop, wanted)
        return tuple(replace(each, look=self._veil.beside(each.look)) for each in seen)

    def end_programs(self) -> None:
        """End the desktop and everything on it. Safe to call twice."""
        if self.desktop is not None:
            self.desktop.close()

    def close(self) -> None:
        self.end_programs()
        self.workspace.close()
