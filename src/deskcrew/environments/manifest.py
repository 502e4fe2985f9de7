"""The contents of a folder at one moment, as data: entries, their canonical JSON, and the differences between two moments.

Paths are exact: a name that is not UTF-8 has its odd bytes as lone surrogates (PEP 383), which JSON writes as ``\\udc80`` to
``\\udcff`` and reads back. Such text cannot be printed and is refused by pydantic: :func:`printable` makes it harmless.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Set
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from deskcrew.errors import JournalError
from deskcrew.facts.observation import moves

Kind = Literal["file", "folder", "link", "other"]
GIT = ".git"
"""At the top of a workspace this is the user's own repository: never read, never written. Further down it is an ordinary
folder."""
_READ_DEPTH = 200
"""The nesting depth that a manifest may have: more than is kept today (:data:`MAX_DEPTH`)."""
MODES = 0o1777
"""Permission bits that are kept: set-user-id and set-group-id are not, so a save point can never arm a program."""

_FORMAT = 1
_HEX = frozenset("0123456789abcdef")


class ManifestEntry(NamedTuple):
    """One name below the workspace. A tuple, not a pydantic type: thousands are read for one save point.

    ``path``: relative, with '/'; the workspace itself is ''. ``mode``: its permission bits of MODES; 0 for links.
    ``size``: a file's bytes. ``target``: where a link leads. ``digest``: the blob of a file's content. ``kept``: False for a
    file whose content was not saved, a folder that was not entered, and anything other than file, folder or link.
    """

    path: str
    kind: Kind
    mode: int
    mtime_ns: int
    size: int = 0
    target: str = ""
    digest: str = ""
    kept: bool = True


class Manifest:
    """All entries, sorted by path; the first is the workspace itself. Immutable. The same state has the same bytes."""

    def __init__(self, entries: tuple[ManifestEntry, ...]) -> None:
        self.entries = entries

    @cached_property
    def by_path(self) -> dict[str, ManifestEntry]:
        return {entry.path: entry for entry in self.entries}

    @property
    def files(self) -> int:
        return sum(entry.kind == "file" for entry in self.entries)

    @property
    def unsaved(self) -> tuple[str, ...]:
        """Paths that exist but were not kept, printable."""
        return tuple(printable(entry.path) or "." for entry in self.entries if not entry.kept)

    def keeping(self, paths: Set[str], now: Manifest) -> Manifest:
        """This state, but with ``paths`` as they are in ``now``, absent if they are absent there. Entries that conflict with
        these are left out, and the folders that contain them stay."""
        then, here = self.by_path, now.by_path
        mixed = {path: entry for path, entry in then.items() if path not in paths}
        mixed |= {path: here[path] for path in paths if path in here}
        found: dict[str, ManifestEntry] = {}
        for path in sorted(mixed):
            above = [path[:at] for at, sign in enumerate(path) if sign == "/"]
            blocked = any(each in paths and each in here and here[each].kind != "folder" for each in above)
            if path in paths or not blocked:
                source = here if path in paths else then
                found |= {each: source[each] for each in above if each not in found or found[each].kind != "folder"}
                found.setdefault(path, mixed[path])
        return Manifest(tuple(sorted(found.values())))

    def to_bytes(self) -> bytes:
        return json.dumps([_FORMAT, self.entries], separators=(",", ":")).encode("ascii")

    @staticmethod
    @lru_cache(maxsize=4)  # several steps of a turn read the same two
    def from_bytes(data: bytes) -> Manifest:
        """Read a manifest. Raises JournalError if :meth:`to_bytes` did not write it, or a path leads out."""
        try:
            version, rows = json.loads(data)
            if version != _FORMAT:
                raise ValueError(f"format {version}")
            entries = tuple(map(ManifestEntry._make, rows))
            _check(entries)
        except (ValueError, TypeError, RecursionError) as error:
            raise JournalError(
                f"A save point's list of files cannot be read ({error}).",
                hint="It was changed, or written by a newer Deskcrew. Other save points are not affected.",
            ) from error
        return Manifest(entries)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manifest) and self.entries == other.entries

    def __hash__(self) -> int:
        return hash(self.entries)


def _check(entries: tuple[ManifestEntry, ...]) -> None:
    """Raise ValueError unless every path names something inside, in a folder that is listed too."""
    if not entries or entries[0].path != "" or entries[0].kind != "folder":
        raise ValueError("no root")
    folders = {""}
    last = ""
    for place, entry in enumerate(entries):
        path, kind, mode, mtime_ns, size, target, digest, kept = entry
        if not (
            type(mode) is type(mtime_ns) is type(size) is int and type(path) is type(target) is str and type(kept) is bool
        ):
            raise ValueError(f"entry {place}")
        if not (
            0 <= mode <= MODES
            and abs(mtime_ns) < 1 << 63
            and size >= 0
            and len(digest) in (0, 64)
            and _HEX.issuperset(digest)
        ):
            raise ValueError(f"entry {place}")
        if kept and (kind == "other" or (kind == "file") != bool(digest) or (kind == "link") != bool(target)):
            raise ValueError(f"entry {place}")
        if kind == "folder":
            folders.add(path)
        elif kind not in ("file", "link", "other"):
            raise ValueError(f"entry {place}")
        if place:
            parent, _, name = path.rpartition("/")
            if path <= last or parent not in folders or name in ("", ".", "..") or path == GIT or "\0" in path + target:
                raise ValueError(f"entry {place}")
            if not path.isascii() or not target.isascii():
                os.fsencode(path + target)  # UnicodeEncodeError is a ValueError
            if path.count("/") > _READ_DEPTH:
                raise ValueError(f"entry {place}")
        last = path


class RestoreChanges(NamedTuple):
    """What restoring a save point does. Exact paths, sorted: see :func:`printable`.

    ``written``: files that get their old content; ``made``: folders; ``links``: links that are created or redirected;
    ``modes``: permissions that are set; ``times``: only the modification time is set; ``removed``: new since then.

    What cannot be restored: ``cannot``: paths whose content was not kept, and that have changed or gone: left as they are.
    ``left``: new since then, with content that cannot be kept: left where they are, rather than lost. ``lost``: in the way
    of something that is restored, with content that cannot be kept: gone for good.

    ``renamed``: files that get their old name back, as pairs of present and old name.
    """

    written: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    cannot: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def told(self) -> RestoreChanges:
        """The changes as a person is told them: a file that gets its old name back is neither written nor removed."""
        names = {name for pair in self.renamed for name in pair}
        written, removed = (tuple(path for path in paths if path not in names) for paths in (self.written, self.removed))
        return self._replace(written=written, removed=removed)

    @property
    def work(self) -> set[str]:
        """Paths where something has to be done."""
        return {*self.written, *self.made, *self.links, *self.modes, *self.times, *self.removed}

    def summary(self) -> str:
        """One line for a person: counts, and the first paths of each."""
        told = self.told
        parts = [
            _counted("renames", "file", [f"{_shown(now)} to {_shown(then)}" for now, then in told.renamed]),
            _counted("writes", "file", map(_shown, told.written)),
            _counted("makes", "folder", map(_shown, told.made)),
            _counted("sets", "link", map(_shown, told.links)),
            _counted("removes", "path", map(_shown, told.removed)),
            _counted("sets permissions of", "path", map(_shown, told.modes)),
        ]
        said = [part for part in parts if part]
        if not said:
            said = [_counted("changes only the times of", "path", map(_shown, self.times)) or "changes nothing"]
        return "; ".join([*said, *self.regrets(most=3)])

    def regrets(self, *, most: int = 20) -> tuple[str, ...]:
        """What will not be as it was, one line each, for a person and for an event."""
        lines = [f"{_shown(path)} is not brought back: its content was not kept" for path in self.cannot]
        lines += [f"{_shown(path)} stays: it is new, and its content cannot be kept" for path in self.left]
        lines += [f"{_shown(path)} is lost: its content cannot be kept" for path in self.lost]
        more = len(lines) - most
        return (*lines[:most], f"{more} more of this kind") if more > 0 else tuple(lines)


def changes(now: Manifest, then: Manifest, *, armed: Set[str] = frozenset()) -> RestoreChanges:
    """What restoring ``then`` does to a folder in the state ``now``. ``armed``: files whose set-id bits must go."""
    found: dict[str, list[str]] = {name: [] for name in RestoreChanges._fields if name != "renamed"}
    here = now.by_path
    for entry in then.entries:
        current = here.get(entry.path)
        if current != entry or entry.path in armed:
            for name in _due(current, entry, entry.path in armed):
                found[name].append(entry.path)
    _new(now, then, found)
    removed, written = {*found["removed"]}, {*found["written"]}
    moved = moves(then.entries, now.entries).items()
    renamed = tuple(sorted((new, old) for new, old in moved if new in removed and old in written))
    return RestoreChanges(**{name: tuple(sorted(paths)) for name, paths in found.items()}, renamed=renamed)


def _due(now: ManifestEntry | None, then: ManifestEntry, armed: bool) -> tuple[str, ...]:
    """The fields of :class:`RestoreChanges` that list the path of ``then``."""
    if not then.kept:
        if now is None or now.kind != then.kind:
            return ("cannot",)
        if then.kind == "file" and (now.size, now.mtime_ns) != (then.size, then.mtime_ns):
            return ("cannot",)
        return ("modes",) if then.kind != "other" and (armed or now.mode != then.mode) else ()
    lost = ("lost",) if now is not None and _irreplaceable(now) and now.kind != then.kind else ()
    match then.kind:
        case "folder" if now is None or now.kind != "folder":
            return ("made", *lost)
        case "link" if now is None or (now.kind, now.target) != ("link", then.target):
            return ("links", *lost)
        case "file" if now is None or (now.kind, now.digest) != ("file", then.digest):
            return ("written", "lost") if now is not None and _irreplaceable(now) else ("written",)
        case _ if armed or (now is not None and now.mode != then.mode):
            return ("modes",)
        case _:
            return ("times",)


def _new(now: Manifest, then: Manifest, found: dict[str, list[str]]) -> None:
    """Sort what is in ``now`` alone into ``removed``, ``left`` and ``lost``."""
    there = then.by_path
    fate: dict[str, Literal["free", "hidden", "in the way"]] = {}
    removed: set[str] = set()
    for entry in now.entries:
        path = entry.path
        if path in there:
            continue
        parent = path.rpartition("/")[0]
        old = there.get(parent)
        if old is None:
            fate[path] = fate[parent]
        elif not old.kept:
            fate[path] = "hidden"  # what was in there is not known, so it is none of our business
        else:
            fate[path] = "free" if old.kind == "folder" else "in the way"
        if fate[path] == "hidden":
            continue
        if not _irreplaceable(entry):
            removed.add(path)
        elif fate[path] == "in the way":
            removed.add(path)
            found["lost"].append(path)
        else:
            found["left"].append(path)
            while parent in removed:  # a folder stays with what is in it
                removed.discard(parent)
                parent = parent.rpartition("/")[0]
    found["removed"].extend(removed)


def _irreplaceable(entry: ManifestEntry) -> bool:
    """Whether an entry contains something that was not kept. Pipes and sockets contain nothing."""
    return not entry.kept and entry.kind != "other"


def printable(path: str) -> str:
    """The path with everything that is not a visible character written as an escape."""
    if path.isprintable():
        return path
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in path)


def _counted(verb: str, noun: str, names: Iterable[str], most: int = 3) -> str:
    named = [*names]
    if not named:
        return ""
    first = ", ".join(named[:most]) + (", ..." if len(named) > most else "")
    return f"{verb} {len(named)} {noun}{'s' * (len(named) > 1)} ({first})"


def _shown(path: str) -> str:
    return printable(path) or "the workspace itself"


def kind_of(mode: int) -> Kind:
    """The kind of entry that ``st_mode`` means."""
    return _KINDS.get(mode & 0o170000, "other")


_KINDS: Mapping[int, Kind] = {0o100000: "file", 0o040000: "folder", 0o120000: "link"}
