"""Reads an exported run's file. It may come from anybody, so nothing in it is trusted, and everything has a maximum size.

Nothing in the file is ever used as a path.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import zipfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter, ValidationError

from deskcrew.errors import CrewMistake
from deskcrew.facts.events import SCHEMA, Body, Event, Header
from deskcrew.facts.json_values import JsonObject, is_list, is_object
from deskcrew.journal.exporting import BLOBS, EVENTS, FORM, MANIFEST
from deskcrew.journal.naming import DIGEST
from deskcrew.journal.redaction import without_texts

MOST_ENTRIES = 1_000_000
MOST_EVENTS = 100_000
LARGEST_EVENTS = 256 << 20
LATEST = 2.5e11
"""The latest time that an event may have: Unix seconds, in the year 9892."""
LARGEST = 512 << 20
"""The maximum size of a single archive entry in bytes."""
MOST = 16 << 30
"""The maximum size of all entries in bytes."""
DENSEST = 100
"""The maximum ratio of all entries' size to the file's own; an export stays well below."""
FREE = 16 << 20
"""Bytes of entries that are accepted whatever the file's size."""
_LONGEST_RUN = 32
_CHUNK = 1 << 20
_BODY: TypeAdapter[Body] = TypeAdapter(Body)


class ImportRefused(Exception):
    """A file cannot be imported. ``str()``: why, in words for people."""


@dataclass(frozen=True, slots=True)
class ExportedLine:
    """An event, with its header and body as they are written in the file, over which hashes are taken."""

    event: Event
    header: JsonObject
    body: JsonObject
    redacted: bool


@dataclass(frozen=True, slots=True)
class ExportedManifest:
    """The manifest of an export. ``events``: the number of events; ``head``: the id of the last one; ``branches``: number of
    the first event, label, and whether it is hidden."""

    run: str
    events: int
    head: str
    branches: tuple[tuple[int, str, bool], ...]


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises OSError for anything else: reading from a pipe or a device may never end."""
    # Not waiting: what it is is known only of what was opened, as anything else may be there a moment later.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is a folder" if stat.S_ISDIR(kind) else "it is not a regular file")
    return os.fdopen(descriptor, "rb")


class Reader:
    """Reads the entries of an archive, up to their maximum sizes. Sizes declared in the archive are not trusted."""

    def __init__(self, archive: zipfile.ZipFile, size: int) -> None:
        """``size``: the file's size in bytes. Raises ImportRefused if the archive has entries that no export has."""
        self._archive = archive
        self._left = min(MOST, FREE + DENSEST * size)
        self._infos: dict[str, zipfile.ZipInfo] = {}
        if len(archive.infolist()) > MOST_ENTRIES:
            raise ImportRefused("it has too many entries")
        for info in archive.infolist():
            name = info.filename
            blob = name.removeprefix(BLOBS) if name.startswith(BLOBS) else None
            if name not in (MANIFEST, EVENTS) and (blob is None or not DIGEST.fullmatch(blob)):
                raise ImportRefused("it holds something that does not belong to an export")
            if name in self._infos:
                raise ImportRefused("it holds an entry twice")
            self._infos[name] = info
        starts = sorted((info.header_offset, info.compress_size) for info in self._infos.values())
        if any(start + packed > after for (start, packed), (after, _) in pairwise(starts)):
            raise ImportRefused("its contents overlap")

    @property
    def blobs(self) -> list[str]:
        return sorted(name.removeprefix(BLOBS) for name in self._infos if name.startswith(BLOBS))

    def content(self, name: str, most: int = LARGEST) -> bytes:
        """The content of one entry. Raises ImportRefused if it is missing or longer than ``most`` bytes."""
        info = self._infos.get(name)
        if info is None:
            raise ImportRefused(f"{name} is missing")
        read = bytearray()
        with self._archive.open(info) as stream:
            while chunk := stream.read(_CHUNK):
                read += chunk
                self._left -= len(chunk)
                if len(read) > most or self._left < 0:
                    raise ImportRefused("its contents are too large for a file of its size")
        return bytes(read)


def contents_of(reader: Reader) -> tuple[ExportedManifest, list[ExportedLine]]:
    """The manifest and all events. Raises ImportRefused if the file is incomplete or not an export."""
    names, lines = _names(reader), _lines(reader)
    _whole(names, lines)
    return names, lines


