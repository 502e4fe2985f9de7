"""What tests of save points share: blobs in memory, and a folder's state as seen by plain system calls."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from pathlib import Path


class Blobs(dict[str, bytes]):
    """A content-addressed store. ``puts``: what was given to it, also twice."""

    def __init__(self) -> None:
        super().__init__()
        self.puts: list[bytes] = []

    def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self[digest] = data
        self.puts.append(data)
        return digest


def state(root: Path, *, git: bool = False) -> dict[bytes, tuple[object, ...]]:
    """Type, permissions, time and content of everything, by path; without the top ``.git`` unless asked for."""
    found: dict[bytes, tuple[object, ...]] = {}

    def look(path: bytes, name: bytes) -> None:
        status = os.lstat(path)
        common = (stat.S_IFMT(status.st_mode), status.st_mtime_ns)
        if stat.S_ISLNK(status.st_mode):
            found[name] = (*common, os.readlink(path))
            return
        mode = stat.S_IMODE(status.st_mode)
        if stat.S_ISDIR(status.st_mode):
            found[name] = (*common, mode)
            for child in os.listdir(path):
                if git or name or child != b".git":
                    look(path + b"/" + child, name + b"/" + child)
        elif stat.S_ISREG(status.st_mode):
            with open(path, "rb") as file:
                found[name] = (*common, mode, file.read())
        else:
            found[name] = (*common, mode)

    look(os.fsencode(root), b"")
    return found


def written(below: Path, name: str) -> bool:
    """Whether a program has written a file of that name: until it has ended, what it writes lies in its layer. ``below``: a
    folder that holds the workspace and the data of the run."""
    with contextlib.suppress(FileNotFoundError):  # a folder that came and went while it was looked for
        return any(below.rglob(name))
    return False
