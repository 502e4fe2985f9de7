"""A layer over the workspace: a program's writes go into it, and are applied to the workspace only after a decision.

The program sees the workspace as usual. Its writes go to a folder of their own, by the kernel's overlay file system, which
an ordinary user may mount in a namespace of their own; as a fallback, where the kernel has none, the program works on a
copy. Afterwards :meth:`Layer.changes` says what it did, and :meth:`Layer.land` applies that to the workspace, file by file.
docs/design/guard.md describes the sequence.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from deskcrew.environments.beginning import Beginning, in_trash
from deskcrew.environments.changes import COMPARED, DESTROYED, Change, Changes, Kind, remains, renamed
from deskcrew.environments.manifest import MODES, printable
from deskcrew.environments.obeyed import LONGEST, Fence, Sides
from deskcrew.environments.placing import Place, copy_tree, digest, move, opened, read, target
from deskcrew.environments.trees import FOLDER, MAX_DEPTH, TreeEntry, parent_of, remove, shallow, walk
from deskcrew.errors import EnvironmentFailure

_OPAQUE = "user.overlay.opaque"
# Names within one folder, so that no path has to be escaped; nothing is written back to the disk when it goes.
_MOUNT = (
    'cd "$1" && shift && mount -t overlay overlay '
    '-o lowerdir=lower,upperdir=upper,workdir=work,userxattr,volatile,nosuid,nodev merged && exec "$@"'
)
_WAYS = (("unshare", "--mount"), ("unshare", "--user", "--map-root-user", "--mount"))
"""Ways to get a mount of our own: as root, so that other users' files stay theirs; as anybody."""
_MOST_RENAMED = 100
"""The maximum number of missing files that are searched for among new ones."""


class _Touched(NamedTuple):
    """A path that has changed. ``before``: its entry in the workspace, None: not there; ``after``: as the program left it,
    None: removed."""

    path: str
    before: os.stat_result | None
    after: os.stat_result | None

    @property
    def kinds(self) -> tuple[int, int]:
        return _kind(self.before), _kind(self.after)


