"""States of a workspace: as it was, as it is, and counter-states in which one change is undone or altered.

They are created from save points, so that the same journal always gives the same states, and a proof can be repeated.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path

from deskcrew.environments.manifest import GIT, Manifest, ManifestEntry
from deskcrew.environments.workspace import INSIDE, PASSING, TRASH
from deskcrew.evidence.altering import DAMAGED, LARGEST, REPLACED, altered
from deskcrew.evidence.damaging import spread
from deskcrew.evidence.edits import nearest, undone
from deskcrew.evidence.mistakes import mistakes
from deskcrew.evidence.screen import Altered
from deskcrew.facts.contract import TrialKind
from deskcrew.facts.excerpts import shorten

MOST_CHANGES = 40
"""Maximum number of changes that are undone, one at a time; of more changes, an evenly spread sample."""
MOST_ALTERED = 40
"""Maximum number of alterations that are tried in total, taken from the changed files in turn."""
START, END = "start", "end"
LONGEST_LINE = 60
"""Maximum length of an altered line in a state's label, in characters."""
OUTSIDE = "outside-of-the-workspace"
"""The target given to links that lead out of a workspace, so that following one never reads the machine's own files."""


@dataclass(frozen=True, slots=True)
class State:
    """A state to lay out. ``changed``: the path that differs from the end, '' for start and end themselves; ``content``: its
    new content, if that is not in a save point; ``others``: the new contents of other paths; ``line``: the line of the end's
    text that is altered, '' for other files; ``screen``: the alteration, if the screen differs instead."""

    label: str
    entries: Mapping[str, ManifestEntry]
    changed: str = ""
    content: bytes | None = None
    line: str = ""
    screen: Altered | None = None
    kind: TrialKind = "altered"
    others: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


