"""Restores a save point: the workspace is again exactly as it was (docs/design/save-points.md).

Safe against a hostile workspace: everything goes through descriptors of folders, no link is followed, files are replaced and
never written to, and nothing is deleted whose content was not kept just before.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from deskcrew.environments.manifest import MODES, Manifest, ManifestEntry, RestoreChanges, changes, kind_of, printable
from deskcrew.environments.save_point import SavePoints
from deskcrew.environments.trees import FOLDER, MAX_DEPTH
from deskcrew.errors import EnvironmentFailure, JournalError

BESIDE = ".deskcrew-"
"""The prefix of temporary file names. A crash may leave one: the next restore removes it like everything that was not
there."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ENDS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "files cannot be that large here",
    errno.EROFS: "the disk is read-only",
    errno.EIO: "the disk has an error",
    errno.EMFILE: "too many files are open",
    errno.ENFILE: "too many files are open",
}
"""Errors that end a restore; any other concerns one path, and the others go on."""


class Restored(NamedTuple):
    """The result of a restore. ``before``: the workspace just before; contents are kept, the list itself is not.

    ``lost``: what could not be restored, one line each, printable. ``exact``: everything is as it was.
    """

    before: Manifest
    changes: RestoreChanges
    lost: tuple[str, ...]
    exact: bool


def restore(points: SavePoints, then: Manifest) -> Restored:
    """Restore the workspace to the state ``then``. Changes only what differs; if it was interrupted, call it again.

    Raises before anything is changed: JournalError if a content is missing or damaged; EnvironmentFailure if the workspace
    cannot be read. Raises on the way: EnvironmentFailure for a full disk and the like; every file then has its old or its
    new content. What fails for one path alone is in ``lost``.
    """
    with points.lock:
        before = _look(points)
        planned = due = changes(before, then, armed=points.armed)
        _check(points, then, planned.written)
        failed: dict[str, str] = {}
        # Twice, since programs may be at work here: what they changed after the look is kept by the next one, and only
        # then replaced.
        for insist in (False, True):
            if not due.work:
                break
            failed = _Pass(points, then, due, insist).run()
            now, _ = points.look()
            due = changes(now, then, armed=points.armed)
    missed = [
        f"{printable(path) or 'The workspace itself'} cannot be restored: {failed.get(path, 'a program keeps changing it')}"
        for path in sorted(due.work)
    ]
    regrets = RestoreChanges(cannot=due.cannot, left=due.left, lost=planned.lost).regrets()
    return Restored(before, planned, (*regrets, *missed), not (due.work or due.cannot or due.left))


def _look(points: SavePoints) -> Manifest:
    """The workspace as it is. A missing folder is created; one that may not be entered is made accessible."""
    try:
        points.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _failure(error, f"The workspace {points.root} cannot be created") from error
    try:
        return points.look()[0]
    except EnvironmentFailure:
        try:
            os.chmod(points.root, 0o700)
        except OSError as error:
            raise _failure(error, f"The workspace {points.root} cannot be opened") from error
        return points.look()[0]


def _check(points: SavePoints, then: Manifest, paths: Iterable[str]) -> None:
    """Raise JournalError unless every content that is needed exists. One at a time, to limit memory."""
    for digest in {then.by_path[path].digest for path in paths}:
        if hashlib.sha256(points.get(digest)).hexdigest() != digest:
            raise JournalError(
                f"The content of a file in the journal is damaged ({digest[:12]}). Nothing was changed.",
                hint="`deskcrew verify RUN` says what is damaged; go back to another save point.",
            )