class Layer(ABC):
    """One program's layer. ``hidden``: paths of the workspace that do not exist for the program. Made by :func:`layer`.

    Call :meth:`wrap` before the program starts, the other methods after it has ended, and :meth:`drop` in any case.
    """

    def __init__(self, workspace: Path, folder: Path, hidden: Sequence[str] = ()) -> None:
        self.workspace = workspace
        self.folder = folder
        self.hidden = frozenset(hidden)
        # What is changed from here on, somebody else changes: files carry the time of their last change, and nobody can set
        # it. The kernel's clock for that may be a tick behind, in which no program has started yet.
        self.began = time.time_ns()

    @property
    @abstractmethod
    def inside(self) -> Path:
        """The folder that the program is given as the workspace."""

    @property
    @abstractmethod
    def written(self) -> Path:
        """The folder with what the program wrote, at the same paths."""

    @abstractmethod
    def wrap(self, words: list[str]) -> list[str]:
        """The command line that runs ``words`` with :attr:`inside` mounted."""

    @abstractmethod
    def _touched(self) -> Iterator[_Touched]:
        """What has changed, in any order."""

    def size(self) -> int:
        """Bytes that the layer takes on disk."""
        with opened(self.written) as top:
            return sum(found.status.st_blocks * 512 for found in walk(top, shallow))

    def read(self, path: str, most: int) -> bytes | None:
        """The first ``most`` bytes of a file as the program left it; None if it is not a file."""
        now = self._status(self.written, path)
        if now is not None and _kind(now):
            return read(self.written, path, most) if stat.S_ISREG(now.st_mode) else None
        if now is not None or path in self.hidden:
            return None
        return read(self.workspace, path, most)

    def is_folder(self, path: str) -> bool:
        """Whether the program created or changed a folder at ``path``."""
        now = self._status(self.written, path)
        return now is not None and stat.S_ISDIR(now.st_mode)

    def changes(self, beginning: Beginning | None = None) -> Changes:
        """The program's changes, assessed: what is lost, and what was moved elsewhere. ``beginning``: what losses are
        measured against; None: the workspace as it is."""
        touched = self._all()
        lost = self._lost(touched, beginning)
        found: list[Change] = []
        for each in touched:
            kind = self._word(each, lost)
            if kind is not None:
                status = each.before if each.before is not None else each.after
                size = status.st_size if status is not None and stat.S_ISREG(status.st_mode) else 0
                own = beginning is not None and kind in DESTROYED and beginning.owns(each.path, self._before(each.path))
                found.append(Change(path=printable(each.path), kind=kind, size=size, own=own))
        return Changes(entries=tuple(found))

    def refused(self) -> str:
        """Why the changes cannot be applied, whatever was approved; '' if they can."""
        with opened(self.written) as top:
            deep = any(found.depth >= MAX_DEPTH for found in walk(top, shallow))
        if deep:
            return f"It made folders more than {MAX_DEPTH} deep, which cannot be kept."
        made = (each.path for each in self._all() if _kind(each.after))
        offence = next(Fence(self.workspace).offences(made, self._sides()), None)
        return f"{printable(offence.why)}." if offence is not None else ""

    def _sides(self) -> Sides:
        def before(path: str) -> os.stat_result | None:
            return self._status(self.workspace, path)

        def read_before(path: str) -> bytes | None:
            return read(self.workspace, path, LONGEST)

        def read_after(path: str) -> bytes | None:
            return self.read(path, LONGEST)

        return Sides(before, self._now, read_before, read_after)

    def _now(self, path: str) -> os.stat_result | None:
        """The status of a path as the program sees it."""
        status = self._status(self.written, path)
        if status is None and path not in self.hidden:
            return self._status(self.workspace, path)
        return status if _kind(status) else None

    def land(self) -> tuple[str, ...]:
        """Apply the changes to the workspace. Returns what was not applied, one line each: what somebody else has changed
        since the program started is left alone. What was applied is removed from the layer, so that the call can be repeated
        after a crash."""
        told: list[str] = []
        touched = self._all()
        gone = [each for each in touched if each.after is None]
        rest = [each for each in touched if each.after is not None]
        folders = [each for each in rest if _kind(each.after) == stat.S_IFDIR]
        with opened(self.workspace) as top, opened(self.written) as written:
            # What goes, goes first, the innermost first; folders come before what is in them.
            for each in (*reversed(gone), *rest):
                try:
                    told += self._bring(top, written, each)
                except OSError as error:
                    told.append(f"{printable(each.path)}: {(error.strerror or str(error)).lower()}")
            for each in reversed(folders):  # last, since one that is closed lets nothing in
                with suppress(OSError):
                    _set_folder(top, each)
        return tuple(told)

    def drop(self) -> None:
        """Remove the layer and everything in it."""
        with opened(self.folder.parent) as parent:
            remove(parent, self.folder.name)

    def _all(self) -> list[_Touched]:
        return sorted(self._touched())

    def _word(self, each: _Touched, lost: frozenset[str]) -> Kind | None:
        before, after = each.kinds
        if before == after == stat.S_IFDIR:
            return None if _same_modes(each) else "changed"
        if not before:
            return "new"
        if each.path not in lost:
            return "changed" if after else "moved"
        if not after:
            return "removed"
        return "emptied" if each.after is not None and not each.after.st_size else "overwritten"

    def _lost(self, touched: Sequence[_Touched], beginning: Beginning | None) -> frozenset[str]:
        """Paths of files of which too little remains, at their path and anywhere else in the workspace."""
        missing: dict[str, bytes] = {}
        for each in touched:
            if (content := self._missing(each, beginning)) is not None:
                missing[each.path] = content
        if not missing:
            return frozenset()
        left = self._elsewhere(touched, missing)
        lost = [path for path, content in missing.items() if content not in left]
        return frozenset(lost) - self._renamed(touched, lost, left.intersection(missing.values()))

    def _renamed(self, touched: Sequence[_Touched], lost: Sequence[str], moved: set[bytes]) -> frozenset[str]:
        """The ``lost`` files whose content is mostly in a new file of about their size, a different one for each. ``moved``:
        digests of files that were only moved; those are not edited versions of another."""
        wanted = set(lost[:_MOST_RENAMED])
        gone = {each.path: each.before for each in touched if each.path in wanted and each.after is None and each.before}
        new = {each.path: each.after for each in touched if each.before is None and each.after is not None}
        new = {path: status for path, status in new.items() if stat.S_ISREG(status.st_mode) and not in_trash(path)}
        found: set[str] = set()
        for path, status in gone.items():
            sized = [name for name, other in new.items() if status.st_size / 2 <= other.st_size <= 2 * status.st_size]
            if not stat.S_ISREG(status.st_mode) or not sized or status.st_size > COMPARED:
                continue
            old = read(self.workspace, path, COMPARED) or b""
            for name in sized[:_MOST_RENAMED]:
                held = renamed(old, read(self.written, name, COMPARED) or b"")
                if held and digest(self.written, name) not in moved:
                    del new[name]
                    found.add(path)
                    break
        return frozenset(found)

    def _missing(self, each: _Touched, beginning: Beginning | None) -> bytes | None:
        """A digest of a file or link of which too little is left at its path; None if enough is."""
        before, after = each.kinds
        if before == stat.S_IFLNK:
            link = target(self.workspace, each.path)
            return None if after == before and link == target(self.written, each.path) else b"link " + link
        if before != stat.S_IFREG or each.before is None or not each.before.st_size:
            return None  # an empty file and a folder hold nothing
        old = self._before(each.path)
        new = (read(self.written, each.path, COMPARED) or b"") if after == stat.S_IFREG else None
        lost = beginning.loses(each.path, old, new) if beginning else new is None or not remains(old, new)
        return digest(self.workspace, each.path) if lost else None

    def _before(self, path: str) -> bytes:
        return read(self.workspace, path, COMPARED) or b""

    def _elsewhere(self, touched: Sequence[_Touched], missing: dict[str, bytes]) -> set[bytes]:
        """Digests of the contents of about these sizes anywhere in the workspace as the program left it."""
        by_path = {each.path: each for each in touched}
        sizes = {each.before.st_size for path in missing if (each := by_path[path]).before is not None}
        left: set[bytes] = set()
        for each in touched:
            if in_trash(each.path):
                continue
            if each.after is not None and stat.S_ISLNK(each.after.st_mode):
                left.add(b"link " + target(self.written, each.path))
            elif each.after is not None and stat.S_ISREG(each.after.st_mode) and each.after.st_size in sizes:
                left.add(digest(self.written, each.path))
        if left >= set(missing.values()):
            return left
        with opened(self.workspace) as top:
            for found in walk(top, lambda found: found.path not in self.hidden):
                same = stat.S_ISREG(found.status.st_mode) and found.status.st_size in sizes and not in_trash(found.path)
                if same and found.path not in by_path and found.path not in self.hidden:
                    left.add(digest(self.workspace, found.path))
        return left

    def _bring(self, top: int, written: int, each: _Touched) -> list[str]:
        if each.after is not None and _kind(each.after) == stat.S_IFDIR:
            return self._bring_folder(top, each)
        with closing(Place(top, each.path)) as place:
            now = place.status()
            if now is not None and not stat.S_ISDIR(now.st_mode) and now.st_ctime_ns >= self.began:
                return [f"{printable(each.path)}: another program changed it meanwhile, and its version stays"]
            if each.after is None:
                if now is not None and stat.S_ISDIR(now.st_mode):
                    os.rmdir(place.name, dir_fd=place.descriptor)
                elif now is not None:
                    os.unlink(place.name, dir_fd=place.descriptor)
                self._settled(written, each.path)
                return []
            if _kind(each.after) not in (stat.S_IFREG, stat.S_IFLNK):
                return [f"{printable(each.path)}: it is not a file, folder or link"]
            if now is not None and stat.S_ISDIR(now.st_mode):
                os.rmdir(place.name, dir_fd=place.descriptor)
            with closing(Place(written, each.path)) as source:
                move(source, place, each.after)
        return []

    def _bring_folder(self, top: int, each: _Touched) -> list[str]:
        assert each.after is not None
        with closing(Place(top, each.path)) as place:
            now = place.status()
            if now is not None and not stat.S_ISDIR(now.st_mode):
                if now.st_ctime_ns >= self.began:
                    return [f"{printable(each.path)}: another program changed it meanwhile, and its version stays"]
                os.unlink(place.name, dir_fd=place.descriptor)
                now = None
            if now is None:
                os.mkdir(place.name, 0o700, dir_fd=place.descriptor)
        return []

    @abstractmethod
    def _settled(self, written: int, path: str) -> None:
        """Update the layer once ``path`` has been removed from the workspace."""

    def _status(self, root: Path, path: str) -> os.stat_result | None:
        with opened(root) as top:
            try:
                with closing(Place(top, path)) as place:
                    return place.status()
            except OSError:
                return None