@dataclass(frozen=True, slots=True)
class States:
    """All states of one workspace. ``start`` and ``end``: its save points; ``get`` returns the bytes with a digest."""

    start: Manifest
    end: Manifest
    get: Callable[[str], bytes]

    def changes(self) -> tuple[str, ...]:
        """The paths of files and links that are new, gone or different, of empty folders that are new or gone, and of
        anything with another mode; without the trash and programs' temporary files."""
        before, now = self.start.by_path, self.end.by_path
        paths = [path for path in sorted({*before, *now}) if path and _differ(before.get(path), now.get(path))]
        paths = [path for path in paths if path.partition("/")[0] != TRASH]
        paths = [path for path in paths if not PASSING.fullmatch(path.rpartition("/")[2])]
        there = {*before, *now}
        return tuple(path for path in paths if not _is_parent(path, there, before.get(path), now.get(path)))

    def modes_of(self, path: str) -> str:
        """The old and new mode of a path that differs in nothing else; '' if more differs, or nothing."""
        before, now = self.start.by_path.get(path), self.end.by_path.get(path)
        if before is None or now is None or before.mode == now.mode or _differ(before._replace(mode=now.mode), now):
            return ""
        return f"{before.mode:o} -> {now.mode:o}"

    def units(self) -> tuple[str, ...]:
        """The changes that are undone together: everything in one .git folder counts as a single change."""
        return tuple(dict.fromkeys(unit_of(path) for path in self.changes()))

    def all(self, *, exact: bool = False) -> Iterator[State]:
        """The end, the start, and the end with each change undone or altered. ``exact``: whether a check says all that the
        files hold; then there are also copies with typical mistakes."""
        before, now = self.start.by_path, self.end.by_path
        yield State(END, now)
        yield State(START, before)
        for path in spread(self.units(), MOST_CHANGES):
            undone = {key: entry for key, entry in now.items() if unit_of(key) != path}
            undone |= {key: entry for key, entry in before.items() if unit_of(key) == path}
            what = "as it was" if path in before else "not made"
            yield State(f"{path} {what}", undone, path, kind="as before" if path in before else "missing")
        paths = [path for path in self.changes() if unit_of(path) == path]
        yield from _in_turn([self._altered(path, whole=exact) for path in paths])
        if exact:
            yield from _in_turn([self._mistaken(path) for path in paths])
            yield from self._mixed_up(paths)

    def _mistaken(self, path: str) -> Iterator[State]:
        """The end with one typical mistake in a file."""
        entry = self.end.by_path.get(path)
        if entry is not None and _content(entry):
            now = self.get(entry.digest or "")
            for what, content in mistakes(path, now):
                yield self._with(path, what, content, now, "mistake")

    def _mixed_up(self, paths: Sequence[str]) -> Iterator[State]:
        """The end with a new file or folder under another name, or with the content of another one."""
        there = self.end.by_path
        new = [path for path in paths if path in there and path not in self.start.by_path]
        for path in new[-1:]:
            named = {key: entry for key, entry in there.items() if key != path}
            yield State(f"{path} under another name", named | {f"{path}x": there[path]}, path, kind="mistake")
        files = [path for path in new if _content(there[path])]
        if others := [path for path in files[1:] if there[path].digest != there[files[0]].digest]:
            one, other = files[0], others[0]
            changed = {one: there[other], other: there[one]}
            yield State(f"{one} and {other} with each other's content", {**there, **changed}, one, kind="mistake")

    def _altered(self, path: str, *, whole: bool) -> Iterator[State]:
        """The end with one edit of a file undone, or one thing in it altered. ``whole``: alter any line of a new file, also
        those that an older file has."""
        entry = self.end.by_path.get(path)
        if entry is None or not _content(entry) or self.modes_of(path):
            return
        now = self.get(entry.digest or "")
        older = self.older(path)
        old = self.content(older) if older else None
        own = not (whole and older != path) and all(other.digest != entry.digest for other in self.start.entries)
        if old is not None:
            for what, content in undone(path, old, now):
                yield self._with(path, what, content, now, "undone")
        for what, content in altered(path, old if own else None, now):
            kinds: list[TrialKind] = [kind for words, kind in _KINDS.items() if words in what]
            yield self._with(path, what, content, now, kinds[0] if kinds else "altered")

    def _with(self, path: str, what: str, content: bytes, now: bytes, kind: TrialKind) -> State:
        line = _altered_line(now, content)
        label = f"{path}, {what}" + (f" ({shorten(line, LONGEST_LINE)})" if line else "")
        return State(label, self.end.by_path, path, content, line, kind=kind)

    def older(self, path: str) -> str:
        """The file at the start that a file at the end was made from: itself, or the nearest by content; '' if none."""
        entry, was = self.end.by_path.get(path), self.start.by_path.get(path)
        if was is not None:
            return path if _content(was) else ""
        if entry is None or not _content(entry) or entry.size > LARGEST:
            return ""
        there = {
            each.path: partial(self.content, each.path)
            for each in self.start.entries
            if _content(each) and each.size <= LARGEST and each.path.partition("/")[0] != TRASH
        }
        return nearest(path, self.get(entry.digest or ""), there)

    def content(self, path: str) -> bytes:
        """What a file at the start contained."""
        return self.get(self.start.by_path[path].digest or "")

    def new_lines(self, path: str) -> tuple[str, ...]:
        """The lines of a text file at the end that were not in it at the start; () for other files."""
        was, entry = self.start.by_path.get(path), self.end.by_path.get(path)
        if entry is None or not _content(entry) or entry.size > LARGEST:
            return ()
        old = _lines(self.get(was.digest)) if was is not None and _content(was) and was.size <= LARGEST else ()
        return tuple(line for line in dict.fromkeys(_lines(self.get(entry.digest))) if line.strip() and line not in old)

    def lay_out(self, states: Sequence[State], folder: Path) -> tuple[Path, ...]:
        """Write each state into a folder of its own below ``folder``. Unchanged files are shared by hard links."""
        kept = folder / "kept"
        kept.mkdir()
        return tuple(self._laid_out(state, folder / str(number), kept) for number, state in enumerate(states))

    def _laid_out(self, state: State, top: Path, kept: Path) -> Path:
        top.mkdir()
        for path, entry in sorted(state.entries.items()):
            if not path:
                continue
            place = top / path
            place.parent.mkdir(parents=True, exist_ok=True)
            match entry.kind:
                case "folder":
                    place.mkdir(exist_ok=True)
                    place.chmod(entry.mode & 0o777 | 0o700)
                case "link":
                    target = _from_sandbox(path, entry.target)
                    place.symlink_to(target if _inside(top, place, target) else OUTSIDE)
                case "file" if path == state.changed and state.content is not None:
                    place.write_bytes(state.content)
                    place.chmod(entry.mode & 0o777 | 0o400)
                case "file" if path in state.others:
                    place.write_bytes(state.others[path])
                    place.chmod(entry.mode & 0o777 | 0o400)
                case "file" if entry.kept and entry.digest:
                    original = kept / f"{entry.digest}-{entry.mode:o}"
                    if not original.exists():
                        original.write_bytes(self.get(entry.digest))
                        original.chmod(entry.mode & 0o777 | 0o400)
                    os.link(original, place)
                case _:
                    pass  # what save points do not contain cannot be checked
        return top


