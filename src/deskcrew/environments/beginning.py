"""The workspace as it was when the run began. Losses are measured against that state, in however many steps they happen.

If a file were only compared with the step before, it could be lost unnoticed, half of it at a time. The run may remove what
it made itself, unless that is all that is left of a file from before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from deskcrew.environments.changes import COMPARED, Change, Changes, remains
from deskcrew.environments.manifest import Manifest, ManifestEntry, printable
from deskcrew.environments.workspace import TRASH

_MOST_DISPLACED = 100
"""The maximum number of missing files from the start that a new file is compared with, to find where it comes from."""


@dataclass(frozen=True)
class Beginning:
    """``start``, ``now``: the workspace when the run began, and as last saved. ``made``: paths that the run has created
    since. ``edited``: files that the task is to edit, of which less must remain. ``get`` returns the bytes of a digest."""

    start: Manifest
    now: Manifest
    made: frozenset[str]
    edited: frozenset[str]
    get: Callable[[str], bytes]

    def loses(self, path: str, current: bytes, new: bytes | None) -> bool:
        """Whether writing ``new`` over ``current`` loses a file; None: it is removed. What was lost in an earlier step was
        decided on then; what is there now is the run's own."""
        old = self._was(path)
        if new is None:
            return bool(old or current)
        old = current if old is None else old
        return not self._remains(path, old, new) and self._remains(path, old, current)

    def removed(self, path: str) -> Changes:
        """What removing a path, with everything in it, would lose."""
        gone = {name: one for name, one in self.now.by_path.items() if name == path or name.startswith(f"{path}/")}
        left = {_content(one) for name, one in self.now.by_path.items() if name not in gone and not in_trash(name)} - {None}
        lost = (
            Change(path=printable(name), kind="removed", size=one.size)
            for name, one in gone.items()
            if one.kind in ("file", "link") and _content(one) not in left and self._loses(name, one, None)
        )
        return Changes(entries=tuple(lost))

    def is_own(self, path: str) -> bool:
        """Whether the run itself made the file or folder at a path, and nothing existed before at that path or inside it."""
        inside = [name for name in self.now.by_path if name == path or name.startswith(f"{path}/")]
        return path in self.made and not any(name in self.start.by_path for name in (path, *inside))

    def is_link(self, path: str) -> bool:
        return (one := self.now.by_path.get(path)) is not None and one.kind == "link"

    def overwritten(self, path: str, new: bytes) -> Changes:
        """What writing a file would lose."""
        one = self.now.by_path.get(path)
        if one is None or one.kind != "file" or not self._loses(path, one, new):
            return Changes()
        return Changes(entries=(Change(path=printable(path), kind="overwritten" if new else "emptied", size=one.size),))

    def _loses(self, path: str, one: ManifestEntry, new: bytes | None) -> bool:
        current = self._now(one)
        return self.loses(path, current, new) and not self.owns(path, current)

    def owns(self, path: str, current: bytes) -> bool:
        """Whether the run itself made a file that contains nothing from before, so that nobody loses anything with it."""
        if path not in self.made or path in self.start.by_path or in_trash(path):
            return False
        missing = self._displaced
        return len(missing) < _MOST_DISPLACED and not any(remains(old, current) for old in missing)

    @cached_property
    def _displaced(self) -> tuple[bytes, ...]:
        """The contents of files from the start that are gone from their path, or of which too little is left there."""
        found: list[bytes] = []
        for path, was in self.start.by_path.items():
            one = self.now.by_path.get(path)
            if was.kind != "file" or not was.size or (one is not None and _content(one) == _content(was)):
                continue
            old = self._was(path) or b""
            if one is None or one.kind != "file" or not remains(old, self._now(one)):
                found.append(old)
            if len(found) >= _MOST_DISPLACED:
                break
        return tuple(found)

    def _remains(self, path: str, old: bytes, new: bytes) -> bool:
        return remains(old, new, edited=path in self.edited)

    def _was(self, path: str) -> bytes | None:
        """The first bytes of a file as it was at the start; None if there was no file, or its content was not kept."""
        one = self.start.by_path.get(path)
        return None if one is None or one.kind != "file" or not one.kept else self.get(one.digest)[:COMPARED]

    def _now(self, one: ManifestEntry) -> bytes:
        if one.kind == "link":
            return one.target.encode("utf-8", "surrogateescape")
        return self.get(one.digest)[:COMPARED] if one.kept else b"\0" * min(one.size, 1)


def in_trash(path: str) -> bool:
    """Whether a path is in the workspace's trash, and so counts as removed."""
    return path.partition("/")[0] == TRASH


def _content(one: ManifestEntry) -> tuple[str, str] | None:
    """A key that entries with the same content share; None if the content is unknown."""
    return (one.kind, one.target or one.digest) if one.target or one.digest else None