class Overlay(Layer):
    """A layer by the kernel's overlay file system: only what is written is copied."""

    def __init__(self, workspace: Path, folder: Path, hidden: Sequence[str] = (), way: Sequence[str] = _WAYS[-1]) -> None:
        super().__init__(workspace, folder, hidden)
        self._way = way
        for name in ("upper", "work", "merged"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "upper").chmod(stat.S_IMODE(workspace.stat().st_mode))
        (folder / "lower").symlink_to(workspace)
        (folder / "hidden").write_text(json.dumps(sorted(self.hidden)), encoding="ascii")
        with opened(self.written) as top:
            for path in self.hidden:  # the kernel's own mark of what is not there
                place = Place(top, path, make=True)
                with closing(place):
                    os.mknod(place.name, stat.S_IFCHR | 0o000, os.makedev(0, 0), dir_fd=place.descriptor)

    @property
    def inside(self) -> Path:
        return self.folder / "merged"

    @property
    def written(self) -> Path:
        return self.folder / "upper"

    def wrap(self, words: list[str]) -> list[str]:
        return [*self._way, "--", "/bin/sh", "-c", _MOUNT, "sh", str(self.folder), *words]

    def _touched(self) -> Iterator[_Touched]:
        with opened(self.workspace) as lower, opened(self.written) as upper:
            beneath = _Beneath(lower)
            with closing(beneath):
                for found in walk(upper, shallow):
                    yield from self._one(found, beneath)

    def _one(self, found: TreeEntry, beneath: _Beneath) -> Iterator[_Touched]:
        if found.path in self.hidden and _whiteout(found.status):
            return
        before = beneath.status(found)
        after = None if _whiteout(found.status) else found.status
        if not found.is_folder:
            if before is not None or after is not None:
                yield _Touched(found.path, before, after)
            if before is not None and stat.S_ISDIR(before.st_mode):
                yield from beneath.all_of(found)
            return
        if before is None or not stat.S_ISDIR(before.st_mode) or not _same_modes(_Touched("", before, after)):
            yield _Touched(found.path, before, after)
        if before is not None and stat.S_ISDIR(before.st_mode) and _opaque(found):
            yield from beneath.all_of(found, but=set(self._below(found)))

    def _below(self, found: TreeEntry) -> Iterator[str]:
        """Paths in a new folder that has replaced another."""
        inner = os.open(found.name, FOLDER, dir_fd=found.folder)
        try:
            for each in walk(inner):
                yield f"{found.path}/{each.path}"
        finally:
            os.close(inner)

    def _settled(self, written: int, path: str) -> None:
        with suppress(OSError), closing(Place(written, path)) as place:
            status = place.status()
            if status is not None and _whiteout(status):
                os.unlink(place.name, dir_fd=place.descriptor)


