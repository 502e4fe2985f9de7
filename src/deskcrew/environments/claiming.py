"""One run at a time in a workspace: two would undo each other's work, and a save point would mix what both wrote.

The lock is in the user's runtime folder, named by the folder's identity (device and inode), so that no alias evades the lock
and nothing is put into the user's folder. The kernel releases it however its owner ends.
"""

from __future__ import annotations

import fcntl
import os
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import platformdirs

from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts.liveness import private

_LONGEST = 200
"""The maximum length of the note that names a lock's owner."""


@contextmanager
def claimed(workspace: Path, folder: Path | None = None) -> Generator[Callable[[str], None]]:
    """Hold the lock of a workspace during the context. Yields a function that records the run's name, for others to read.
    ``folder``: where locks are kept; None: the user's runtime folder. Raises UsageError if another run has the lock."""
    if not workspace.exists():
        yield lambda run: None  # it has gone, so nobody works in it
        return
    folder = folder or _folder()
    try:
        if not private(folder):
            raise EnvironmentFailure(
                f"{folder} is not a private folder of yours.", hint="Remove it, or set XDG_RUNTIME_DIR."
            )
        status = os.stat(workspace)
        path = folder / f"{status.st_dev:x}-{status.st_ino:x}"
        descriptor = _locked(path, workspace)
    except OSError as error:
        raise EnvironmentFailure(f"{workspace} cannot be locked: {error.strerror}.", hint=f"Look at {folder}.") from error
    try:
        yield lambda run: _tell(descriptor, run)
    finally:
        path.unlink(missing_ok=True)  # while it is ours: whoever waits for it sees that it is no lock any more
        os.close(descriptor)


def _locked(path: Path, workspace: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(descriptor, _LONGEST, 0).decode(errors="replace") or "Another run"
            os.close(descriptor)
            raise UsageError(
                f"{owner} is working in {workspace}.",
                hint="Wait for it or stop it (`deskcrew runs` lists them), or work in a copy of the folder: --copy.",
            ) from None
        if os.fstat(descriptor).st_nlink:
            _tell(descriptor, "")
            return descriptor
        os.close(descriptor)  # its owner has just given it up and removed it


def _tell(descriptor: int, run: str) -> None:
    said = f"Run {run} (process {os.getpid()})" if run else f"Another run (process {os.getpid()})"
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, said.encode()[:_LONGEST], 0)


def _folder() -> Path:
    with warnings.catch_warnings():
        # Without XDG_RUNTIME_DIR it is in the temporary folder, which is checked before it is used.
        warnings.simplefilter("ignore")
        return Path(platformdirs.user_runtime_dir("deskcrew")) / "workspaces"
