"""Cookies and page storage of a run's browser, kept beside the journal and never in it: they are as good as a password.

A file for each moment it was kept at, named by the number of the run's last event then, which its owner alone may read. It
belongs to this machine: exports leave it out, and removing the run removes it.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Container
from pathlib import Path

from deskcrew.liveness import write_private


class Stored:
    """What was kept of one run. ``journal``: the journal's file; nothing is kept beside one that is in memory."""

    def __init__(self, journal: Path, run: str) -> None:
        self._folder = journal.parent / "stored" / run if str(journal) != ":memory:" else None

    def keep(self, number: int, state: str) -> None:
        """Keep what was stored when the event of that number was the last. Raises OSError where there is no room."""
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_private(self._folder / f"{number}.json", state)

    def newest(self, numbers: Container[int]) -> str | None:
        """What was kept last at one of these events; None where nothing was, or it cannot be read."""
        if self._folder is None or not self._folder.is_dir():
            return None
        kept = (int(file.stem) for file in self._folder.glob("*.json") if file.stem.isdecimal())
        newest = max((number for number in kept if number in numbers), default=None)
        if newest is None:
            return None
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return (self._folder / f"{newest}.json").read_text(encoding="utf-8")
        return None

    def remove(self) -> None:
        """Remove all of it."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