class Copy(Layer):
    """A layer that is a full copy, where we cannot mount an overlay."""

    def __init__(self, workspace: Path, folder: Path, hidden: Sequence[str] = ()) -> None:
        super().__init__(workspace, folder, hidden)
        (folder / "copy").mkdir(parents=True)
        self._copied: dict[str, tuple[int, ...]] = {}
        for found, status in copy_tree(workspace, self.written, lambda found: found.path not in self.hidden):
            self._copied[found.path] = _identity(status)

    @property
    def inside(self) -> Path:
        return self.folder / "copy"

    @property
    def written(self) -> Path:
        return self.folder / "copy"

    def wrap(self, words: list[str]) -> list[str]:
        return words

    def size(self) -> int:
        with opened(self.written) as top:
            return sum(
                found.status.st_blocks * 512
                for found in walk(top, shallow)
                if self._copied.get(found.path) != _identity(found.status)
            )

    def read(self, path: str, most: int) -> bytes | None:
        return read(self.written, path, most)

    def _now(self, path: str) -> os.stat_result | None:
        return self._status(self.written, path)

    def _settled(self, written: int, path: str) -> None:
        """Do nothing: a copy does not record removals."""

    def _touched(self) -> Iterator[_Touched]:
        there: set[str] = set()
        with opened(self.workspace) as lower, opened(self.written) as copy:
            beneath = _Beneath(lower)
            with closing(beneath):
                for found in walk(copy, shallow):
                    there.add(found.path)
                    same = found.path in self._copied and (
                        found.is_folder or self._copied[found.path] == _identity(found.status)
                    )
                    if not same:
                        yield _Touched(found.path, beneath.status(found), found.status)
        for path in self._copied:
            if path not in there and (before := self._status(self.workspace, path)) is not None:
                yield _Touched(path, before, None)


