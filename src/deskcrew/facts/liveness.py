"""Whether the process that a file refers to is still alive: by its pid and start time, or by a lock that it holds.

Used for things that outlive the process that created them: a desktop's folder, a model's server. The files are private to
their owner, since whoever can change one chooses which process is ended or contacted.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from pathlib import Path

import psutil

_TOLERANCE = 1.0
"""Seconds by which two readings of one process's start time may differ (the clock may be adjusted)."""


def living(pid: int, started: float) -> psutil.Process | None:
    """The process with this pid that started at ``started`` (seconds since the epoch).

    None if it is gone or a zombie, or if another process has the pid now.
    """
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - started) < _TOLERANCE
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.NoSuchProcess:
        return None


def held(lock: Path) -> bool:
    """Whether some process holds a lock on the file; the kernel releases it however that process ends. Always False on
    Windows, where nothing runs yet."""
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def private(folder: Path) -> bool:
    """Create a folder that only its owner may enter. Returns False if the path belongs to another user or is not a folder.
    Raises OSError if the folder cannot be created."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.getuid():
        return False
    folder.chmod(0o700)
    return True


def write_private(path: Path, content: str | bytes, *, durable: bool = False) -> None:
    """Write a file atomically, readable by its owner only. ``durable``: it is on the disk when this returns."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if durable:
                file.flush()
                os.fsync(descriptor)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Return once the names of a folder's files are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
