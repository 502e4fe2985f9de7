"""Checks whether a folder can be a workspace: its location, and the amount of data in it.

A crew changes its workspace, and save points keep all of it. So it must be a separate folder: not a home, not part of the
system, nothing that Deskcrew itself depends on; and small enough to be kept.
"""

from __future__ import annotations

import os
import pwd
import stat
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from deskcrew.environments.manifest import GIT, printable
from deskcrew.environments.save_point import LARGEST
from deskcrew.environments.trees import FOLDER, MAX_DEPTH, TreeEntry, shallow, walk
from deskcrew.errors import UsageError

HINT = "Name a separate folder, for example: mkdir -p work && deskcrew run TASK --workspace work"
SYSTEM = ("/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/proc", "/sys")
"""Nothing in these can be a workspace."""
SHARED = {"/home": 1, "/media": 1, "/mnt": 1, "/opt": 1, "/srv": 1, "/tmp": 1, "/dev": 2, "/var": 2, "/run": 3}
"""Folders that many programs share: a workspace must be at least this many levels below."""
NAMED = 3
"""The number of files too large to keep that are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Size:
    """What save points of a folder keep: ``files`` and their ``bytes`` (both numbers). ``too_large``: files only named."""

    files: int
    bytes: int
    too_large: tuple[str, ...]

    def left_out(self) -> str:
        """The files that are not kept, as a sentence; '' if there are none."""
        if not self.too_large:
            return ""
        more = len(self.too_large) - NAMED
        named = ", ".join(self.too_large[:NAMED]) + (f" and {more} more" if more > 0 else "")
        return f"Larger than {_megabytes(LARGEST)}, so a rewind cannot bring it back: {named}."

    def words(self) -> str:
        return f"{self.files:,} files, {_megabytes(self.bytes)}"


def refuse_place(folder: Path, data: Path, others: Iterable[Path] = ()) -> None:
    """Raises UsageError if ``folder`` is, or contains, something that no crew may change. ``data``: the folder of the
    journal, in which only the folders below ``workspaces`` qualify. ``others``: folders that Deskcrew reads."""
    place = folder.resolve()
    if (why := _unfit(place)) or (why := _ours(place, data.resolve(), [other.resolve() for other in others])):
        raise UsageError(f"{folder} cannot be the workspace: {why}.", hint=HINT)


def _unfit(place: Path) -> str:
    if place == Path("/"):
        return "it is the root of the file system"
    if any(place.is_relative_to(system) for system in SYSTEM):
        return "it is part of the system"
    for shared, depth in SHARED.items():
        if place.is_relative_to(shared) and len(place.relative_to(shared).parts) < depth:
            return "the system and other programs use it"
    homes = {Path(account.pw_dir) for account in pwd.getpwall()} | {Path("/root")}
    home = Path.home().resolve()
    if place in homes or place == home or place.parent == Path("/home"):
        return "it is a home folder"
    return "your home folder lies in it" if home.is_relative_to(place) else ""


def _ours(place: Path, data: Path, others: list[Path]) -> str:
    if any(own.is_relative_to(place) for own in (data, *others)):
        return "Deskcrew keeps its own files in it"
    made = data / "workspaces"
    inside = place.is_relative_to(data) and (place == made or not place.is_relative_to(made))
    return "it belongs to Deskcrew's own files" if inside else ""


def measure(
    root: Path, *, files: int, size: int, largest: int = LARGEST, told: Callable[[str], None] = lambda _: None
) -> Size:
    """What save points of ``root`` would keep. Stops counting, and raises UsageError, above ``files`` files or ``size``
    bytes. ``told``: called with the progress if that takes more than a second. Reads no file and follows no link."""
    entries = count = total = 0
    large: list[str] = []
    last = time.monotonic()
    for found in _entries(root):
        length = found.status.st_size if stat.S_ISREG(found.status.st_mode) else 0
        if length > largest:
            large.append(printable(found.path))
            continue
        if found.depth >= MAX_DEPTH:
            raise UsageError(
                f"The workspace {root} cannot be kept: folders in it are nested more than {MAX_DEPTH} deep, below "
                f"{printable(found.path)[:80]}.",
                hint="Remove them (`rm -r` can), or name another folder.",
            )
        entries, count, total = entries + 1, count + stat.S_ISREG(found.status.st_mode), total + length
        if entries > files or total > size:
            raise UsageError(
                f"The workspace {root} is too large to be kept: more than "
                + (
                    f"{files:,} files and folders."
                    if entries > files
                    else f"{_megabytes(size)} ({count:,} files looked at)."
                ),
                hint="Name a smaller folder, or raise workspace_files and workspace_bytes in your settings.",
            )
        if not entries % 256 and time.monotonic() - last > 1:
            last = time.monotonic()
            told(f"looking through the workspace: {Size(count, total, ()).words()}")
    return Size(count, total, tuple(sorted(large)))


def _entries(root: Path) -> Iterable[TreeEntry]:
    """The entries that a save point examines."""
    try:
        top = os.open(root, FOLDER)
    except OSError:  # it has gone, or may not be read: a save point says so
        return
    try:
        yield from walk(top, lambda found: found.path != GIT and shallow(found))
    finally:
        os.close(top)


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):,.0f} MiB"
