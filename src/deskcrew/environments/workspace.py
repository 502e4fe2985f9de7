"""The workspace: the only folder that a crew may write to. Every path that a model names is confined to it (W26).

Programs inside the sandbox and the virtual desktop see it as ``/workspace``; such a path means the same here. ``.trash``
holds what was deleted; it is not observed, and is inside so that deleting is a rename that always works.

Whatever acts on a resolved path holds its folder open (:meth:`Workspace.held`), since a program of the virtual desktop could
replace it by a link meanwhile. Observing the folder does not: it may show names of such a link's target.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import itertools
import os
import re
import stat
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from deskcrew.environments.approved_files import on_disk
from deskcrew.environments.held_folders import held
from deskcrew.environments.obeyed import LONGEST, Fence, Offence, Sides
from deskcrew.environments.placing import Place, read
from deskcrew.environments.trees import FOLDER, opened_up, shallow, walk
from deskcrew.errors import ActionError
from deskcrew.facts.excerpts import cut
from deskcrew.facts.observation import FileEntry, Observation, ShownFile

INSIDE = "/workspace"
"""Where programs in the sandbox and on the virtual desktop see the workspace."""
TRASH = ".trash"
PUT_AWAY = "put-away"
"""The folder in the trash for files that programs outside would have obeyed, under names that nothing obeys."""
PASSING = re.compile(r"\.~lock\..+#|\.goutputstream-\w+")
"""Names of temporary files that programs make while they work: locks, and files about to be renamed. They are not
observed."""
GIT, CREW = ".git", ".deskcrew"
OWN = (GIT, CREW)
"""At the top of a workspace these belong to the user: programs outside read and obey them. Save points do not contain
``.git``. If they exist when a run begins they can be read and not changed; :data:`CREW` cannot be created either."""
MAX_ENTRIES = 5000
"""The maximum number of entries in one observation; shallow ones take precedence."""
MAX_SOCKETS_AMONG = 50_000
"""The maximum number of entries searched for sockets."""
MAX_DIGEST = 64 << 20
"""The maximum size of a file that is read for its digest."""
MAX_READ = 512 << 20
"""The maximum number of bytes that one observation reads; the rest gets its digest at a later observation."""
_SET_ID = stat.S_ISUID | stat.S_ISGID
_Identity = tuple[int, int, int]
_RACY = 50_000_000
"""Nanoseconds. A file read this soon after its last change may change again within the clock's grain: read it again."""


def workspace_path(name: str) -> str:
    """A path or pattern of the workspace without what may stand before it: blanks, ``./``, ``/workspace/``."""
    name = name.strip()
    while (shorter := name.removeprefix("./").removeprefix(f"{INSIDE}/")) != name:
        name = shorter
    return name


def own(root: Path) -> tuple[str, ...]:
    """The members of :data:`OWN` that exist in a workspace. A link does not count: its target is elsewhere, or is not
    protected."""
    return tuple(name for name in OWN if (root / name).exists() and not (root / name).is_symlink())


def obeyed(root: Path) -> tuple[str, ...]:
    """Names at the top of a workspace that programs outside obey. Programs of a desktop, which write without a layer, get
    them read-only."""
    fence = Fence(root.resolve())
    return tuple(sorted(each.name for each in _scan(root) if not each.is_symlink() and fence.obeyed_by(each.name)))


def sockets(root: Path) -> tuple[str, ...]:
    """Paths of the sockets in a workspace: programs of this machine listen there, and no namespace keeps others away."""
    found: list[str] = []
    # Where it has gone, or somebody moves folders meanwhile, there is no more to be found.
    with contextlib.suppress(OSError), _top(root) as top:
        for each in itertools.islice(walk(top, shallow), MAX_SOCKETS_AMONG):
            if stat.S_ISSOCK(each.status.st_mode):
                found.append(each.path)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _SeenEntry:
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    digest: str
    racy: bool


