"""Addresses in a git repository, read from its files: no program is started, and nothing in its settings is run or
followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import cast

from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    FileFormatException,
    NotGitRepository,
    ObjectMissing,
    RefFormatError,
    WrongObjectException,
)
from dulwich.ignore import IgnoreFilterManager
from dulwich.index import Index
from dulwich.object_store import DiskObjectStore, iter_tree_contents
from dulwich.objects import Blob, Commit, ObjectID
from dulwich.refs import DiskRefsContainer, Ref

from deskcrew.errors import ActionError
from deskcrew.evidence.places.tree import MOST, Exact, Leaf, PlaceNode, bounded, lines

BROKEN: tuple[type[Exception], ...] = (
    ChecksumMismatch, FileFormatException, NotGitRepository, ObjectMissing, WrongObjectException, ApplyDeltaError,
    RefFormatError,
)  # fmt: skip
"""What parsing a damaged repository raises, in addition to what parsers of other files raise."""
MOST_READ = 256 << 20
"""The largest .git folder that is read, in bytes."""
MOST_IGNORED = 1 << 16
"""The longest .gitignore that is used, in bytes."""
_STAR = ord("*")
_HEADS = "refs/heads/"


@contextmanager
def repository(folder: Path) -> Generator[PlaceNode]:
    """The repository at the top of ``folder``, as a node. Raises ActionError if there is none, or it is not
    self-contained."""
    git = folder / ".git"
    if git.is_symlink() or not git.is_dir():
        raise ActionError(f"{folder.name} is not a git repository, or is the workspace's own, which is not saved.")
    if any((git / name).exists() for name in ("objects/info/alternates", "commondir", "reftable")):
        raise ActionError(f"{folder.name} keeps a part of its repository elsewhere, so it cannot be read.")
    if sum(place.lstat().st_size for place in _files(git)) > MOST_READ:
        raise ActionError(f"{folder.name} has a repository of more than {MOST_READ >> 20} MiB; that is too large.")
    look = _Repository(folder, git)
    names: dict[str, Callable[[], Leaf]] = {
        "branch": lambda: Exact(look.branch()),
        "branches": lambda: Exact(look.branches()),
        "tags": lambda: Exact(look.tags()),
        "commits": lambda: len(look.commits()),
        "message": lambda: Exact(look.last().message.decode("utf-8", "replace").strip()),
        "author": lambda: look.last().author.decode("utf-8", "replace"),
        "tracked": lambda: lines(sorted(look.tracked())),
        "changed": lambda: lines(look.changed()),
        "clean": lambda: not look.changed(),
    }
    with closing(look.objects):
        yield PlaceNode("the folder", {"git": lambda: PlaceNode("the repository", names)})


def _files(folder: Path) -> Iterator[Path]:
    found = (Path(top) / name for top, _, names in os.walk(folder) for name in names)
    return iter(bounded(found, "files of git"))


class _Repository:
    def __init__(self, folder: Path, git: Path) -> None:
        self.folder, self.git = folder, git
        self.objects = DiskObjectStore(str(git / "objects"))
        self.refs = DiskRefsContainer(str(git))

    def branch(self) -> str:
        """The branch that is checked out; '' if there is none."""
        head = (self.git / "HEAD").read_text(encoding="utf-8")[:1000].strip()
        return head.removeprefix("ref:").strip().removeprefix(_HEADS) if head.startswith("ref:") else ""

    def branches(self) -> str:
        return self._under(_HEADS)

    def tags(self) -> str:
        return self._under("refs/tags/")

    def _under(self, prefix: str) -> str:
        names = self.refs.subkeys(cast("Ref", prefix.rstrip("/").encode()))
        return lines(sorted(name.decode("utf-8", "replace").removeprefix("/") for name in names))

    def last(self) -> Commit:
        """The last commit. Raises ActionError if there is none yet."""
        commits = self.commits(1)
        if not commits:
            raise ActionError("Nothing was committed yet.")
        return commits[0]

    def commits(self, most: int = 0) -> list[Commit]:
        """The last commit and its ancestors, at most ``most`` of them (0: all)."""
        try:
            waiting = [self.refs[cast("Ref", b"HEAD")]]
        except KeyError:
            return []
        found: dict[ObjectID, Commit] = {}
        while waiting and not (most and len(found) == most):
            name = waiting.pop()
            if name in found:
                continue
            commit = self.objects[name]
            if not isinstance(commit, Commit):
                raise ValueError("what is checked out is not a commit")
            found[name] = commit
            if len(found) > MOST:
                raise ActionError(f"It has more than {MOST} commits, which is too many to be read.")
            waiting += commit.parents
        return list(found.values())

    def tracked(self) -> dict[str, tuple[int, bytes]]:
        """Mode and blob id of every file in the last commit, by path."""
        last = self.commits(1)
        entries = iter_tree_contents(self.objects, last[0].tree) if last else iter(())
        return {os.fsdecode(entry.path): (entry.mode, entry.sha) for entry in bounded(entries, "files")}

    def changed(self) -> list[str]:
        """Paths that differ from the last commit, in the folder or the index, and new paths that are not ignored."""
        committed, staged = self.tracked(), self._staged()
        found = {path for path in {*committed, *staged} if committed.get(path, (0, b""))[1] != staged.get(path)}
        there: set[str] = set()
        ignored = IgnoreFilterManager(str(self.folder), [], False)
        for path in self._own():
            there.add(path)
            if path in staged:
                if _digest(self.folder / path) != staged[path]:
                    found.add(path)
            elif not ignored.is_ignored(path) and not any(
                ignored.is_ignored(f"{parent}/") for parent in Path(path).parents if str(parent) != "."
            ):
                found.add(path)
        return sorted(found | (set(staged) - there))

    def _staged(self) -> dict[str, bytes]:
        if not (self.git / "index").exists():
            return {}
        index = Index(str(self.git / "index"))
        found: dict[str, bytes] = {}
        for path, entry in index.items():
            sha = getattr(entry, "sha", None)
            found[os.fsdecode(path)] = sha if isinstance(sha, bytes) else b"in conflict"
        return found

    def _own(self) -> Iterator[str]:
        """Paths of the files in the folder, except those in .git."""
        count = 0
        for top, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if name != ".git" and not (Path(top) / name).is_symlink()]
            links = [name for name in os.listdir(top) if (Path(top) / name).is_symlink()]
            for name in {*names, *links} - {".git"}:
                count += 1
                if name == ".gitignore":
                    _bearable(Path(top) / name)
                if count > MOST:
                    raise ActionError(f"It has more than {MOST} files, which is too many to be read.")
                yield str((Path(top) / name).relative_to(self.folder))


def _bearable(ignoring: Path) -> None:
    """Raises ActionError if the patterns of a .gitignore could take exponential time to match."""
    if ignoring.is_symlink():
        return  # it is not followed
    patterns = ignoring.read_bytes()
    if len(patterns) > MOST_IGNORED or any(
        sum(byte == _STAR for byte, _ in groupby(line)) > 3 for line in patterns.splitlines()
    ):
        raise ActionError("Its .gitignore is too long or has too many stars in a line, so it cannot be applied.")


def _digest(path: Path) -> bytes:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        content = os.fsencode(os.readlink(path))
    elif stat.S_ISREG(status.st_mode) and status.st_size <= MOST_READ:
        content = path.read_bytes()
    else:
        return b""
    return Blob.from_string(content).id