class _Pass:
    """One pass through everything that differs. ``insist``: also replace what changed since the observation."""

    def __init__(self, points: SavePoints, then: Manifest, due: RestoreChanges, insist: bool) -> None:
        self._points = points
        self._then = then.by_path
        self._due = due
        self._removed = frozenset(due.removed)
        self._lost = frozenset(due.lost)
        self._insist = insist
        self._failed: dict[str, str] = {}
        self._device = 0
        self._work: dict[str, set[str]] = defaultdict(set)
        for path in due.work:
            while path:
                parent, _, name = path.rpartition("/")
                if name in self._work[parent]:
                    break
                self._work[parent].add(name)
                path = parent

    def run(self) -> dict[str, str]:
        """Restore what is due. Returns why paths could not be restored, in words."""
        try:
            descriptor = os.open(self._points.root, FOLDER)
        except OSError as error:
            raise _failure(error, f"The workspace {self._points.root} cannot be opened") from error
        try:
            self._device = os.fstat(descriptor).st_dev
            self._folder(descriptor, "", self._then[""])
        finally:
            os.close(descriptor)
        return self._failed

    def _folder(self, descriptor: int, path: str, entry: ManifestEntry | None) -> None:
        """Do what is due in an open folder, and set its permissions and time. ``entry`` None: it is new since then, and
        stays because of its contents."""
        before = _unlock(descriptor)
        try:
            # What goes, goes first: room for the rest, and a name in other case is no longer there to be found.
            for name in sorted(self._work.get(path, ()), key=lambda name: (_join(path, name) in self._then, name)):
                self._one(descriptor, name, _join(path, name))
        finally:
            mode = stat.S_IMODE(before.st_mode)
            if entry is not None:
                # Whose group new files get stays as it is; it is no permission.
                mode = entry.mode | (mode & stat.S_ISGID)
            self._try(path, lambda: _settle_folder(descriptor, mode, entry))

    def _one(self, parent: int, name: str, path: str) -> None:
        self._try(path, lambda: self._bring(parent, name, path))

    def _try(self, path: str, action: Callable[[], None]) -> None:
        try:
            action()
        except OSError as error:
            if error.errno in _ENDS:
                raise _failure(error, f"Going back stopped at {printable(path) or 'the workspace itself'}") from error
            self._failed[path] = (error.strerror or str(error)).lower()

    def _bring(self, parent: int, name: str, path: str) -> None:
        status = _status(parent, name)
        entry = self._then.get(path)
        if entry is None:
            if status is not None and path in self._removed:
                self._clear(parent, name, path, status, force=False)
            elif status is not None and stat.S_ISDIR(status.st_mode):
                self._enter(parent, name, path, None)
        elif not entry.kept:
            if path in self._due.modes and status is not None and kind_of(status.st_mode) == entry.kind:
                _settle(parent, name, status, entry._replace(mtime_ns=status.st_mtime_ns))
        elif status is None or self._kept(path, status):
            match entry.kind:
                case "folder":
                    self._bring_folder(parent, name, path, status, entry)
                case "link":
                    self._bring_link(parent, name, path, status, entry)
                case _:
                    self._bring_file(parent, name, path, status, entry)

    def _bring_folder(self, parent: int, name: str, path: str, status: os.stat_result | None, entry: ManifestEntry) -> None:
        if status is not None and not stat.S_ISDIR(status.st_mode):
            os.unlink(name, dir_fd=parent)
            status = None
        if status is None:
            os.mkdir(name, 0o700, dir_fd=parent)
        self._enter(parent, name, path, entry)

    def _bring_link(self, parent: int, name: str, path: str, status: os.stat_result | None, entry: ManifestEntry) -> None:
        times = (time.time_ns(), entry.mtime_ns)
        if status is not None and stat.S_ISLNK(status.st_mode) and os.readlink(name, dir_fd=parent) == entry.target:
            os.utime(name, ns=times, dir_fd=parent, follow_symlinks=False)
            return
        beside = BESIDE + secrets.token_hex(8)
        os.symlink(entry.target, beside, dir_fd=parent)
        try:
            os.utime(beside, ns=times, dir_fd=parent, follow_symlinks=False)
            self._swap(parent, beside, name, path, status)
        except BaseException:
            _drop(parent, beside)
            raise

    def _bring_file(self, parent: int, name: str, path: str, status: os.stat_result | None, entry: ManifestEntry) -> None:
        if status is not None and status.st_nlink == 1 and stat.S_ISREG(status.st_mode):
            known = self._points.known(path, status)
            if known is not None and known.digest == entry.digest:
                _settle(parent, name, status, entry)
                return
        # A file with other names, perhaps outside the workspace, gets a copy of its own: those names stay as they are.
        data = self._points.get(entry.digest)
        beside = BESIDE + secrets.token_hex(8)
        descriptor = os.open(beside, _NEW, 0o600, dir_fd=parent)
        try:
            try:
                _write(descriptor, data)
                os.fchmod(descriptor, entry.mode & MODES)
                os.utime(descriptor, ns=(time.time_ns(), entry.mtime_ns))
            finally:
                os.close(descriptor)
            self._swap(parent, beside, name, path, status)
        except BaseException:
            _drop(parent, beside)
            raise

    def _swap(self, parent: int, beside: str, name: str, path: str, status: os.stat_result | None) -> None:
        """Rename a file that was written beside its place to its own name. Atomic, except in place of a folder."""
        if status is not None and stat.S_ISDIR(status.st_mode):
            self._clear(parent, name, path, status, force=True)
        os.rename(beside, name, src_dir_fd=parent, dst_dir_fd=parent)

    def _enter(self, parent: int, name: str, path: str, entry: ManifestEntry | None) -> None:
        descriptor = self._open(parent, name, path)
        try:
            self._folder(descriptor, path, entry)
        finally:
            os.close(descriptor)

    def _open(self, parent: int, name: str, path: str) -> int:
        """Open a folder, even one whose permissions exclude us. Raises OSError if it is not one, or is on another disk."""
        if path.count("/") > MAX_DEPTH:
            raise OSError(errno.ENAMETOOLONG, "Folders are nested too deeply")
        try:
            descriptor = os.open(name, FOLDER, dir_fd=parent)
        except PermissionError:
            status = _status(parent, name)
            if status is None or not stat.S_ISDIR(status.st_mode):
                raise
            _settle(parent, name, status, ManifestEntry(path, "folder", 0o700, status.st_mtime_ns))
            descriptor = os.open(name, FOLDER, dir_fd=parent)
        if os.fstat(descriptor).st_dev != self._device:
            os.close(descriptor)
            raise OSError(errno.EXDEV, "Another disk is mounted there")
        return descriptor

    def _clear(self, parent: int, name: str, path: str, status: os.stat_result, *, force: bool) -> None:
        """Remove a file or folder. A folder stays if something in it must stay; with ``force`` that is an OSError."""
        if not stat.S_ISDIR(status.st_mode):
            if self._kept(path, status):
                os.unlink(name, dir_fd=parent)
            return
        descriptor = self._open(parent, name, path)
        try:
            before = _unlock(descriptor)
            for child in os.listdir(descriptor):
                below = _join(path, child)
                found = _status(descriptor, child)
                if found is not None and (force or below in self._removed):
                    self._clear(descriptor, child, below, found, force=force)
            try:
                os.rmdir(name, dir_fd=parent)
            except OSError as error:
                if force or error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
        finally:
            os.close(descriptor)

    def _kept(self, path: str, status: os.stat_result) -> bool:
        """Whether a file may be removed: its content was kept at the last observation, or is known to be lost, or it has
        none."""
        if self._insist or path in self._lost or not stat.S_ISREG(status.st_mode):
            return True
        return self._points.known(path, status) is not None