@dataclass
class Workspace:
    """A folder as an environment. Created if missing. Thread-safe."""

    root: Path
    began: float | None = None
    """When the run began, in Unix seconds; None: just now. Files that had set-id bits before that keep them."""
    direct: bool = False
    """Whether programs of the crew write into it without a layer, as those of a virtual desktop do."""
    _fence: Fence = field(init=False, repr=False)
    _own: tuple[str, ...] = ()
    _armed: frozenset[_Identity] = frozenset()
    _seen: dict[str, _SeenEntry] = field(default_factory=dict[str, _SeenEntry], repr=False)
    _passing: tuple[str, ...] = ()
    """Files with :data:`PASSING` names at the last observation."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.root = self.root.resolve()
        self._fence = Fence(self.root)
        self._own = own(self.root)
        if self.began is None:
            self.began = time.time()
        if os.geteuid() == 0:
            began = int(self.began * 1e9)
            self._armed = frozenset(_identity(s) for _, _, s in _set_id(self.root) if s.st_ctime_ns < began)

    def observe(self) -> Observation:
        """The files as they are now, sorted by path (mechanism of C10: files have no screenshots, but are tracked)."""
        with self._lock:
            if os.geteuid() == 0:
                _disarm(self.root, self._armed)
            away = self._sweep()
            entries, seen = self._walk()
            self._seen = seen
        return Observation(files=tuple(sorted(entries, key=lambda entry: entry.path)), put_away=away)

    def close(self) -> None:
        """Forget the last observation. The folder stays, without the locks of programs that have been ended, which would
        suggest to the user that somebody has their file open."""
        with self._lock:
            self._sweep()
            for path in self._passing:
                with contextlib.suppress(OSError):
                    status = os.lstat(self.root / path)
                    if stat.S_ISREG(status.st_mode) and status.st_ctime >= (self.began or 0):
                        os.unlink(self.root / path)
            self._seen = {}

    def _sweep(self) -> tuple[str, ...]:
        """Put away what programs have made and others outside would obey (``obeyed.py``). What changed before the run began
        is the user's. Returns what was put away and why, a line each."""
        if not self.direct:
            return ()
        told: list[str] = []
        began = int((self.began or 0) * 1e9)
        sides = self._sides(began)
        found: dict[str, Offence] = {}
        with contextlib.suppress(OSError), _top(self.root) as top:
            for each in walk(top, shallow):
                if each.status.st_ctime_ns < began:
                    continue
                if each.is_folder:
                    opened_up(each.folder, each.name, each.status)
                else:
                    for offence in self._fence.offences((each.path,), sides):
                        mine = sides.before(offence.path) is not None  # the user's, obeyed only by what was made around it
                        found.setdefault(each.path if mine else offence.path, offence)
        for path, offence in found.items():
            if place := self._put_away(path):
                told.append(f"{offence.why}; it is in {place}")
        return tuple(told)

    def _sides(self, began: int) -> Sides:
        def after(path: str) -> os.stat_result | None:
            with contextlib.suppress(OSError), _top(self.root) as top:
                place = Place(top, path)
                with contextlib.closing(place):
                    return place.status()
            return None

        def before(path: str) -> os.stat_result | None:
            status = after(path)
            kept = status is not None and (stat.S_ISDIR(status.st_mode) or status.st_ctime_ns < began)
            return status if kept else None

        def content(path: str) -> bytes | None:
            return read(self.root, path, LONGEST)

        def old(path: str) -> bytes | None:
            return content(path) if before(path) is not None else None

        return Sides(before, after, old, content)

    def _put_away(self, path: str) -> str:
        """Move a file or link to a name that nothing obeys. Returns the new name; '' if the file has gone, or a program is
        using it: then the next observation tries again."""
        # Beside it where the trash is a link of theirs.
        for folder in (f"{TRASH}/{PUT_AWAY}", PUT_AWAY):
            number = 1
            while os.path.lexists(self.root / (goal := f"{folder}/{number}-{path.rpartition('/')[2].lstrip('.')}")):
                number += 1
            try:
                with self.held(self.root / path) as source, self.held(self.root / goal, make=True) as place:
                    os.rename(source, place)
            except OSError:
                continue
            return goal
        return ""

    def held(self, path: Path, *, make: bool = False) -> AbstractContextManager[Path]:
        """A resolved path by a route that no program can change during the context (``environments/held_folders.py``)."""
        return held(self.root, path, make=make)

    def as_now(self, shown: ShownFile) -> ShownFile:
        """The current state of a file or folder that was shown. Reads it."""
        return on_disk(shown, self.root, self.observe)

    def changeable(self, path: Path) -> None:
        """Raises ActionError, worded for the model, if nothing may be made or changed at a resolved path: it is the user's
        own, or a program outside of the sandbox would obey it."""
        self.removable(path)
        relative = self.relative(path)
        if why := self._fence.refused(relative, lambda name: os.path.lexists(self.root / name)):
            raise ActionError(f"{why}.")

    def removable(self, path: Path) -> None:
        """Raises ActionError, worded for the model, if a resolved path is, or is in, something of the user's own."""
        first = path.relative_to(self.root).parts[:1]
        if first and (first[0] in self._own or first[0] == CREW):
            raise ActionError(f"{first[0]} is the user's own: it can be read, not changed.")

    def resolve(self, path: str, *, must_exist: bool = False) -> Path:
        """The real path of what a model named. Raises ActionError, worded for the model, for anything outside.

        Relative paths and ``/workspace/...`` are accepted; ``..``, links that lead out, devices and sockets are not.
        """
        relative = self._relative(path)
        try:
            real = (self.root / relative).resolve()
            inside = real.is_relative_to(self.root)
            mode = real.stat().st_mode if inside and real.exists() else None
        except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, before Python 3.13
            raise ActionError(f"The path {shown(path)} cannot be used: {_reason(error)}.") from error
        if not inside:
            raise ActionError(f"{shown(path)} is a link that leads out of the workspace; it cannot be used.")
        if mode is not None and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise ActionError(f"{shown(path)} is not a file or folder; it cannot be used.")
        if must_exist and mode is None:
            raise ActionError(self._missing(relative))
        return real

    def relative(self, path: Path) -> str:
        """A resolved path as observations show it: relative, with ``/``; the workspace itself is '.'."""
        return path.relative_to(self.root).as_posix()

    def _relative(self, path: str) -> str:
        text = path.strip()
        if not text:
            raise ActionError("The path is empty; name a file of the workspace, e.g. notes.txt.")
        if "\0" in text or len(text) > 4096:
            raise ActionError(f"The path {shown(path)} is not a path.")
        for prefix in (INSIDE, self.root.as_posix()):
            if text == prefix or text.startswith(prefix + "/"):
                text = text[len(prefix) :].lstrip("/") or "."
                break
        scheme, mark, _ = text.partition("://")
        if mark and scheme[:1].isalpha() and all(each.isalnum() or each in "+.-_" for each in scheme):
            raise ActionError(f"{shown(path)} is an address, not a file; nothing can be put or read there as a file.")
        if text.startswith(("/", "~")):
            raise ActionError(f"{shown(path)} is outside the workspace; only paths inside it can be used.")
        if ".." in text.replace("\\", "/").split("/"):
            raise ActionError(f"{shown(path)} has '..' in it; name the file by its path inside the workspace.")
        return text

    def _missing(self, relative: str) -> str:
        names = [entry.path for entry in self.observe().files]
        close = difflib.get_close_matches(relative, names, n=5, cutoff=0.5) or names[:10]
        there = f"close to it there are: {', '.join(close)}" if close else "the workspace is empty"
        return f"There is no {shown(relative)} in the workspace; {there}."

    def _walk(self) -> tuple[list[FileEntry], dict[str, _SeenEntry]]:
        entries: list[FileEntry] = []
        seen: dict[str, _SeenEntry] = {}
        budget = MAX_READ
        folders = deque([""])
        passing: list[str] = []
        while folders:
            folder = folders.popleft()
            for item in _scan(self.root / folder):
                path = f"{folder}/{item.name}" if folder else item.name
                if path == TRASH:
                    continue
                if PASSING.fullmatch(item.name):
                    passing.append(path)
                    continue
                if len(entries) >= MAX_ENTRIES:
                    continue
                entry, read = self._entry(path, item, budget, seen)
                if entry is None:
                    continue
                budget -= read
                entries.append(entry)
                if entry.kind == "folder":
                    folders.append(path)
        self._passing = tuple(passing)
        return entries, seen

    def _entry(
        self, path: str, item: os.DirEntry[str], budget: int, seen: dict[str, _SeenEntry]
    ) -> tuple[FileEntry | None, int]:
        """The entry (None if it vanished meanwhile), and how many bytes were read for it."""
        try:
            status = item.stat(follow_symlinks=False)
        except OSError:
            return None, 0
        kind = _kind(status.st_mode)
        name = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        plain = FileEntry(path=name, kind=kind, size=status.st_size, mtime_ns=status.st_mtime_ns)
        if kind != "file" or status.st_size > MAX_DIGEST:
            return plain, 0
        known = self._seen.get(path)
        same = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        if known and not known.racy and same == (known.size, known.mtime_ns, known.ctime_ns, known.inode):
            seen[path] = known
            return plain.model_copy(update={"digest": known.digest}), 0
        if status.st_size > budget:
            return plain, 0
        fresh = _read(self.root / path)
        if fresh is None:
            return plain, 0
        seen[path] = fresh
        update = {"digest": fresh.digest, "size": fresh.size, "mtime_ns": fresh.mtime_ns}
        return plain.model_copy(update=update), fresh.size


