"""Keeps the workspace and the agent's folder the same: files that programs save on Windows are in the workspace, and so in
its save points, from the next observation on; files that a run writes or restores there are on Windows before it acts.

If both are one folder, as with WSL or a share, nothing is copied.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from deskcrew.environments.held_folders import NEW, READ
from deskcrew.environments.windows.remote import WindowsMachine
from deskcrew.environments.workspace import Workspace
from deskcrew.errors import ActionError, EnvironmentFailure
from deskcrew_windows_agent.protocol import LARGEST_FILE, MOST_FILES


class Stamp(NamedTuple):
    """Distinguishes states of a file: its size, and when it was changed, in nanoseconds."""

    size: int
    changed: int


NOTHING: Mapping[str, Stamp] = {}


class Mirror:
    """Copies files both ways. ``note``: where programs on Windows find them, and what was not copied; for observations."""

    def __init__(self, machine: WindowsMachine, workspace: Workspace) -> None:
        self._machine = machine
        self._workspace = workspace
        self._shared = self._is_shared()
        self._here, self._there = NOTHING, NOTHING
        self.note = ""

    def _is_shared(self) -> bool:
        mark = self._workspace.root / f".deskcrew-{secrets.token_hex(8)}"
        mark.touch()
        try:
            return any(file.path == mark.name for file in self._machine.files())
        finally:
            mark.unlink()

    def carry(self) -> None:
        """Copy what has changed on either side since the last time. If both have changed, or differ the first time, the
        workspace's version counts; the agent keeps the other. Raises EnvironmentFailure."""
        lost: dict[str, str] = {}
        if not self._shared:
            here, there = self._listed_here(), self._listed_there()
            for path in sorted({*here, *there, *self._here, *self._there}):
                mine, theirs = here.get(path), there.get(path)
                try:
                    if mine != self._here.get(path):
                        self._send(path, mine, theirs)
                    elif theirs != self._there.get(path):
                        self._fetch(path, theirs)
                except ActionError as error:
                    lost[path] = f"{path} differs on Windows: {error}"
            # What a program has changed meanwhile, and what could not be carried, is carried the next time.
            self._here = {path: stamp for path, stamp in self._listed_here().items() if path not in lost}
            now = self._listed_there()
            self._there = {path: now[path] for path in now if path not in lost and self._carried(path, now[path], there)}
        folder = self._machine.welcome.folder
        self.note = " ".join((f"For programs, the files of the workspace are in {folder}.", *lost.values()))

    def _carried(self, path: str, stamp: Stamp, before: Mapping[str, Stamp]) -> bool:
        """Whether a file there is as it was before, or has just been sent."""
        mine = self._here.get(path)
        return before.get(path) == stamp or (mine is not None and mine.size == stamp.size)

    def _listed_here(self) -> Mapping[str, Stamp]:
        files = self._workspace.observe().files
        return {each.path: Stamp(each.size, each.mtime_ns) for each in files if each.kind == "file"}

    def _listed_there(self) -> Mapping[str, Stamp]:
        files = self._machine.files()
        if len(files) == MOST_FILES:
            hint = "Start the agent with a smaller --folder."
            raise EnvironmentFailure(f"The agent's folder has {MOST_FILES} files or more.", hint=hint)
        return {each.path: Stamp(each.size, each.changed) for each in files}

    def _send(self, path: str, mine: Stamp | None, theirs: Stamp | None) -> None:
        if mine is None:
            if theirs is not None:
                self._machine.remove(path)
            return
        if mine.size > LARGEST_FILE:
            raise ActionError(f"it is larger than {LARGEST_FILE >> 20} MiB.")
        content = self._read(path)
        # The first time, both may have it.
        if theirs is None or theirs.size != mine.size or self._machine.read(path) != content:
            self._machine.write(path, content)

    def _fetch(self, path: str, theirs: Stamp | None) -> None:
        place = self._workspace.resolve(path)
        self._workspace.changeable(place)
        if theirs is None:
            with suppress(FileNotFoundError), self._workspace.held(place) as real:
                os.unlink(real)
            return
        content = self._machine.read(path)
        try:
            with self._workspace.held(place, make=True) as real:
                passing = Path(f"{real}.{secrets.token_hex(4)}")
                with open(os.open(passing, NEW, 0o644), "wb") as file:
                    file.write(content)
                os.replace(passing, real)
        except OSError as error:
            raise ActionError(f"it cannot be written: {error.strerror}.") from error

    def _read(self, path: str) -> bytes:
        place = self._workspace.resolve(path, must_exist=True)
        try:
            with self._workspace.held(place) as real, open(os.open(real, READ), "rb") as file:
                return file.read(LARGEST_FILE)
        except OSError as error:
            raise ActionError(f"it cannot be read: {error.strerror}.") from error
