"""The files of one folder that a run may read and write: nothing outside, no links, nothing that is replaced is lost."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from deskcrew_windows_agent.machine import RefusedError
from deskcrew_windows_agent.protocol import LARGEST_FILE, MOST_FILES, FolderEntry

REPLACED = ".deskcrew-replaced"
"""Folder of what a run replaced or removed that it had not written itself."""


class Folder:
    """``root`` None: there is none, and all is refused."""

    def __init__(self, root: Path | None) -> None:
        self.root = root.resolve() if root is not None else None
        self._ours: set[Path] = set()

    def list(self) -> tuple[tuple[FolderEntry, ...], bool]:
        """The files, sorted, and whether there are more. Raises RefusedError."""
        root, found = self._root(), list[FolderEntry]()
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if name != REPLACED)
            for name in sorted(names):
                place = Path(folder, name)
                try:
                    status = place.lstat()
                except OSError:  # it has just gone
                    continue
                if stat.S_ISREG(status.st_mode):
                    if len(found) == MOST_FILES:
                        return tuple(found), True
                    path = place.relative_to(root).as_posix()
                    found.append(FolderEntry(path=path, size=status.st_size, changed=status.st_mtime_ns))
        return tuple(found), False

    def read(self, path: str) -> bytes:
        """What is in a file. Raises RefusedError."""
        place = self._place(path)
        try:
            with place.open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise RefusedError(f"{path} cannot be read: {error.strerror}.") from error
        if len(content) > LARGEST_FILE:
            raise RefusedError(f"{path} is larger than {LARGEST_FILE >> 20} MiB.")
        return content

    def write(self, path: str, content: bytes) -> None:
        """Write a file as a whole. Raises RefusedError."""
        place = self._place(path)
        passing = place.with_name(f".{place.name}.deskcrew")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            passing.write_bytes(content)
            if place not in self._ours:
                self._keep(place)
            os.replace(passing, place)
        except OSError as error:
            passing.unlink(missing_ok=True)
            raise RefusedError(f"{path} cannot be written: {error.strerror}. A program may have it open.") from error
        self._ours.add(place)

    def remove(self, path: str) -> None:
        """Remove a file. Raises RefusedError."""
        place = self._place(path)
        try:
            if place in self._ours:
                place.unlink(missing_ok=True)
            else:
                self._keep(place)
        except OSError as error:
            raise RefusedError(f"{path} cannot be removed: {error.strerror}. A program may have it open.") from error

    def _keep(self, place: Path) -> None:
        if place.exists():
            folder, number = self._root() / REPLACED, 1
            folder.mkdir(exist_ok=True)
            while (goal := folder / f"{number}-{place.name}").exists():
                number += 1
            os.replace(place, goal)

    def _root(self) -> Path:
        if self.root is None:
            raise RefusedError("The agent has no folder for files; it was started without --folder.")
        return self.root

    def _place(self, path: str) -> Path:
        root = self._root()
        parts = path.split("/")
        # A colon names a drive, or a stream beside a file; a backslash separates, too.
        if any(part in ("", ".", "..", REPLACED) or set(part) & set('\\:\0*?"<>|') for part in parts):
            raise RefusedError(f"{path!r} is not a file of the folder.")
        place = root.joinpath(*parts)
        try:
            inside = place.resolve() == place and not (place.exists() and not place.is_file())
        except (OSError, RuntimeError):
            inside = False
        if not inside:
            raise RefusedError(f"{path!r} is not a file of the folder.")
        return place
