"""Exports one run as one file that any zip tool opens; the same run gives the same bytes.

manifest.json     format, run, number of events, the last event's id, names of branches
events.jsonl      one event a line: id, header, digest, body; ``redacted`` where texts of the body were removed
blobs/DIGEST      prompts, replies, observations, pictures, save points, by SHA-256
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from deskcrew.errors import UsageError
from deskcrew.journal import schema
from deskcrew.journal.blobs import Blobs
from deskcrew.journal.journal import Journal
from deskcrew.journal.naming import digests_in, files_in, save_points_in
from deskcrew.journal.redaction import without_texts

FORM = 1
MANIFEST, EVENTS, BLOBS = "manifest.json", "events.jsonl", "blobs/"
DENSEST = 50
"""Data that would shrink by more than this factor is stored uncompressed, so that a reader need not accept small files with
huge contents."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The counts of an export. ``redacted``: events without their texts; ``bytes``: the file's size."""

    run: str
    events: int
    blobs: int
    redacted: int
    bytes: int


def export(
    journal: Journal,
    target: Path,
    *,
    redact: bool = False,
    only: Collection[str] | None = None,
    holds: Callable[[bytes], bool] | None = None,
    force: bool = False,
) -> Exported:
    """Write the committed events of a run to ``target``. ``redact``: leave out all texts; ``only``: ids of the events that
    keep their texts, None for all.

    ``holds``: whether bytes contain a secret; then nothing is exported. ``force``: overwrite a file that is not an earlier
    export of this run. Raises UsageError if it finds a secret, must not overwrite the file or cannot write it, JournalError
    if the journal is damaged.
    """
    _may_be_written(target, journal.run, force=force)
    part = target.with_name(f".{target.name}.part")
    try:
        with journal.database.reading() as connection, zipfile.ZipFile(part, "w") as archive:
            found = _write(connection, journal.database.blobs, journal.run, archive, redact=redact, only=only, holds=holds)
        part.replace(target)
        return Exported(journal.run, *found, target.stat().st_size)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror or error}.", hint="Name another file.") from error
    finally:
        part.unlink(missing_ok=True)


def _may_be_written(target: Path, run: str, *, force: bool) -> None:
    if not target.name or target.is_dir():
        where = target / f"{run}.deskcrew.zip"
        raise UsageError(f"{str(target)!r} is a folder.", hint=f"Name a file, such as {where}.")
    if not target.exists():
        return
    if not target.is_file():
        raise UsageError(f"{target} is not an ordinary file.", hint="Name another file.")
    if not force and _run_in(target) != run:
        raise UsageError(
            f"{target} already exists, and is not an export of run {run}.",
            hint="Name another file, or overwrite it with --force.",
        )


def _run_in(file: Path) -> str | None:
    """The id of the run that a file is an export of; None for any other file."""
    try:
        with zipfile.ZipFile(file) as archive, archive.open(MANIFEST) as stream:
            found: Any = json.loads(stream.read(4 << 20))
            return found["run"]
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, LookupError, ValueError, TypeError):
        return None


def _write(
    connection: Connection,
    kept: Blobs,
    run: str,
    archive: zipfile.ZipFile,
    *,
    redact: bool,
    only: Collection[str] | None,
    holds: Callable[[bytes], bool] | None,
) -> tuple[int, int, int]:
    lines: list[bytes] = []
    blobs: set[str] = set()
    points: set[str] = set()
    redacted, head = 0, ""
    table = schema.events
    for row in connection.execute(select(table).where(table.c.run == run).order_by(table.c.number)):
        body = json.loads(row.body)
        bare = redact or row.redacted or (only is not None and row.id not in only)
        if bare:
            body, redacted = without_texts(body), redacted + 1
        else:
            blobs.update(digests_in(body))
            points.update(save_points_in(body))
        line = {"id": row.id, "header": json.loads(row.header), "digest": row.digest, "body": body}
        lines.append(_json(line | ({"redacted": True} if bare else {})))
        head = row.id
        if not bare and holds is not None and holds(lines[-1]):
            raise _secret(f"event {row.number}")
    names = schema.branches
    found = connection.execute(select(names).where(names.c.run == run).order_by(names.c.start)).all()
    labels = [{"start": x.start, "label": "" if redact else x.label, "hidden": x.hidden} for x in found]
    manifest = {"form": FORM, "run": run, "events": len(lines), "head": head, "redacted": redacted, "branches": labels}
    _add(archive, MANIFEST, json.dumps(manifest, indent=1, sort_keys=True).encode())
    _add(archive, EVENTS, b"".join(lines))
    written = 0
    for digest, data in _blobs(connection, kept, blobs, points):
        if holds is not None and holds(data):
            raise _secret(f"blob {digest[:12]}")
        _add(archive, BLOBS + digest, data)
        written += 1
    return len(lines), written, redacted


def _blobs(connection: Connection, kept: Blobs, wanted: set[str], points: set[str]) -> Iterator[tuple[str, bytes]]:
    """The wanted blobs that exist, with the contents of the files that save points name, sorted."""
    files = [files_in(kept.get(connection, point) or b"") for point in sorted(points)]
    for digest in sorted(wanted.union(*files)):
        data = kept.get(connection, digest)
        if data is not None:
            yield digest, data


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, 0o600 << 16
    small = len(zlib.compress(data, 6)) if data else 0
    info.compress_type = zipfile.ZIP_DEFLATED if 0 < small < len(data) < small * DENSEST else zipfile.ZIP_STORED
    archive.writestr(info, data, compresslevel=6)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _secret(where: str) -> UsageError:
    return UsageError(
        f"Nothing was exported: {where} holds a value of one of your secrets.", hint="--redact-text leaves all texts out."
    )
