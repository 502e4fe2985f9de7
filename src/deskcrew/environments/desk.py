"""Everything one run works on: its workspace and, if it has one, its desktop, in one observation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from deskcrew.environments.drawn import with_drawn
from deskcrew.environments.environment import Desktop, Sends
from deskcrew.environments.pointing import Grounder
from deskcrew.environments.redacted import Veil
from deskcrew.environments.workspace import Workspace
from deskcrew.observation import Observation
from deskcrew.search.provider import SearchProvider
from deskcrew.secrets.vault import NONE, Vault

Likeness = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike in meaning a text is to each of several others, at most 1. Blocking; raises ModelFailure."""


class Desk:
    """A workspace folder with or without a desktop in front of it. Blocking. ``vault``: the secrets of the run, which no
    observation shows; ``search``: the web search service, ``grounder``: finds described things in pictures, ``likeness``:
    compares meanings, each None where there is none; ``sees``: somebody is shown pictures; ``points``: somebody may act on
    points of them."""

    def __init__(
        self,
        workspace: Workspace,
        desktop: Desktop | None,
        vault: Vault = NONE,
        search: SearchProvider | None = None,
        *,
        grounder: Grounder | None = None,
        likeness: Likeness | None = None,
        sees: bool = False,
        points: bool = False,
    ) -> None:
        self.workspace = workspace
        self.desktop = desktop
        self.vault = vault
        self.search = search
        self.grounder = grounder
        self.likeness = likeness
        self.sees = sees
        self.points = points
        self._veil = Veil(vault)
        self.most = 1
        """How many desktops or browsers its run may have, this one among them."""

    def at(self, number: int) -> Desk | None:
        """The desk with that number, of those that its run works at; None for one that is not open yet."""
        return self

    def arrive(self, number: int, idle: Iterable[int], page: str = "") -> None:
        """Begin to work at the desk with that number. There is only this one, and it is open."""

    def reopen(self, number: int) -> None:
        """Open the desk with that number, where a run that had it is gone on with. There is only this one."""

    def observe(self, beside: Observation | None = None) -> Observation:
        """One observation of windows, controls and files, with a screenshot where there is a screen and with what pages sent
        since the one before. No value of a secret is in it. ``beside``: the last one, of a desktop that somebody else works
        on: only files are looked at."""
        files = self.workspace.observe().files
        if beside is not None:
            return beside.model_copy(update={"files": self._veil.over(Observation(files=files)).files, "sent": ()})
        if self.desktop is None:
            return self._veil.over(Observation(files=files))
        seen = self.desktop.observe(screenshot=True)
        sent = self.desktop.sent() if isinstance(self.desktop, Sends) else ()
        seen = seen.model_copy(update={"files": files, "sent": sent})
        seen = self._veil.over(seen, self.desktop.observe()) if self._veil else seen
        # After the veil: what is black in the picture is not read either.
        return with_drawn(seen, read=self.points) if self.sees or self.points else seen

    def close(self) -> None:
        if self.desktop is not None:
            self.desktop.close()
        self.workspace.close()