def layer(workspace: Path, folder: Path, way: Sequence[str] | None, hidden: Sequence[str] = ()) -> Layer:
    """A new layer over ``workspace`` in ``folder``, which is emptied. ``way``: as returned by :func:`way_to_mount`."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with opened(folder.parent) as parent:
            remove(parent, folder.name)
        folder.mkdir(mode=0o700)
        return Overlay(workspace, folder, hidden, way) if way is not None else Copy(workspace, folder, hidden)
    except OSError as error:
        raise EnvironmentFailure(
            f"A program's changes cannot be held back for a decision: {folder}: {(error.strerror or str(error)).lower()}.",
            hint="Make room on that disk, or set another data folder.",
        ) from error


def left_over(workspace: Path, folder: Path) -> Layer | None:
    """The layer that a killed process left in ``folder``; None if there is none. What was applied is no longer in it. A full
    copy is not continued, since the state that it was copied from is unknown."""
    if not (folder / "upper").is_dir():
        return None
    try:
        hidden: list[str] = json.loads((folder / "hidden").read_text(encoding="ascii"))
    except (OSError, ValueError):  # killed before there was anything in it
        return None
    found = Overlay.__new__(Overlay)
    Layer.__init__(found, workspace, folder, hidden)
    found.began = folder.stat().st_ctime_ns
    return found


def way_to_mount(folder: Path) -> tuple[str, ...] | None:
    """The start of a command line that mounts an overlay in ``folder``; None if impossible. Tries it, in some 10 ms."""
    trial = folder / "trial"
    for way in _WAYS if os.geteuid() == 0 else _WAYS[1:]:
        try:
            trial.mkdir(parents=True, exist_ok=True)
            made = Overlay(trial, folder / "tried", (), way)
            done = subprocess.run(
                made.wrap(["/bin/sh", "-c", "mkdir merged/a && rmdir merged/a"]),
                capture_output=True,
                timeout=10,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        finally:
            with suppress(OSError), opened(folder) as top:
                remove(top, "tried")
                remove(top, "trial")
        if done.returncode == 0:
            return way
    return None


class _Beneath:
    """The workspace's entries at a layer's paths. Used folder by folder, so the last folder is kept open."""

    def __init__(self, top: int) -> None:
        self._top = top
        self._path: str | None = None
        self._folder = -1

    def status(self, found: TreeEntry) -> os.stat_result | None:
        folder = found.path.rpartition("/")[0]
        if self._path != folder:
            self.close()
            self._path = folder
            try:
                self._folder = parent_of(self._top, found.path)
            except OSError:  # no folder there, so nothing in it
                self._folder = -1
        if self._folder < 0:
            return None
        try:
            return os.stat(found.name, dir_fd=self._folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def all_of(self, found: TreeEntry, but: set[str] | None = None) -> Iterator[_Touched]:
        """Everything in a folder of the workspace that was removed or replaced, except the paths in ``but``."""
        inner = os.open(found.name, FOLDER, dir_fd=self._folder)
        try:
            for each in walk(inner):
                path = f"{found.path}/{each.path}"
                if but is None or path not in but:
                    yield _Touched(path, each.status, None)
        finally:
            os.close(inner)

    def close(self) -> None:
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1


def _set_folder(top: int, each: _Touched) -> None:
    assert each.after is not None
    with closing(Place(top, each.path)) as place:
        descriptor = os.open(place.name, FOLDER, dir_fd=place.descriptor)
        try:
            os.fchmod(descriptor, each.after.st_mode & MODES)
        finally:
            os.close(descriptor)


def _kind(status: os.stat_result | None) -> int:
    """The kind of a file, 0 if there is none."""
    return 0 if status is None or _whiteout(status) else stat.S_IFMT(status.st_mode)


def _whiteout(status: os.stat_result) -> bool:
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _opaque(found: TreeEntry) -> bool:
    try:
        return os.getxattr(f"/proc/self/fd/{found.folder}/{found.name}", _OPAQUE, follow_symlinks=False) == b"y"
    except OSError:
        return False


def _same_modes(each: _Touched) -> bool:
    return each.before is not None and each.after is not None and each.before.st_mode & MODES == each.after.st_mode & MODES


def _identity(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode
