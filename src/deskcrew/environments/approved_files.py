"""Files and folders as they were shown to the person who approved an operation on them, and as they are now."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from deskcrew.facts.canonical import canonical
from deskcrew.facts.observation import FileEntry, Observation, ShownFile


def of_look(path: str, entries: dict[str, FileEntry]) -> ShownFile:
    """The state of a path in an observation."""
    if path == ".":
        return ShownFile(path=path, kind="folder")
    entry = entries.get(path)
    if entry is None:
        return ShownFile(path=path, kind="none")
    if entry.kind == "folder":
        within = [each for name, each in sorted(entries.items()) if name.startswith(f"{path}/")]
        return ShownFile(path=path, kind="folder", size=len(within), digest=_digest_of(within))
    digest = entry.digest or ""
    return ShownFile(
        path=path,
        kind=entry.kind,
        size=entry.size if entry.kind == "file" else 0,
        digest=digest,
        mtime_ns=0 if digest or entry.kind != "file" else entry.mtime_ns,
    )


def _digest_of(entries: list[FileEntry]) -> str:
    shown = [[each.path, each.kind, each.size if each.kind == "file" else 0, _content(each)] for each in entries]
    return hashlib.sha256(canonical(shown)).hexdigest()


def _content(entry: FileEntry) -> str:
    """A value that changes whenever a file's content does: its digest, or the time it was written if too large to read."""
    return entry.digest or (str(entry.mtime_ns) if entry.kind == "file" else "")


def on_disk(shown: ShownFile, root: Path, look: Callable[[], Observation]) -> ShownFile:
    """The present state of the shown path below ``root``. A folder is listed in full, a file is read."""
    if shown.path == ".":
        return shown
    if shown.kind == "folder":
        return of_look(shown.path, {entry.path: entry for entry in look().files})
    path = root / shown.path
    try:
        status = path.lstat()
    except FileNotFoundError:
        return ShownFile(path=shown.path, kind="none")
    if not stat.S_ISREG(status.st_mode):
        kind = "folder" if stat.S_ISDIR(status.st_mode) else "link" if stat.S_ISLNK(status.st_mode) else "other"
        return ShownFile(path=shown.path, kind=kind)
    # Of another size it is another one: whatever it has become, terabytes of holes too, it need not be read for that.
    if not shown.digest or status.st_size != shown.size:
        return ShownFile(path=shown.path, kind="file", size=status.st_size, mtime_ns=status.st_mtime_ns)
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ShownFile(path=shown.path, kind="file", size=status.st_size, digest=digest)
