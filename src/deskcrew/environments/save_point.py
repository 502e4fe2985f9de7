"""Save points: recording the state of a workspace, so that it can be restored exactly (docs/design/save-points.md).

Everything goes through descriptors of folders and follows no link, so that nothing outside the workspace is read whatever a
program in it does meanwhile. ``restoring.py`` restores a save point.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from deskcrew.environments.manifest import GIT, MODES, Manifest, ManifestEntry, kind_of
from deskcrew.environments.trees import FOLDER, HOLES, MAX_DEPTH, holes
from deskcrew.errors import EnvironmentFailure

LARGEST = 256 << 20
"""The maximum size of a file that is kept."""
MOST = 1 << 30
"""The maximum number of bytes that one save point adds."""
MOST_OF_RUN = 4 << 30
"""The maximum number of bytes that all of a run's save points, in one process, add."""
RACY = 50_000_000
"""Nanoseconds. A file read this soon after its last change may change again within the clock's grain: read it again."""
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_TRIES = 3

Identity = tuple[int, int, int, int, int, int]


class Taken(NamedTuple):
    """A save point. ``digest``: blob of the manifest. ``unsaved``: paths that exist but were not kept, printable. ``read``:
    the number of files whose content had to be read."""

    manifest: Manifest
    digest: str
    unsaved: tuple[str, ...]
    read: int


class _Seen(NamedTuple):
    identity: Identity
    entry: ManifestEntry
    racy: bool


class SavePoints:
    """The save points of one workspace. Thread-safe.

    ``put`` stores bytes and returns their SHA-256 (hex); ``get`` returns them and raises a DeskcrewError if it cannot.
    ``largest``: larger files are named, not kept; nor are those that ``keeps`` refuses, that are mostly holes
    (:data:`HOLES`), or that would make a save point add more than ``most`` bytes, or all of them more than ``in_all``.

    ``armed``: files that had set-user-id or set-group-id bits at the last observation. ``lock``: held while the folder is
    observed or changed; reentrant.
    """

    def __init__(
        self,
        root: Path,
        put: Callable[[bytes], str],
        get: Callable[[str], bytes],
        *,
        largest: int = LARGEST,
        keeps: Callable[[bytes], bool] = lambda _: True,
        most: int = MOST,
        in_all: int = MOST_OF_RUN,
    ) -> None:
        self.root = root
        self.most = most
        self.left = in_all
        self.put = put
        self.get = get
        self.largest = largest
        self.keeps = keeps
        self.armed: frozenset[str] = frozenset()
        self.lock = threading.RLock()
        self._seen: dict[str, _Seen] = {}
        self._there: set[str] = set()
        self._room = min(most, in_all)
        self._last: tuple[Manifest, str] | None = None

    def take(self) -> Taken:
        """Record the workspace as it is now. Files that have not changed since the last time are not read again.

        Raises EnvironmentFailure if the workspace does not exist or cannot be read at all, or names in it may not be kept.
        """
        with self.lock:
            manifest, read = self.look()
            if self._last is None or self._last[0] != manifest:
                written = manifest.to_bytes()
                if not self.keeps(written):
                    raise EnvironmentFailure(
                        "The name of a file in the workspace contains one of the run's secrets.", hint="Rename the file."
                    )
                self._last = manifest, self.put(written)
            return Taken(manifest, self._last[1], manifest.unsaved, read)

    def look(self) -> tuple[Manifest, int]:
        """The workspace as it is now, and how many files were read: :meth:`take` without keeping the list itself."""
        with self.lock:
            self._room = min(self.most, self.left)
            walk = _Walk(self._seen, self.largest, self._keep, self.keeps)
            entries = self._walk(walk)
            self._seen, self.armed = walk.seen, frozenset(walk.armed)
            return Manifest(entries), walk.read

    def forget(self) -> None:
        """Trust no earlier observation: the next :meth:`take` reads every file and stores all of it again."""
        with self.lock:
            self._seen, self._last = {}, None
            self._there.clear()

    def known(self, path: str, status: os.stat_result) -> ManifestEntry | None:
        """The entry of a file whose content is kept and that has not changed since the last observation; None otherwise."""
        seen = self._seen.get(path)
        return seen.entry if seen is not None and seen.identity == identity(status) else None

    def _keep(self, data: bytes) -> str:
        """The digest under which ``data`` is stored, '' if there is no room for it."""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in self._there:
            if len(data) > self._room:
                return ""
            self.put(data)
            self._there.add(digest)
            self._room, self.left = self._room - len(data), self.left - len(data)
        return digest

    def _walk(self, walk: _Walk) -> tuple[ManifestEntry, ...]:
        try:
            descriptor = os.open(self.root, FOLDER)
        except OSError as error:
            raise EnvironmentFailure(
                f"The workspace {self.root} cannot be read: {(error.strerror or str(error)).lower()}.",
                hint="Create the folder again, or start with another --workspace.",
            ) from error
        try:
            status = os.fstat(descriptor)
            walk.device = status.st_dev
            walk.entries.append(ManifestEntry("", "folder", status.st_mode & MODES, status.st_mtime_ns))
            walk.folder(descriptor, "", 0)
        except OSError as error:
            raise EnvironmentFailure(
                f"The workspace {self.root} cannot be read: {(error.strerror or str(error)).lower()}.",
                hint="Check its permissions and its disk.",
            ) from error
        finally:
            os.close(descriptor)
        return tuple(sorted(walk.entries))