def _in_turn(of_files: Sequence[Iterator[State]]) -> Iterator[State]:
    """At most :data:`MOST_ALTERED` states, taken from the files in turn."""
    return islice((each for turn in zip_longest(*of_files) for each in turn if each is not None), MOST_ALTERED)


_KINDS: dict[str, TrialKind] = {
    DAMAGED: "damaged",
    "left out": "left out",
    "that it had": "formatting",
    REPLACED: "replaced",
}
"""The kind of an alteration by a fragment of its name."""


def _altered_line(end: bytes, content: bytes) -> str:
    """The first line of a text that differs from the line there in another content; '' if one of them is not text."""
    pairs = zip(_lines(end), (*_lines(content), None), strict=False)
    return next((line for line, other in pairs if line != other), "")


def _lines(content: bytes) -> tuple[str, ...]:
    if len(content) > LARGEST:
        return ()
    try:
        return tuple(content.decode("utf-8-sig").splitlines())
    except UnicodeDecodeError:
        return ()


def unit_of(path: str) -> str:
    """The .git folder that contains a path, or the path itself if none does."""
    top, git, _ = path.partition(f"/{GIT}/")
    return f"{top}/{GIT}" if git else path


def _from_sandbox(path: str, target: str) -> str:
    """The target, within a state, of a link made by a program in the sandbox, where the workspace has another path."""
    if not target.startswith(f"{INSIDE}/"):
        return target
    return os.path.relpath(target.removeprefix(f"{INSIDE}/"), os.path.dirname(path) or ".")


def _inside(top: Path, place: Path, target: str) -> bool:
    reached = os.path.normpath(place.parent / target)
    return not os.path.isabs(target) and reached.startswith(f"{top}{os.sep}")


def _differ(before: ManifestEntry | None, now: ManifestEntry | None) -> bool:
    if before is None or now is None:
        return True
    return before._replace(mtime_ns=0, kept=True) != now._replace(mtime_ns=0, kept=True)


def _content(entry: ManifestEntry) -> bool:
    return entry.kind == "file" and entry.kept and bool(entry.digest)


def _is_parent(path: str, there: set[str], before: ManifestEntry | None, now: ManifestEntry | None) -> bool:
    """Whether a folder that is new or gone is already represented by its contents."""
    entry = before or now
    if entry is None or entry.kind != "folder" or (before is not None and now is not None and now.kind == "folder"):
        return False
    return any(other.startswith(f"{path}/") for other in there)
