"""New files: which files match a pattern, are new or changed, and are no longer being written.

Polls, because files that came while nobody watched count too, and not every file system reports changes.
"""

from __future__ import annotations

import glob
import os
import stat
import time
from collections.abc import Iterable, Mapping
from itertools import takewhile
from pathlib import Path

import psutil

from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.ways_in.schedules.schedule import SeenFile

SETTLED = 2.0
"""Seconds for which a file has to stay unchanged."""


def fitting(pattern: str) -> dict[str, SeenFile]:
    """The files that match a pattern now, by path, sorted. ``**`` matches any number of folders. Links are left out, as they
    may lead anywhere, and so are hidden files unless the pattern names them."""
    found: dict[str, SeenFile] = {}
    for path in sorted(glob.iglob(pattern, recursive=True)):
        try:
            about = os.lstat(path)
        except OSError:
            continue  # it has gone
        if stat.S_ISREG(about.st_mode):
            found[path] = SeenFile(size=about.st_size, modified=about.st_mtime_ns)
    return found


def pattern_of(text: str, request: RunRequest) -> str:
    """A typed pattern, made absolute. Raises UsageError if the folder to watch does not exist, or runs would be triggered by
    files that they make themselves."""
    pattern = os.path.abspath(os.path.expanduser(text))
    watched = Path(*takewhile(lambda part: not glob.has_magic(part), Path(pattern).parent.parts)).resolve()
    if not watched.is_dir():
        raise UsageError(f"There is no folder {watched} where files could come.", hint=f"Make it first: mkdir -p {watched}")
    place = request.workspace.resolve() if request.workspace is not None and not request.copy else None
    if place is not None and (watched.is_relative_to(place) or place.is_relative_to(watched)):
        hint = "Work in a copy of it (--copy), in another folder, or in a new one for each file (no --workspace)."
        raise UsageError(f"Runs that change {place} would be triggered by their own files.", hint=hint)
    return pattern


class Arrivals:
    """Finds the new files of one pattern. Remembers which files it last saw."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._before: dict[str, tuple[SeenFile, float]] = {}

    def look(self, known: Mapping[str, SeenFile], *, now: float | None = None) -> list[tuple[str, SeenFile]]:
        """The files that are new or different from ``known``, unchanged for :data:`SETTLED` seconds, and not open for
        writing, the least recently changed first. ``now``: seconds of a monotonic clock."""
        now = time.monotonic() if now is None else now
        there = fitting(self.pattern)
        self._before = {
            path: (seen, self._before[path][1] if self._before.get(path, (None,))[0] == seen else now)
            for path, seen in there.items()
            if known.get(path) != seen
        }
        stayed = [path for path, (_, since) in self._before.items() if now - since >= SETTLED]
        written = being_written(stayed)
        ready = [(path, there[path]) for path in stayed if path not in written]
        return sorted(ready, key=lambda each: each[1].modified)


def being_written(paths: Iterable[str]) -> set[str]:
    """The paths that a program has open for writing, as far as can be found out: among programs of the same user."""
    wanted = {os.path.realpath(path): path for path in paths}
    found: set[str] = set()
    if not wanted:
        return found
    for process in psutil.process_iter():
        try:
            open_files = process.open_files()
        except (psutil.Error, OSError):
            continue  # of somebody else, or gone
        # Where the system does not say how a file is open, it may be for writing.
        found |= {wanted[file.path] for file in open_files if file.path in wanted and getattr(file, "mode", "w") != "r"}
    return found
