"""Storage of blobs: screenshots, observations, prompts, raw replies, named by the SHA-256 of their bytes.

They are in the journal's own database, unless the setting ``blobs`` names a folder or, for several machines, an address that
fsspec knows. There a blob is written before the event that names it; if a process dies in between, its blobs are removed
when next a run is removed.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, LargeBinary, bindparam, cast, delete, func, select

from deskcrew.errors import JournalError
from deskcrew.facts.liveness import write_private
from deskcrew.facts.object_stores import ObjectStore
from deskcrew.journal import schema
from deskcrew.journal.naming import DIGEST

_LATER = "No event that names them was written. Once they can be used again, `deskcrew resume RUN` continues."
_AT_ONCE = 1000
"""The number of blobs to remove in one request; S3 accepts no more."""


class Blobs(Protocol):
    """Stores bytes by their digest. Whether a call is part of the transaction of ``connection`` depends on the store. All
    calls raise JournalError if the store cannot be used."""

    def put(self, connection: Connection, blobs: Mapping[str, bytes]) -> None:
        """Store blobs by digest. They are durable at the end of the transaction at the latest. Existing blobs are kept."""
        ...

    def get(self, connection: Connection, digest: str) -> bytes | None:
        """The content stored under a digest, unverified; None if there is none."""
        ...

    def sizes(self, connection: Connection) -> Mapping[str, int]:
        """The size in bytes of every stored blob, by digest."""
        ...

    def remove(self, connection: Connection, digests: Collection[str]) -> None:
        """Remove the blobs with these digests; missing ones are ignored."""
        ...


class InTable:
    """Blobs in the journal's database, so that an event and the blobs that it names become durable in one commit."""

    def __init__(self, insert: str) -> None:
        """``insert``: an INSERT statement in the driver's syntax that skips existing rows."""
        self._insert = insert

    def put(self, connection: Connection, blobs: Mapping[str, bytes]) -> None:
        if blobs:
            # In order: two that insert the same ones wait for each other, and never both.
            rows = [{"digest": digest, "data": data} for digest, data in sorted(blobs.items())]
            connection.exec_driver_sql(self._insert, rows)

    def get(self, connection: Connection, digest: str) -> bytes | None:
        # As bytes, whatever somebody has put there: in SQLite a column holds values of any type.
        query = select(cast(schema.blobs.c.data, LargeBinary)).where(schema.blobs.c.digest == digest)
        return connection.execute(query).scalar()

    def sizes(self, connection: Connection) -> Mapping[str, int]:
        query = select(schema.blobs.c.digest, func.length(schema.blobs.c.data))
        return {digest: int(bytes_) for digest, bytes_ in connection.execute(query)}

    def remove(self, connection: Connection, digests: Collection[str]) -> None:
        if digests:
            gone = [{"gone": digest} for digest in digests]
            connection.execute(delete(schema.blobs).where(schema.blobs.c.digest == bindparam("gone")), gone)


class InFolder:
    """Blobs in separate files, in a folder on this machine or one that several machines share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: set[str] = set()
        """Digests that this process knows to be stored."""

    def put(self, connection: Connection, blobs: Mapping[str, bytes]) -> None:
        with self._translated():
            for digest, data in blobs.items():
                file = self._file(digest)
                if digest not in self._known and not file.exists():
                    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                    write_private(file, data, durable=True)
                self._known.add(digest)

    def get(self, connection: Connection, digest: str) -> bytes | None:
        with self._translated():
            try:
                return self._file(digest).read_bytes()
            except FileNotFoundError:
                return None

    def sizes(self, connection: Connection) -> Mapping[str, int]:
        with self._translated():
            files = (file for file in self._folder.glob("??/*") if DIGEST.fullmatch(file.name))
            return {file.name: file.stat().st_size for file in files}

    def remove(self, connection: Connection, digests: Collection[str]) -> None:
        with self._translated():
            for digest in digests:
                self._file(digest).unlink(missing_ok=True)
        self._known.difference_update(digests)

    def _file(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            why = error.strerror or str(error)
            raise JournalError(f"The blobs in {self._folder} cannot be used: {why}.", hint=_LATER) from error


class InStore:
    """Blobs in a store that fsspec knows, such as S3 or one with the same protocol."""

    def __init__(self, address: str) -> None:
        """Raises JournalError if the store's library is missing, or if fsspec does not know the address."""
        self._store = ObjectStore(address, f"The blobs in {address}", JournalError, hint=_LATER)
        self._known: set[str] = set()

    def put(self, connection: Connection, blobs: Mapping[str, bytes]) -> None:
        for digest, data in blobs.items():
            if digest not in self._known:
                # Not asked first whether it is there: a store takes all of it or nothing, and as fast as it answers.
                self._store.write(self._place(digest), data)
                self._known.add(digest)

    def get(self, connection: Connection, digest: str) -> bytes | None:
        with self._store.used():
            try:
                return bytes(self._store.files.cat_file(self._place(digest)))
            except FileNotFoundError:
                return None

    def sizes(self, connection: Connection) -> Mapping[str, int]:
        with self._store.used():
            self._store.files.invalidate_cache()
            found: dict[str, dict[str, Any]] = self._store.files.find(self._store.root, detail=True)
        named = ((path.rpartition("/")[2], about) for path, about in found.items())
        return {name: int(about.get("size") or 0) for name, about in named if DIGEST.fullmatch(name)}

    def remove(self, connection: Connection, digests: Collection[str]) -> None:
        places = [self._place(digest) for digest in digests]
        with self._store.used():
            for begin in range(0, len(places), _AT_ONCE):
                self._store.files.rm(places[begin : begin + _AT_ONCE])
        self._known.difference_update(digests)

    def _place(self, digest: str) -> str:
        return f"{self._store.root}/{digest[:2]}/{digest}"


def blobs_at(place: str) -> InFolder | InStore:
    """The store that the setting ``blobs`` names. Raises JournalError if it cannot be opened."""
    if "://" not in place:
        return InFolder(Path(place))
    return InStore(place)
