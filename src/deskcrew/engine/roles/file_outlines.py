"""The workspace's files as a prompt lists them, with the content or structure of the relevant ones, so that models write
code for what the files really contain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from textwrap import indent
from typing import NamedTuple

from deskcrew.actions.outlines import outline, shortened
from deskcrew.actions.readers import CONTAINERS, MAX_TEXT, MEMBER, members
from deskcrew.errors import ActionError
from deskcrew.facts.observation import FileEntry, Observation
from deskcrew.facts.texts import names_file, names_in, speaks_of
from deskcrew.journal.fold import RunState

LENGTH = 320
"""Length of one file's outline in a prompt with several, in characters."""
TOGETHER = 900
"""Length of all outlines in a prompt together, in characters."""
KEPT = 100
"""Maximum number of cached outlines."""
LONGEST = 40_000
"""Length of the longest text that is shown whole, whatever a model reads, in characters."""
NO_END = " (no line end at its end)"
INSIDE = 5
"""Maximum number of files inside an archive or message whose outlines are shown."""
LISTED = 30

TextOf = Callable[[str], str]
"""Returns the text of a workspace file; raises ActionError if it cannot be read."""


class _Kept(NamedTuple):
    """A cached outline. ``text``: the blob of the file's text; ``members``: the names in an archive; ``told``: see
    :meth:`FileOutlines._head`."""

    text: str
    members: Sequence[str]
    told: tuple[str, str, str]


