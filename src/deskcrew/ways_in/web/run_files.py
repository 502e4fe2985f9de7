"""The files that a run made, changed, moved or deleted, as its observations show, for download."""

from __future__ import annotations

import io
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from deskcrew.environments.held_folders import READ, held
from deskcrew.environments.manifest import Manifest
from deskcrew.facts import events as e
from deskcrew.facts.observation import FileEntry, moves
from deskcrew.journal.later import Later, differs
from deskcrew.journal.reading import Reading, Track
from deskcrew.ways_in.report.text import clean, one_line
from deskcrew.ways_in.web.context import Here, Web
from deskcrew.ways_in.web.run_view import ShownRun
from deskcrew.ways_in.web.screen import observation

router = APIRouter()

MOST = 200
"""The maximum number of files that a page lists; the others are counted."""
LONGEST = 100
"""The maximum number of characters of a path that are shown: its beginning and, since that identifies the file, its end."""
PIECE = 1 << 18
ALONE = "sandbox; default-src 'none'"
"""The content security policy that makes a file inert if a browser opens it by itself."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that was created or changed since the run began, or no longer exists (``gone``). ``shown``: its path for
    display; ``words``: what happened to it; ``size``: in bytes; ``digest``: its content's digest, '' if not known."""

    path: str
    shown: str
    words: str
    size: int
    gone: bool = False
    digest: str = ""


@dataclass(frozen=True, slots=True)
class ListedFiles:
    """The files of a run's page. ``more``: how many are not listed; ``known``: whether an observation could be read."""

    made: tuple[ListedFile, ...] = ()
    more: int = 0
    known: bool = False


def files_at(reading: Reading, track: Track) -> ListedFiles:
    """The differences between the first and the last observation of a branch. Blocking."""
    first = next((place.number for place in reading.on(track, {"observed"})), 0)
    last = reading.last(track, track.head, "observed")
    if last is None or not first:
        return ListedFiles()
    # Looks come more seldom than events, and they are long.
    first_last = first, last.number
    return reading.once(files_at, first_last, lambda: _between(*(_entries(reading, number) for number in first_last)))


def changed_after(files: ListedFiles, run: ShownRun) -> dict[str, Later]:
    """The files that were changed after the run ended, by path. Reads them."""
    if run.outcome is None or run.row.imported or not run.current:
        return {}
    found = {each.shown: differs(Path(run.started.workspace, each.path), each.digest) for each in files.made}
    return {path: now for path, now in found.items() if now == "changed"}


def removed_after(files: ListedFiles, run: ShownRun) -> frozenset[str]:
    """The paths of files that are no longer in the run's folder, which must be on this machine."""
    if run.row.imported or not run.current:
        return frozenset()
    made = (each.path for each in files.made if not each.gone)
    return frozenset(path for path in made if not Path(run.started.workspace, path).exists())


def _entries(reading: Reading, number: int) -> tuple[FileEntry, ...] | None:
    body = reading.event(number).body
    seen = observation(reading, body) if isinstance(body, e.Observed) else None
    return None if seen is None else seen.files


def _between(before: tuple[FileEntry, ...] | None, after: tuple[FileEntry, ...] | None) -> ListedFiles:
    if before is None or after is None:
        return ListedFiles()
    was = {entry.path: entry for entry in before}
    now = {entry.path for entry in after}
    moved = moves(before, after)
    found: list[ListedFile] = []
    for entry in after:
        if entry.kind != "file" or _same(was.get(entry.path), entry):
            continue
        words = "changed" if entry.path in was else "new"
        if (source := moved.get(entry.path)) is not None:
            words = f"{_verb(source, entry.path)} from {shown(source)}"
        found.append(ListedFile(entry.path, shown(entry.path), words, entry.size, digest=entry.digest or ""))
    gone = (each for each in before if each.kind == "file" and each.path not in now and each.path not in moved.values())
    found += (ListedFile(entry.path, shown(entry.path), "deleted", entry.size, gone=True) for entry in gone)
    return ListedFiles(tuple(found[:MOST]), max(len(found) - MOST, 0), known=True)


def _verb(old: str, new: str) -> str:
    """``renamed`` if a file's new path is in the same folder, else ``moved``."""
    return "renamed" if old.rpartition("/")[0] == new.rpartition("/")[0] else "moved"


def _same(before: FileEntry | None, after: FileEntry) -> bool:
    if before is None or before.kind != after.kind:
        return False
    if before.digest is not None and after.digest is not None:
        return before.digest == after.digest
    return (before.size, before.mtime_ns) == (after.size, after.mtime_ns)


def shown(path: str) -> str:
    """A path for display: hidden characters are made visible, and it has at most :data:`LONGEST` characters."""
    text = one_line(clean(path), 4 * LONGEST + len(path))
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[: half - 1]}…{text[-half:]}"


@router.get("/runs/{run}/files/{path:path}")
def file(web: Here, request: Request, run: str, path: str) -> Response:
    """Download a file of a run's workspace; if the run is from another machine, the file's last saved version."""
    row, reading = web.store.row(run), web.readings.of(run)
    begun = reading.event(1).body
    if row.imported or not isinstance(begun, e.RunStarted):
        return _none(web, request, "This run was imported.", "Its folder is on another machine.")
    found = opened(Path(begun.workspace), path) if web.store.here(run) else None
    size = os.fstat(found.fileno()).st_size if found is not None else 0
    if found is None and web.store.database.shared and (data := saved(reading, path)) is not None:
        found, size = io.BytesIO(data), len(data)
    if found is None:
        hint = "It was moved or removed, or it is a folder or a link."
        return _none(web, request, f"There is no file {shown(path)} in the folder of this run.", hint)
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(_kept_as(path), safe='')}",
        "content-length": str(size),
        "content-security-policy": ALONE,
    }
    return StreamingResponse(_pieces(found, size), media_type="application/octet-stream", headers=headers)


def saved(reading: Reading, path: str) -> bytes | None:
    """The content of a file in the current branch's last save point; None if it has no such file, or not its content."""
    track = reading.track()
    point = reading.last(track, track.head, "saved")
    if point is None or not isinstance(point.body, e.Saved):
        return None
    entry = Manifest.from_bytes(reading.read_blob(point.body.manifest)).by_path.get(path)
    if entry is None or entry.kind != "file" or not entry.digest:
        return None
    return reading.read_blob(entry.digest)


def opened(root: Path, path: str) -> BinaryIO | None:
    """Open a regular file below ``root``, without following symbolic links. None if there is none at that path."""
    parts = path.split("/")
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        return None
    try:
        # Each folder is opened in the one before it, so that nobody can put a link in the way meanwhile.
        with held(root, root.joinpath(*parts)) as place:
            descriptor = os.open(place, READ)
    except (OSError, UnicodeEncodeError):
        return None
    found = os.fdopen(descriptor, "rb") if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    if found is None:
        os.close(descriptor)
    return found


def _pieces(source: BinaryIO, size: int) -> Iterator[bytes]:
    """The content of a file, up to the announced size, since a crew may still be writing to it."""
    with source:
        while size > 0 and (piece := source.read(min(PIECE, size))):
            size -= len(piece)
            yield piece


def _kept_as(path: str) -> str:
    """The name for the download, without characters that could disguise what the file is."""
    name = path.rpartition("/")[2]
    return "".join(c for c in name if unicodedata.category(c)[0] != "C") or "file"


def _none(web: Web, request: Request, text: str, hint: str) -> Response:
    back = f"/runs/{request.path_params['run']}"
    return web.pages.page(request, "error.html", status=404, text=text, hint=hint, back=back)