def _whole(names: ExportedManifest, lines: list[ExportedLine]) -> None:
    """Refuse an incomplete export. The hash chain does not show that: without the newest events it still holds."""
    if not lines or any(line.event.header.run != names.run for line in lines):
        raise ImportRefused("its events are not those of one run")
    if len(lines) != names.events:
        raise ImportRefused(f"it holds {len(lines)} events, and its manifest says {names.events}")
    if lines[-1].event.id != names.head:
        raise ImportRefused("its last event is not the one that its manifest names")


def _names(reader: Reader) -> ExportedManifest:
    data = _json(reader.content(MANIFEST, 4 << 20))
    if data.get("form") != FORM:
        raise ImportRefused(
            "it was written by a newer Deskcrew" if isinstance(data.get("form"), int) else "it is not an export"
        )
    run, listed, events, head = (data.get(name) for name in ("run", "branches", "events", "head"))
    if not isinstance(run, str) or not _is_run(run) or not is_list(listed):
        raise ImportRefused("its manifest is not that of a run")
    if not isinstance(events, int) or not isinstance(head, str):
        raise ImportRefused("its manifest is not that of a run")
    found: list[tuple[int, str, bool]] = []
    for branch in listed:
        match branch:
            case {"start": int() as start, "label": str() as label, "hidden": bool() as hidden} if (
                len(label) <= 80 and label.isprintable()
            ):
                found.append((start, label, hidden))
            case _:
                raise ImportRefused("its manifest is not that of a run")
    return ExportedManifest(
        run, events, head, tuple({start: (start, label, hidden) for start, label, hidden in found}.values())
    )


def _lines(reader: Reader) -> list[ExportedLine]:
    lines: list[ExportedLine] = []
    ids: set[str | None] = {None}
    for text in reader.content(EVENTS, LARGEST_EVENTS).split(b"\n")[:-1]:
        if len(lines) >= MOST_EVENTS:
            raise ImportRefused("it has too many events")
        line = _line(_json(text), len(lines) + 1)
        # Only backwards: else following parents would have no end.
        if line.event.id in ids or (line.event.header.parent is None) != (not lines) or line.event.header.parent not in ids:
            raise ImportRefused(f"event {len(lines) + 1} follows no earlier one")
        ids.add(line.event.id)
        lines.append(line)
    return lines


def _line(data: JsonObject, number: int) -> ExportedLine:
    id, header, digest, body = (data.get(name) for name in ("id", "header", "digest", "body"))
    if not (isinstance(id, str) and isinstance(digest, str) and isinstance(header, dict) and isinstance(body, dict)):
        raise ImportRefused(f"event {number} is incomplete")
    redacted = data.get("redacted") is True
    kept = header, body
    try:
        if redacted:
            # No hash covers such a body, so a text in it could be anybody's.
            kept = kept[0], without_texts(kept[1])
        head = Header.model_validate_json(json.dumps(header))
        if head.schema_version > SCHEMA:
            raise ImportRefused("it was written by a newer Deskcrew")
        event = Event(id=id, header=head, digest=digest, body=_BODY.validate_json(json.dumps(kept[1])))
    except (ValidationError, CrewMistake, RecursionError) as error:
        raise ImportRefused(f"event {number} is not one of this version") from error
    if head.number != number or not 0 <= head.time < LATEST or not DIGEST.fullmatch(id) or not DIGEST.fullmatch(digest):
        raise ImportRefused(f"event {number} is not in its place")
    return ExportedLine(event, *kept, redacted)


def _json(text: bytes) -> JsonObject:
    def no_number(_: str) -> float:
        raise ValueError

    try:
        data: object = json.loads(text, parse_constant=no_number)
    except (ValueError, RecursionError) as error:
        raise ImportRefused("its JSON cannot be read") from error
    if not is_object(data):
        raise ImportRefused("its JSON is not what an export holds")
    return data


def _is_run(name: str) -> bool:
    """Whether a name may be a run's id."""
    signs = name.replace("_", "a").replace("-", "a")
    return 0 < len(name) <= _LONGEST_RUN and name[0] not in "_-" and signs.isascii() and signs.isalnum()
