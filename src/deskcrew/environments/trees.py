"""Traverses folder trees of any depth: without recursion, without many open folders, without long paths.

A program can create a tree of thousands of levels in a second. Recursing into it ends at the interpreter's limit, holding
every level open runs out of descriptors, and its paths are longer than the kernel takes.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
MAX_DEPTH = 100
"""The maximum nesting depth. What is deeper is not observed or kept; nobody works there, but a hostile program may dig."""
HOLES = 16 << 20
"""The maximum size of a file's holes, which are not on the disk and are read as zeros. A file with more is not read."""
HELD = 32
"""The maximum number of folders held open on one path."""


class TreeEntry(NamedTuple):
    """Something in a tree. ``path``: below the tree's top, with '/'. ``folder``: the descriptor of the folder that contains
    it, valid until the next entry is requested. ``depth``: the number of folders between it and the top."""

    path: str
    name: str
    folder: int
    status: os.stat_result
    depth: int

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.status.st_mode)


def holes(status: os.stat_result) -> int:
    """Bytes of a sparse file that take no space on the disk."""
    return status.st_size - status.st_blocks * 512


def shallow(found: TreeEntry) -> bool:
    """Whether a folder is not too deep to be entered."""
    return found.depth < MAX_DEPTH


class TreeWay:
    """The current position below an open folder. Going up again ends with an OSError if a folder was moved away meanwhile,
    so that nobody can lead us out."""

    def __init__(self, top: int) -> None:
        self._levels = [_Level(os.dup(top))]

    @property
    def at(self) -> int:
        """Descriptor of the current folder."""
        return self._levels[-1].descriptor

    def enter(self, name: str) -> None:
        """Enter a folder. Raises OSError if it is not one, or may not be read."""
        self._levels.append(_Level(os.open(name, FOLDER, dir_fd=self.at)))
        far = len(self._levels) - 1 - HELD
        if far > 0:
            self._levels[far].close()

    def leave(self) -> None:
        """Go up again."""
        inner = self._levels.pop()
        try:
            self._levels[-1].open_from(inner.descriptor)
        finally:
            inner.close()

    def close(self) -> None:
        for level in self._levels:
            level.close()


class _Level:
    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        status = os.fstat(descriptor)
        self._identity = status.st_dev, status.st_ino

    def open_from(self, inner: int) -> None:
        if self.descriptor >= 0:
            return
        descriptor = os.open("..", FOLDER, dir_fd=inner)
        status = os.fstat(descriptor)
        if (status.st_dev, status.st_ino) != self._identity:
            os.close(descriptor)
            raise OSError(errno.ESTALE, "A folder was moved away meanwhile")
        self.descriptor = descriptor

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def walk(top: int, into: Callable[[TreeEntry], bool] = lambda found: True) -> Iterator[TreeEntry]:
    """Everything below an open folder, sorted by name within each folder, folders before their contents; no link is
    followed. ``into``: whether to enter a folder. What vanishes meanwhile or may not be read is left out. Raises OSError if
    the top cannot be read, or the current folder is moved away."""
    way = TreeWay(top)
    try:
        waiting = [iter(_listed(way.at))]
        names: list[str] = []
        while waiting:
            each = next(waiting[-1], None)
            if each is None:
                waiting.pop()
                if names:
                    names.pop()
                    way.leave()
                continue
            name, status = each
            found = TreeEntry("/".join((*names, name)), name, way.at, status, len(names))
            yield found
            if not (found.is_folder and into(found)):
                continue
            try:
                way.enter(name)
            except OSError:
                continue
            names.append(name)
            try:
                waiting.append(iter(_listed(way.at)))
            except OSError:
                waiting.append(iter(()))
    finally:
        way.close()


def remove(parent: int, name: str) -> None:
    """Remove a file or a folder with everything in it, even if permissions exclude its owner. Does nothing if there is none.
    Raises OSError."""
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(status.st_mode):
        os.unlink(name, dir_fd=parent)
        return
    way = TreeWay(parent)
    try:
        _enter(way, name)
        waiting = [(name, _emptied(way.at))]
        while waiting:
            here, folders = waiting[-1]
            if folders:
                inner = folders.pop()
                _enter(way, inner)
                waiting.append((inner, _emptied(way.at)))
                continue
            waiting.pop()
            way.leave()
            os.rmdir(here, dir_fd=way.at)
    finally:
        way.close()


def opened_up(folder: int, name: str, status: os.stat_result) -> None:
    """Give a folder's owner access to it if its permissions do not. Follows no link; does nothing if that is impossible."""
    if status.st_mode & 0o700 == 0o700:
        return
    with suppress(OSError):
        found = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.chmod(f"/proc/self/fd/{found}", stat.S_IMODE(status.st_mode) | 0o700)
        finally:
            os.close(found)


def _enter(way: TreeWay, name: str) -> None:
    status = os.stat(name, dir_fd=way.at, follow_symlinks=False)
    opened_up(way.at, name, status)
    way.enter(name)


def _emptied(folder: int) -> list[str]:
    """Remove all files of a folder; returns the folders that are left."""
    left: list[str] = []
    for name, status in _listed(folder):
        if stat.S_ISDIR(status.st_mode):
            left.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return left


def _listed(folder: int) -> list[tuple[str, os.stat_result]]:
    found: list[tuple[str, os.stat_result]] = []
    with os.scandir(folder) as items:
        for item in items:
            with suppress(FileNotFoundError):  # it vanished meanwhile
                found.append((item.name, item.stat(follow_symlinks=False)))
    return sorted(found)


def parent_of(top: int, path: str, *, make: bool = False) -> int:
    """The open folder that contains ``path``, below the open folder ``top``; the caller closes it. Follows no link.
    ``make``: create missing folders. Raises OSError."""
    folder = os.dup(top)
    try:
        for part in path.split("/")[:-1]:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=folder)
            inner = os.open(part, FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
    except BaseException:
        os.close(folder)
        raise
    return folder
