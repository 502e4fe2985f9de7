"""Connects to sockets at addresses that programs report.

A program can report any address, and put a link or another socket in the place that it reported. On a virtual desktop only
sockets in its own folder are connected to, by a path without links, and only if a process of the sandbox listens there.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
from collections.abc import Callable
from pathlib import Path

import psutil

from deskcrew.environments.held_folders import held

Dial = Callable[[str, float], socket.socket]
"""Connects to a Unix socket (its path, or its name after a ``\\0``) within that many seconds. Raises OSError."""
_CREDENTIALS = struct.Struct("3i")


def anywhere(address: str, seconds: float) -> socket.socket:
    """Connect without restrictions: for the user's own session, whose programs may do all that the user may."""
    plug = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        plug.settimeout(seconds)
        plug.connect(address)
    except OSError:
        plug.close()
        raise
    return plug


class Inside:
    """Connects to sockets inside one sandbox. ``folder``: contains the sockets; ``first``: the ancestor of all its
    processes."""

    def __init__(self, folder: Path, first: int) -> None:
        self._folder = folder
        self._first = first

    def __call__(self, address: str, seconds: float) -> socket.socket:
        """Connect. Raises OSError, PermissionError for a socket that is not of this sandbox."""
        path = Path(address)
        if "\0" in address or ".." in path.parts or not path.is_relative_to(self._folder) or path == self._folder:
            raise PermissionError(errno.EACCES, "it is not in the folder of the desktop")
        with held(self._folder, path) as place:
            found = os.open(place, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not stat.S_ISSOCK(os.fstat(found).st_mode):
                raise PermissionError(errno.EACCES, "it is not a socket")
            plug = anywhere(f"/proc/self/fd/{found}", seconds)  # this one, whatever lies at its place by now
        finally:
            os.close(found)
        if not self.holds(plug):
            plug.close()
            raise PermissionError(errno.EACCES, "no program of the desktop listens there")
        return plug

    def holds(self, plug: socket.socket) -> bool:
        """Whether the process at the other end, as the kernel recorded it, belongs to the sandbox."""
        raw = plug.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        pid = _CREDENTIALS.unpack(raw)[0]
        try:
            family = (pid, *(parent.pid for parent in psutil.Process(pid).parents()))
        except (psutil.NoSuchProcess, ValueError):
            return False
        return self._first in family