class FileOutlines:
    """Outlines of files, cached by path and digest."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str | None], _Kept] = {}

    def told(
        self,
        now: Observation,
        state: RunState,
        text_of: TextOf,
        *,
        part: float = 1,
        reading: int = 0,
        whole: Collection[str] = (),
        elsewhere: Collection[str] = (),
    ) -> str:
        """The workspace's files, one per line. Those that may matter are shown with outlines, at most :data:`TOGETHER` or
        this ``part`` of ``reading`` characters in total, whichever is more; none if ``part`` is 0. If ``reading`` is more,
        files that fit beside the outlines of the rest are shown whole, and all files are candidates: first ``whole``, then
        those that the task names, then the smallest. Of a file in ``whole`` that does not fit, the beginning is shown.
        ``elsewhere``: files whose contents another part of the prompt shows."""
        together = max(TOGETHER, int(reading * part))
        reads = reading > TOGETHER
        files = [entry for entry in now.files if entry.kind == "file"]
        listed = files[:LISTED]
        chosen = shown_in_part(files, state.task).difference(elsewhere) if part else frozenset[str]()
        shown = [entry for entry in listed if entry.path in chosen]
        if reads and part:
            # What notes of the workspace say is told where it belongs.
            told = {note.path for note in state.started.notes} if state.started is not None else set[str]()
            told.update(elsewhere)
            others = (entry for entry in listed if entry.path in chosen or entry.path not in told)
            shown = sorted(others, key=lambda each: (each.path not in whole, each.path not in chosen, each.size))
        room = max(LENGTH, together // max(1, len(shown)))
        left, heads = together, dict[str, str]()
        for number, entry in enumerate(shown, 1):
            rest = (each for each in shown[number:] if each.path in chosen or entry.path not in chosen)
            outlines = sum(min(each.size, LENGTH) for each in rest)
            if left <= 0:
                break
            with suppress(ActionError):
                text, built, end = self._head(entry, files, state, text_of)
                whole_text = f"{end}, whole:\n{indent(text.rstrip(), '  ')}" if reads and text else ""
                if 0 < len(whole_text) <= left - outlines:
                    heads[entry.path] = whole_text
                elif built:
                    built = " | ".join(text_of(entry.path).split("\n")) if entry.path in whole else built
                    heads[entry.path] = f": {shortened(built, min(room, left))}{end}"
                left -= len(heads.get(entry.path, ""))
        lines = [f"- {entry.path}{heads.get(entry.path, '')}" for entry in listed]
        if len(files) > LISTED:
            lines.append(f"- and {len(files) - LISTED} more")
        return "\n".join(lines)

    def _head(self, entry: FileEntry, files: Sequence[FileEntry], state: RunState, text_of: TextOf) -> tuple[str, str, str]:
        """A file's text as of the last observation, with the texts of files inside it, '' if longer than :data:`LONGEST`;
        its outline; and a note if it lacks a final line end. Nothing is read if they are cached.

        Raises ActionError, worded for the model, if the file does not exist.
        """
        key, known = (entry.path, entry.digest), state.files_read.get(entry.path)
        kept = self._kept.get(key)
        if kept is not None and (known is None or not entry.digest or kept.text != known.text):
            kept = None
        text = text_of(entry.path) if kept is None else ""
        holds = entry.path.lower().endswith(CONTAINERS)
        inside = kept.members if kept is not None else members(text) if holds else ()
        # Whether an archive has been unpacked depends on the folder, not on the archive.
        if inside and (folder := unpacked_in(inside, files)) is not None:
            return "", f"unpacked already: its files are in {folder or 'this folder'}", ""
        if kept is None:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            told = _told_inside if holds else _told
            kept = _Kept(state.files_read[entry.path].text, inside, told(entry.path, text, state, text_of))
            self._kept[key] = kept
        return kept.told


def _told(path: str, text: str, state: RunState, _: TextOf) -> tuple[str, str, str]:
    # A model that writes the same content again, or appends to it, needs to know about a missing final line end.
    end = NO_END if 0 < len(text) <= MAX_TEXT and not text.endswith("\n") else ""
    return text if len(text) <= LONGEST else "", outline(path, text, LONGEST, names_in(state.task)), end


def _told_inside(path: str, text: str, state: RunState, text_of: TextOf) -> tuple[str, str, str]:
    head, inside = outline(path, text, LONGEST, names_in(state.task)), _inside(path, text_of)
    whole = "\n".join((text, *(f"[{name} in it]\n{each}" for name, each in inside)))
    outlines = (f" || {name} in it: {outline(name, each, LENGTH)}" for name, each in inside)
    return whole if len(whole) <= LONGEST else "", f"{head}{''.join(outlines)}", ""


def unpacked_in(inside: Sequence[str], files: Sequence[FileEntry]) -> str | None:
    """The folder that already contains everything in an archive, '' for the workspace itself; None if there is none."""
    there = {entry.path for entry in files}
    first = inside[0] if inside else ""
    above = (path[: -len(first)].rstrip("/") for path in sorted(there) if first and f"/{path}".endswith(f"/{first}"))
    return next((at for at in above if all(f"{at}/{name}".lstrip("/") in there for name in inside)), None)


def _inside(holder: str, text_of: TextOf) -> list[tuple[str, str]]:
    """The names and texts of the first files in an archive, or attached to a message, that can be read."""
    told = list[tuple[str, str]]()
    with suppress(ActionError):
        for name in text_of(f"{holder}{MEMBER}").splitlines()[:INSIDE]:
            with suppress(ActionError):
                told.append((name, text_of(f"{holder}{MEMBER}{name}")))
    return told


def shown_in_part(files: Sequence[FileEntry], task: str) -> frozenset[str]:
    """The files whose outlines a prompt shows: those that the task names; all, if there are at most two; and one of each
    type in a folder that the task names, because the others are probably similar."""
    named = {entry.path for entry in files if names_file(task, entry.path)}
    kinds: dict[tuple[str, str], str] = {}
    for entry in files:
        folder, _, name = entry.path.rpartition("/")
        if folder and speaks_of(task, folder):
            kinds.setdefault((folder, name.rpartition(".")[2].lower()), entry.path)
    everything = [entry.path for entry in files] if len(files) <= 2 else []
    return frozenset((*named, *kinds.values(), *everything))
