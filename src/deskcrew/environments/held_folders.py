"""Holds a folder of the workspace open during an operation in it, so that no link can be put in its way.

A program on the virtual desktop runs while we act. Between the check of a path and its use it could replace a folder by a
link; a folder that is held open stays the one that was checked.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from deskcrew.environments.trees import FOLDER, MAX_DEPTH, parent_of
from deskcrew.errors import ActionError

READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
"""For a file that may have been replaced by now: follows no link, waits for no writer."""
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def held(root: Path, path: Path, *, make: bool = False) -> Generator[Path]:
    """``path``, which must be resolved and lie below ``root``, by a route that nobody can change during the context.

    Only its last part may change. ``make``: create missing folders. Raises OSError if a part of the route is no longer a
    folder.
    """
    top = os.open(root, FOLDER)
    try:
        folder = parent_of(top, path.relative_to(root).as_posix(), make=make)
    finally:
        os.close(top)
    try:
        yield Path(f"/proc/self/fd/{folder}") / (path.name if path != root else ".")
    finally:
        os.close(folder)


def copy(source: Path, goal: Path, depth: int = 0) -> None:
    """Copy a file, a link as such, or a folder with everything in it. ``goal`` must not exist. Both paths as :func:`held`
    yields them. Raises OSError; ActionError for anything else, and for folders that are nested too deeply (``depth``)."""
    if depth > MAX_DEPTH:
        raise ActionError(f"It has folders more than {MAX_DEPTH} deep; it cannot be copied.")
    mode = source.lstat().st_mode
    if stat.S_ISLNK(mode):
        goal.symlink_to(os.readlink(source))
    elif stat.S_ISDIR(mode):
        os.mkdir(goal)
        with _opened(source) as inside, _opened(goal) as there:
            for name in os.listdir(inside):
                copy(inside / name, there / name, depth + 1)
    elif stat.S_ISREG(mode):
        with open(os.open(source, READ), "rb") as file, open(os.open(goal, NEW, stat.S_IMODE(mode)), "wb") as new:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ActionError(f"{source.name} is not a file or folder; it cannot be copied.")
            shutil.copyfileobj(file, new)
            new.flush()  # what is written after the times are set would change them
            os.utime(new.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
    else:
        raise ActionError(f"{source.name} is not a file or folder; it cannot be copied.")


@contextmanager
def _opened(folder: Path) -> Generator[Path]:
    descriptor = os.open(folder, FOLDER)
    try:
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
