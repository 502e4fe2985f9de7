"""All that one run works on: its workspace and, if it has one, its desktop, seen in one look."""

from __future__ import annotations

from deskcrew.environments.environment import Desktop
from deskcrew.environments.workspace import Workspace
from deskcrew.observation import Observation


class Desk:
    """A workspace folder with or without a desktop in front of it. Blocking."""

    def __init__(self, workspace: Workspace, desktop: Desktop | None) -> None:
        self.workspace = workspace
        self.desktop = desktop

    def observe(self) -> Observation:
        """One observation of windows, controls and files, with a screenshot where there is a screen."""
        files = self.workspace.observe().files
        if self.desktop is None:
            return Observation(files=files)
        return self.desktop.observe(screenshot=True).model_copy(update={"files": files})

    def close(self) -> None:
        if self.desktop is not None:
            self.desktop.close()
        self.workspace.close()