def _status(parent: int, name: str) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _settle(parent: int, name: str, status: os.stat_result, entry: ManifestEntry) -> None:
    """Set a file's or folder's permissions and time. Raises OSError if it is no longer the one with ``status``."""
    # O_PATH needs no permission on the file itself, and what it names cannot be swapped for something else.
    descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        found = os.fstat(descriptor)
        if (found.st_dev, found.st_ino) != (status.st_dev, status.st_ino):
            raise OSError(errno.EBUSY, "Something else has taken its name")
        if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
            raise OSError(errno.EMLINK, "It has other hard links, perhaps outside the workspace")
        place = f"/proc/self/fd/{descriptor}"
        if stat.S_IMODE(found.st_mode) != entry.mode:
            os.chmod(place, entry.mode & MODES)
        if found.st_mtime_ns != entry.mtime_ns:
            os.utime(place, ns=(found.st_atime_ns, entry.mtime_ns))
    finally:
        os.close(descriptor)


def _settle_folder(descriptor: int, mode: int, entry: ManifestEntry | None) -> None:
    found = os.fstat(descriptor)
    if stat.S_IMODE(found.st_mode) != mode:
        os.fchmod(descriptor, mode)
    if entry is not None and found.st_mtime_ns != entry.mtime_ns:
        os.utime(descriptor, ns=(found.st_atime_ns, entry.mtime_ns))


def _unlock(descriptor: int) -> os.stat_result:
    """Give us access to an open folder. Returns its previous status."""
    status = os.fstat(descriptor)
    if status.st_mode & 0o700 != 0o700:
        with suppress(PermissionError):  # somebody else's: what is done in it says what is wrong
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode) | 0o700)
    return status


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _drop(parent: int, name: str) -> None:
    with suppress(OSError):
        os.unlink(name, dir_fd=parent)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _failure(error: OSError, what: str) -> EnvironmentFailure:
    reason = _ENDS.get(error.errno or 0, (error.strerror or str(error)).lower())
    return EnvironmentFailure(
        f"{what}: {reason}.",
        hint="Fix that (free some space, for instance) and go back once more: it continues where it stopped, and every file "
        "has its old or its new content.",
    )
