"""Cookies and page storage of a run's browser, kept beside the journal and never in it: they are as sensitive as a password.

Each saved state is a file that only its owner can read, named by the number of the run's last event then. States of lanes'
browsers are in separate folders. They never leave this machine: exports leave them out, and removing the run removes them.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Container
from pathlib import Path

from deskcrew.facts.events import OWN_DESK
from deskcrew.facts.liveness import write_private


class Stored:
    """The saved browser states of one run. ``journal``: the journal's file; nothing is saved if it is in memory."""

    def __init__(self, journal: Path, run: str) -> None:
        self._folder = journal.parent / "stored" / run if str(journal) != ":memory:" else None

    def keep(self, number: int, state: str, desk: int = OWN_DESK) -> None:
        """Save a state under the number of the run's current last event. Raises OSError if it cannot be written."""
        if self._folder is not None and (folder := self._of(desk)) is not None:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(exist_ok=True, mode=0o700)
            write_private(folder / f"{number}.json", state)

    def newest(self, numbers: Container[int], desk: int = OWN_DESK) -> str | None:
        """The latest state saved at one of these events; None if there is none, or it cannot be read."""
        if (folder := self._of(desk)) is None or not folder.is_dir():
            return None
        kept = (int(file.stem) for file in folder.glob("*.json") if file.stem.isdecimal())
        newest = max((number for number in kept if number in numbers), default=None)
        if newest is None:
            return None
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return (folder / f"{newest}.json").read_text(encoding="utf-8")
        return None

    def _of(self, desk: int) -> Path | None:
        return self._folder if self._folder is None or desk == OWN_DESK else self._folder / f"desk-{desk}"

    def remove(self) -> None:
        """Remove all saved states of the run."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
