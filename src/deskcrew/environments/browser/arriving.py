"""Files that a browser puts into a folder of the run's own: moved to the workspace if the crew asked for them, else reported
and deleted. Files that are saved under a name of the crew's choosing are not among them."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from deskcrew.environments.browser.downloads import LARGEST, HandedOver, fit, keep
from deskcrew.environments.changes import size_words
from deskcrew.environments.trees import FOLDER

UNFINISHED = (".crdownload", ".tmp")
LOST_SECONDS = 5.0
"""Seconds that a file may take to arrive if its page has gone, so that its progress is no longer reported."""


@dataclass
class Coming:
    """A file that was asked for. ``done``: the browser has finished it; ``lost``: when its page went away, None if it is
    there."""

    name: str
    session: str
    done: bool = False
    lost: float | None = None
    waited: bool = False
    """Whether it was waited for in vain."""


class Arriving(HandedOver):
    """The files of one browser."""

    def __init__(self, folder: Path, workspace: Path) -> None:
        """``folder``: where the browser puts downloaded files. It is held open: programs beside the browser could put a link
        in its place. Raises OSError."""
        super().__init__()
        self._held = os.open(folder, FOLDER)
        self._folder: Path | None = Path(f"/proc/self/fd/{self._held}")
        self._workspace = workspace
        self.going: dict[str, Coming] = {}
        """The files that were asked for and have not arrived yet, by the browser's ids."""

    @property
    def coming(self) -> list[str]:
        return [coming.name for coming in self.going.values()]

    def begins(self, id: str, name: str, session: str, *addresses: str) -> None:
        """A page begins to hand over a file. ``addresses``: its address and those that redirected to it."""
        if any(map(self.asked_for, addresses)):
            self.expect(None)
            self.going[id] = Coming(name, session)

    def ends(self, id: str, *, failed: bool) -> None:
        """The browser has finished a file, or given it up (``failed``)."""
        if id in self.going:
            self.going[id].done = True
            if failed:
                self._give_up(id, "it was broken off")

    def lose(self, session: str) -> None:
        """A page has gone: the progress of its files is no longer reported."""
        for coming in self.going.values():
            if coming.session == session:
                coming.lost = time.monotonic()

    def _give_up(self, id: str, why: str) -> None:
        self.notes.append(f"{fit(self.going.pop(id).name)} was not downloaded: {why}.")

    def collect(self) -> None:
        """Move files that were asked for and have arrived to the workspace, and delete all others."""
        if self._folder is None:
            return
        files = [file for file in self._folder.iterdir() if not file.is_dir()]
        there = [file for file in files if not file.name.endswith(UNFINISHED) and not file.name.startswith(".")]
        still = len(there) < len(files)
        for id, coming in list(self.going.items()):
            # Of one whose page has gone only the folder tells, once nothing is being written there any longer.
            if not coming.done and (coming.lost is None or still):
                continue
            fitting = there if len(there) == 1 else [file for file in there if _called(file.name, coming.name)]
            if len(fitting) == 1:
                self._take(id, fitting[0])
                there = [file for file in there if file != fitting[0]]
            elif fitting:
                self._give_up(id, "others of the same name came with it; ask for it again")
            elif coming.done:  # it was saved elsewhere, under a name that was asked for in a window
                del self.going[id]
            elif time.monotonic() - (coming.lost or 0.0) > LOST_SECONDS:
                self._give_up(id, "it did not come")
        for file in there if not self.going else ():
            self.offer(fit(file.name), f" ({size_words(file.lstat().st_size)})")
            file.unlink()

    def _take(self, id: str, file: Path) -> None:
        try:
            if file.lstat().st_size > LARGEST:
                self._give_up(id, f"it is larger than {LARGEST >> 20} MB")
            else:
                self.landed.append(keep(file, self._workspace, fit(file.name)))
                self.notes.append(f"Downloaded {self.landed[-1]}.")
                del self.going[id]
        except OSError as error:
            self._give_up(id, str(error.strerror))
        file.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the folder. Safe to call twice."""
        if self._folder is not None:
            self._folder = None
            os.close(self._held)


def _called(name: str, wanted: str) -> bool:
    """Whether a file has the wanted name, or the wanted name with a number, as given when the name was taken."""
    path = PurePosixPath(wanted)
    number = name[len(path.stem) + 2 : len(name) - len(path.suffix) - 1]
    return name == wanted or (number.isdecimal() and name == f"{path.stem} ({number}){path.suffix}")
