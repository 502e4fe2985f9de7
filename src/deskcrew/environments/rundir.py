"""The folder of one running desktop or browser: sockets, frame buffer, start files; swept when its owner has died.

The path is the same inside and outside the sandbox, so that socket addresses which programs hand out are valid on both
sides, and short, because a Unix socket's path may have 107 bytes at most.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import tempfile
from pathlib import Path

import psutil

from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.liveness import held, living, write_private

LONGEST_BASE = 60
"""Bytes; leaves room for the accessibility sockets' own names below it."""


_PATIENCE = 2.0
"""Seconds for killed processes to vanish."""


class RunDir:
    """A run folder owned by this process for as long as its lock is held."""

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock: int | None = lock

    @property
    def x11(self) -> Path:
        """Folder of the X server's socket."""
        return self.path / "x11"

    def record(self, *pids: int) -> None:
        """Record the processes that hold the sandbox, so that a later start can end them if this process dies and they do
        not."""
        noted: list[tuple[int, float]] = []
        for pid in pids:
            with contextlib.suppress(psutil.NoSuchProcess):
                noted.append((pid, psutil.Process(pid).create_time()))
        write_private(record_of(self.path), json.dumps(noted))

    def remove(self) -> None:
        """Remove the folder and give up its lock. Safe to call twice."""
        if self._lock is None:
            return
        record_of(self.path).unlink(missing_ok=True)
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)
        self._lock = None


def base_folder() -> Path:
    """The folder for all run folders of this user, and nothing else, since it is swept: in XDG_RUNTIME_DIR if that is short,
    else in /tmp."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime and len(runtime) < LONGEST_BASE - 20 and os.access(runtime, os.W_OK):
        return Path(runtime) / "deskcrew" / "desktops"
    temporary = tempfile.gettempdir()
    return Path(temporary if len(temporary) < LONGEST_BASE - 20 else "/tmp") / f"deskcrew-{os.getuid()}"


def create_run_dir() -> RunDir:
    """Sweep what dead owners left, then create a new folder. Raises EnvironmentFailure if that fails."""
    base = base_folder()
    try:
        base.parent.mkdir(mode=0o700, exist_ok=True)
        base.mkdir(mode=0o700, exist_ok=True)
        status = base.lstat()
    except OSError as error:
        raise EnvironmentFailure(f"The run folder {base} cannot be created: {error.strerror}.") from error
    if status.st_uid != os.getuid() or base.is_symlink() or status.st_mode & 0o077:
        raise EnvironmentFailure(f"{base} is not a private folder of this user.", hint=f"Remove {base}.")
    with (base / ".lock").open("w") as gate:
        fcntl.flock(gate, fcntl.LOCK_EX)
        sweep(base)
        path = base / secrets.token_hex(4)
        for folder in (path, path / "x11", path / "fb", path / "skel", path / "etc"):
            folder.mkdir(mode=0o700)
        lock = os.open(path / "owner", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return RunDir(path, lock)


def sweep(base: Path) -> list[Path]:
    """Remove the folders under ``base`` whose owner is dead; end their sandboxes. Returns the folders removed.

    The caller holds the gate's lock, so that a folder that is just being created is never taken for a dead one.
    """
    removed: list[Path] = []
    for path in base.iterdir():
        if not path.is_dir() or held(path / "owner"):
            continue
        end_left_over(record_of(path))
        record_of(path).unlink(missing_ok=True)
        shutil.rmtree(path, ignore_errors=True)
        removed.append(path)
    return removed


def record_of(path: Path) -> Path:
    """Where the processes of a run folder's sandbox are recorded: beside it, since programs inside can write into it."""
    return path.with_name(f"{path.name}.json")


def end_left_over(record: Path) -> None:
    """Kill the processes recorded in ``record`` that are still the same (by start time)."""
    try:
        noted = [(int(pid), float(started)) for pid, started in json.loads(record.read_text())]
    except (OSError, ValueError, TypeError):
        return
    left = [process for pid, started in noted if (process := living(pid, started)) is not None]
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=_PATIENCE)
