"""What of the machine itself only one test may change or compare at a time, whichever worker it runs in."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

WAIT = 240.0
"""Seconds."""


@contextmanager
def alone() -> Iterator[None]:
    """For who mounts something, or compares all mounts, settings and keyrings before and after."""
    with FileLock(Path(tempfile.gettempdir()) / "deskcrew-tests-machine.lock", timeout=WAIT):
        yield


def let_others_in(folder: Path) -> None:
    """Everybody may go through the folders above `folder`: pytest makes its own for root alone."""
    for parent in folder.parents:
        mode = parent.stat().st_mode
        if mode & 0o005 != 0o005:
            parent.chmod(mode | 0o055)
