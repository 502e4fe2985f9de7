"""The contents of archives, listed without unpacking anything to disk."""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import lzma
import tarfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple, cast

from deskcrew.actions.sections import MAX_ENTRIES, MAX_UNPACKED, Section, archive

_OPENERS: tuple[tuple[bytes, Callable[..., Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", lzma.open),
)
COMPRESSED = (".gz", ".bz2", ".xz")
"""Suffixes of single compressed files; a tar archive may have them, too."""
TAPES = (".tar", ".tgz", ".tbz2", ".txz")


class ArchiveEntry(NamedTuple):
    """A file or folder in an archive. ``read`` returns its content until the next entry is requested."""

    name: str
    size: int
    is_folder: bool
    read: Callable[[], bytes]
    locked: bool = False


def zipped(content: bytes) -> Iterator[Section]:
    """The contents of a zip archive."""
    yield _listing(zip_entries(content))


def zip_entries(content: bytes) -> Iterator[ArchiveEntry]:
    """The files and folders in a .zip. Raises ValueError and BadZipFile if it is damaged."""
    with archive(content) as opened:
        for each in opened.infolist():
            locked = bool(each.flag_bits & 1)
            yield ArchiveEntry(each.filename, each.file_size, each.is_dir(), partial(opened.read, each), locked)


def taped(content: bytes) -> Iterator[Section]:
    """The contents of a tar archive."""
    yield _listing(entries_of(content))


def seven(content: bytes) -> Iterator[Section]:
    """The contents of a 7z archive."""
    yield _listing(seven_entries(content))


def seven_entries(content: bytes) -> Iterator[ArchiveEntry]:
    """The files and folders in a .7z. Raises what its library raises."""
    library: Any = importlib.import_module("py7zr")
    with library.SevenZipFile(io.BytesIO(content)) as opened:
        found: Any = opened.list()
        locked, total = opened.needs_password(), sum(each.uncompressed for each in found)

    def read(name: str) -> bytes:
        if total > MAX_UNPACKED:
            raise ValueError(f"it unpacks to more than {MAX_UNPACKED >> 20} MiB")
        kept: Any = library.io.BytesIOFactory(MAX_UNPACKED)
        with library.SevenZipFile(io.BytesIO(content)) as opened:
            opened.extract(targets=[name], factory=kept)
        return kept.get(name).read()

    for each in found:
        name = str(each.filename)
        yield ArchiveEntry(name, each.uncompressed, each.is_directory, partial(read, name), locked)


def _listing(entries: Iterable[ArchiveEntry]) -> Section:
    found = list(entries)
    files = [entry for entry in found if not entry.is_folder]
    total = sum(entry.size for entry in files)
    lines = [f"Files in the archive: {len(files)}, {total} bytes unpacked:"]
    for entry in found:
        locked = ", locked by a password" if entry.locked else ""
        # A name with a line break in it must not look like two.
        name = "".join(character if character.isprintable() else "?" for character in entry.name)
        lines.append(f"{name.rstrip('/')}/" if entry.is_folder else f"{name}  {entry.size} bytes{locked}")
    return Section("text", "", iter(lines))


def is_tape(content: bytes) -> bool:
    """Whether the content is a tar archive, compressed or not."""
    head = _opened(content).read(512)
    return head[257:262] == b"ustar"


def unpacked(content: bytes) -> bytes:
    """A compressed file's content. Raises ValueError if it is too large, and what its parser raises."""
    data = _opened(content).read(MAX_UNPACKED // 4 + 1)
    if len(data) > MAX_UNPACKED // 4:
        raise ValueError(f"it unpacks to more than {MAX_UNPACKED >> 22} MiB")
    return data


def entries_of(content: bytes) -> Iterator[ArchiveEntry]:
    """The files and folders in a .tar, uncompressed or compressed with gzip, bzip2 or xz, read as a stream. Raises
    ValueError if it is too large or not a tar archive."""
    bounds = _Unpacked(_opened(content))
    try:
        with tarfile.open(fileobj=cast("Any", bounds), mode="r|") as tape:
            for number, member in enumerate(tape):
                if number >= MAX_ENTRIES:
                    raise ValueError(f"it has more than {MAX_ENTRIES} entries")

                def read(member: tarfile.TarInfo = member) -> bytes:
                    file = tape.extractfile(member) if member.isfile() else None
                    return file.read() if file is not None else b""

                yield ArchiveEntry(member.name, member.size, member.isdir(), read)
    except tarfile.TarError as error:
        raise ValueError(f"it is not a tar archive ({error})") from error


def _opened(content: bytes) -> Any:
    opener = next((opener for magic, opener in _OPENERS if content.startswith(magic)), None)
    plain = io.BytesIO(content)
    return plain if opener is None else opener(plain)


class _Unpacked:
    """Decompressed content as a stream. Reading raises ValueError after :data:`MAX_UNPACKED` bytes."""

    def __init__(self, source: Any) -> None:
        self.source, self.left = source, MAX_UNPACKED

    def read(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise ValueError(f"it unpacks to more than {MAX_UNPACKED >> 20} MiB")
        return self.source.read(size)