class _Walk:
    """One complete traversal of a workspace."""

    def __init__(
        self, before: dict[str, _Seen], largest: int, put: Callable[[bytes], str], keeps: Callable[[bytes], bool]
    ) -> None:
        self.entries: list[ManifestEntry] = []
        self.seen: dict[str, _Seen] = {}
        self.armed: set[str] = set()
        self.read = 0
        self.device = 0
        self._before = before
        self._largest = largest
        self._put = put
        self._keeps = keeps

    def folder(self, descriptor: int, path: str, depth: int) -> None:
        """Add everything in an open folder. Raises OSError if it cannot be listed."""
        with os.scandir(descriptor) as items:
            for item in items:
                name = item.name
                if not path and name == GIT:
                    continue
                try:
                    status = item.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue  # it vanished meanwhile
                self._item(descriptor, name, f"{path}/{name}" if path else name, status, depth)

    def _item(self, parent: int, name: str, path: str, status: os.stat_result, depth: int, tries: int = _TRIES) -> None:
        mode = status.st_mode
        entry: ManifestEntry | None
        match kind_of(mode):
            case "file":
                known = self._before.get(path)
                if known is not None and not known.racy and known.identity == identity(status):
                    self.seen[path] = known
                    entry = known.entry
                else:
                    entry = self._file(parent, name, path, status)
                if mode & (stat.S_ISUID | stat.S_ISGID):
                    self.armed.add(path)
            case "folder":
                entry = self._folder(parent, name, path, status, depth)
            case "link":
                entry = _link(parent, name, path, status)
            case _:
                entry = ManifestEntry(path, "other", mode & MODES, status.st_mtime_ns, kept=False)
        if entry is not None:
            self.entries.append(entry)
            return
        try:  # it vanished or became something else since it was listed
            status = os.stat(name, dir_fd=parent, follow_symlinks=False)
        except OSError:
            return
        if tries:
            self._item(parent, name, path, status, depth, tries - 1)

    def _folder(self, parent: int, name: str, path: str, status: os.stat_result, depth: int) -> ManifestEntry | None:
        entry = ManifestEntry(path, "folder", status.st_mode & MODES, status.st_mtime_ns)
        if status.st_dev != self.device or depth >= MAX_DEPTH:
            return entry._replace(kept=False)  # something is mounted here; or nobody works this deep
        try:
            descriptor = os.open(name, FOLDER, dir_fd=parent)
        except OSError as error:
            return None if _vanished(error) else entry._replace(kept=False)
        place = len(self.entries)
        try:
            self.folder(descriptor, path, depth + 1)
        except OSError:
            del self.entries[place:]
            return entry._replace(kept=False)
        finally:
            os.close(descriptor)
        return entry

    def _file(self, parent: int, name: str, path: str, status: os.stat_result) -> ManifestEntry | None:
        """The entry of a file, read and kept; None if it is no longer a file."""
        entry = ManifestEntry(path, "file", status.st_mode & MODES, status.st_mtime_ns, status.st_size, kept=False)
        if status.st_size > self._largest or holes(status) > HOLES:
            return entry
        try:
            descriptor = os.open(name, _FILE, dir_fd=parent)
        except OSError as error:
            return None if _vanished(error) else entry
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            self.read += 1
            began = time.time_ns()
            data, status, steady = _content(descriptor, self._largest)
        except OSError:
            return entry
        finally:
            os.close(descriptor)
        mode, mtime_ns = status.st_mode & MODES, status.st_mtime_ns
        if data is None or not self._keeps(data):
            return ManifestEntry(path, "file", mode, mtime_ns, status.st_size, kept=False)
        if not (digest := self._put(data)):
            return ManifestEntry(path, "file", mode, mtime_ns, status.st_size, kept=False)
        entry = ManifestEntry(path, "file", mode, mtime_ns, len(data), digest=digest)
        # By the time of the last change of anything about it, which unlike the one of its content nobody can set.
        racy = not steady or began - status.st_ctime_ns < RACY
        self.seen[path] = _Seen(identity(status), entry, racy)
        return entry


def identity(status: os.stat_result) -> Identity:
    """A value that changes whenever a file's content does."""
    return (
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode,
    )  # fmt: skip


def _content(descriptor: int, largest: int, tries: int = _TRIES) -> tuple[bytes | None, os.stat_result, bool]:
    """A file's bytes (None: more than ``largest``), its status, and whether both belong together: a file that is constantly
    being written is kept as it was last read."""
    before = os.fstat(descriptor)
    if before.st_size > largest:
        return None, before, False
    os.lseek(descriptor, 0, os.SEEK_SET)
    data = _read(descriptor, before.st_size + 1)
    if identity(os.fstat(descriptor)) == identity(before) and len(data) == before.st_size:
        return data, before, True
    if tries > 1:
        del data
        return _content(descriptor, largest, tries - 1)
    return (data if len(data) <= largest else None), before, False


def _read(descriptor: int, most: int) -> bytes:
    """Up to ``most`` bytes. Usually one read, so that a large file is in memory once."""
    data = os.read(descriptor, most)
    while len(data) < most and (more := os.read(descriptor, most - len(data))):
        data += more
    return data


def _link(parent: int, name: str, path: str, status: os.stat_result) -> ManifestEntry | None:
    try:
        target = os.readlink(name, dir_fd=parent)
    except OSError:
        return None
    return ManifestEntry(path, "link", 0, status.st_mtime_ns, target=target)


def _vanished(error: OSError) -> bool:
    return error.errno in (errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO)