def _disarm(root: Path, theirs: frozenset[_Identity]) -> None:
    """Take set-user-id and set-group-id bits from every file below ``root`` except ``theirs``: those that had them before
    the run and are unchanged since. If we are root, so is the owner of what the sandbox's programs leave here, and such a
    file would make root of whoever runs it. Links are not followed."""
    for name, folder, known in _set_id(root):
        if _identity(known) in theirs:
            continue
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        except OSError:  # it vanished or became something else meanwhile
            continue
        with open(descriptor, "rb"), contextlib.suppress(OSError):  # on a disk that cannot be written it stays as it is
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and _identity(status) not in theirs:
                os.fchmod(descriptor, stat.S_IMODE(status.st_mode) & ~_SET_ID)


def _set_id(root: Path) -> Iterator[tuple[str, int, os.stat_result]]:
    """Files below ``root`` with set-id bits: name, descriptor of the folder while this is iterated, status."""
    with contextlib.suppress(OSError), _top(root) as top:
        for each in walk(top):
            if stat.S_ISREG(each.status.st_mode) and each.status.st_mode & _SET_ID:
                yield each.name, each.folder, each.status


@contextlib.contextmanager
def _top(root: Path) -> Generator[int]:
    descriptor = os.open(root, FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _identity(status: os.stat_result) -> _Identity:
    """Nobody can set the time of a file's last status change: a changed file has another one."""
    return status.st_dev, status.st_ino, status.st_ctime_ns


def _scan(folder: Path) -> list[os.DirEntry[str]]:
    """The contents of a folder, sorted; empty if it vanished or may not be read."""
    try:
        with os.scandir(folder) as items:
            return sorted(items, key=lambda item: item.name)
    except OSError:
        return []


def _read(path: Path) -> _SeenEntry | None:
    """Digest and status of one and the same open file; None if it cannot be read."""
    try:
        # O_NONBLOCK: what was a file a moment ago may be a pipe now, which would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_DIGEST:
            return None
        try:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            racy = os.stat(descriptor).st_mtime_ns != status.st_mtime_ns or _age(status) < _RACY
        except OSError:
            return None
    return _SeenEntry(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, digest, racy)


def _age(status: os.stat_result) -> int:
    return time.time_ns() - status.st_mtime_ns


def _kind(mode: int) -> Literal["file", "folder", "link", "other"]:
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "folder"
    return "link" if stat.S_ISLNK(mode) else "other"


def shown(path: str) -> str:
    """A path that somebody named, as a message shows it."""
    return repr(cut(path.strip(), 120))


def _reason(error: OSError | RuntimeError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return "its links go round in a circle"
