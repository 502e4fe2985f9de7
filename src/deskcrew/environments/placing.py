"""Moves files from one tree into another through open folders, each file atomically."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from deskcrew.environments.manifest import MODES
from deskcrew.environments.trees import HOLES, MAX_DEPTH, TreeEntry, holes, parent_of, remove, walk

FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_BESIDE = ".deskcrew-"
_MARKS = "user.overlay."
"""The prefix of the attributes by which an overlay marks its files."""
_FICLONE = 0x40049409
_CHUNK = 1 << 20


class Place:
    """The open folder that contains a path, and the path's last part."""

    def __init__(self, top: int, path: str, *, make: bool = False) -> None:
        self.descriptor = parent_of(top, path, make=make)
        self.name = path.rpartition("/")[2]

    @classmethod
    def of(cls, found: TreeEntry) -> Place:
        place = cls.__new__(cls)
        place.descriptor, place.name = found.folder, found.name
        return place

    def status(self) -> os.stat_result | None:
        try:
            return os.stat(self.name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def close(self) -> None:
        os.close(self.descriptor)


@contextmanager
def opened(folder: Path) -> Generator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def move(source: Place, place: Place, status: os.stat_result) -> None:
    """Put what a program wrote into its place atomically: at any moment the place has its old or its new content."""
    if stat.S_ISREG(status.st_mode):
        _cleaned(source, status)
    try:
        os.rename(source.name, place.name, src_dir_fd=source.descriptor, dst_dir_fd=place.descriptor)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    # The same name again after a kill, so that what lies half written is written again.
    beside = _BESIDE + hashlib.sha256(os.fsencode(place.name)).hexdigest()[:32]
    remove(place.descriptor, beside)
    if stat.S_ISLNK(status.st_mode):
        os.symlink(os.readlink(source.name, dir_fd=source.descriptor), beside, dir_fd=place.descriptor)
    else:
        copy_file(source, place, beside, status)
    os.rename(beside, place.name, src_dir_fd=place.descriptor, dst_dir_fd=place.descriptor)
    os.unlink(source.name, dir_fd=source.descriptor)


def _cleaned(source: Place, status: os.stat_result) -> None:
    """Remove a file's set-id bits, and the overlay's marks."""
    descriptor = os.open(source.name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=source.descriptor)
    try:
        place = f"/proc/self/fd/{descriptor}"
        if stat.S_IMODE(status.st_mode) & ~MODES:
            os.chmod(place, status.st_mode & MODES)
        with suppress(OSError):  # a disk without them, or a file that we may not write
            for name in os.listxattr(place):
                if name.startswith(_MARKS):
                    os.removexattr(place, name)
    finally:
        os.close(descriptor)


def copy_tree(source: Path, goal: Path, takes: Callable[[TreeEntry], bool]) -> Generator[tuple[TreeEntry, os.stat_result]]:
    """Copy the contents of one folder into another, empty one, and yield what was copied, with its status there. Links stay
    links; sockets, pipes and devices are left out, as is what ``takes`` refuses, with everything in it. Raises OSError."""
    with opened(source) as top, opened(goal) as into:
        for found in walk(top, lambda found: takes(found) and found.depth < MAX_DEPTH):
            if takes(found) and (status := take(found, into)) is not None:
                yield found, status


def take(found: TreeEntry, goal: int) -> os.stat_result | None:
    """Copy one file, link or folder, without its contents, to the same path below another open folder. Returns its status
    there; None for anything else, which is not copied. Raises OSError."""
    with closing(Place(goal, found.path, make=True)) as place:
        match stat.S_IFMT(found.status.st_mode):
            case stat.S_IFDIR:
                os.mkdir(place.name, 0o700, dir_fd=place.descriptor)
            case stat.S_IFLNK:
                os.symlink(os.readlink(found.name, dir_fd=found.folder), place.name, dir_fd=place.descriptor)
            case stat.S_IFREG:
                copy_file(Place.of(found), place, place.name, found.status)
            case _:
                return None
        return place.status()


def copy_file(source: Place, place: Place, name: str, status: os.stat_result) -> None:
    """Copy a file with its permissions, times and holes, sharing blocks if the disk can."""
    reading = os.open(source.name, FILE, dir_fd=source.descriptor)
    try:
        writing = os.open(name, _NEW, 0o600, dir_fd=place.descriptor)
        try:
            try:
                fcntl.ioctl(writing, _FICLONE, reading)
            except OSError:
                _copy_data(reading, writing, status.st_size)
            if os.geteuid() == 0:
                os.fchown(writing, status.st_uid, status.st_gid)
            os.fchmod(writing, status.st_mode & MODES)
            os.utime(writing, ns=(status.st_atime_ns, status.st_mtime_ns))
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _copy_data(reading: int, writing: int, size: int) -> None:
    at = 0
    while at < size:
        try:
            at = os.lseek(reading, at, os.SEEK_DATA)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            break  # a hole up to the end
        end = os.lseek(reading, at, os.SEEK_HOLE)
        while at < end:
            data = os.pread(reading, min(_CHUNK, end - at), at)
            if not data:
                break
            at += os.pwrite(writing, data, at)
    os.ftruncate(writing, size)


def read(root: Path, path: str, most: int) -> bytes | None:
    """The first ``most`` bytes of a file; None if it is not a file, or may not be read."""
    try:
        with opened(root) as top, closing(Place(top, path)) as place:
            descriptor = os.open(place.name, FILE, dir_fd=place.descriptor)
        with open(descriptor, "rb") as file:
            return file.read(most) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    except OSError:
        return None


def digest(root: Path, path: str) -> bytes:
    """The digest of a whole file. One that cannot be read equals no other, and neither does one that is mostly holes:
    terabytes of nothing take no space and hours to read."""
    try:
        with opened(root) as top, closing(Place(top, path)) as place:
            descriptor = os.open(place.name, FILE, dir_fd=place.descriptor)
        with open(descriptor, "rb") as file:
            if holes(os.fstat(descriptor)) <= HOLES:
                return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        pass
    return b"unread " + os.fsencode(root / path)


def target(root: Path, path: str) -> bytes:
    try:
        with opened(root) as top, closing(Place(top, path)) as place:
            return os.fsencode(os.readlink(place.name, dir_fd=place.descriptor))
    except OSError:
        return b""
