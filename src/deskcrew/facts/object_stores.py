"""Access to files at an address, such as an object store's, through fsspec, and the error if the store cannot be used."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from deskcrew.errors import DeskcrewError, extra_installed

SECONDS = 10
"""Seconds that a store may take to connect, and to answer."""
_S3: dict[str, Any] = {
    "config_kwargs": {"connect_timeout": SECONDS, "read_timeout": SECONDS, "retries": {"max_attempts": 2}},
    "use_listings_cache": False,
}
_OPTIONS = {"s3": _S3, "s3a": _S3}


class ObjectStore:
    """A store at an address. ``files``: its fsspec file system; ``root``: the path in it."""

    def __init__(self, address: str, what: str, kind: type[DeskcrewError], *, hint: str = "") -> None:
        """``what``: what errors call the store; ``kind``: the type of those errors; ``hint``: their hint. Raises ``kind`` if
        a library is missing, or if fsspec does not know the address."""
        self._told, self._kind, self._hint = f"{what} cannot be used", kind, hint
        protocol = urlsplit(address).scheme
        try:
            found: tuple[Any, str] = import_module("fsspec.core").url_to_fs(address, **_OPTIONS.get(protocol, {}))
        except ImportError as error:
            raise kind(f"{self._told} without {error.name}.", hint=extra_installed("fleet")) from error
        except ValueError as error:
            raise self._unusable(error) from error
        self.files, self.root = found
        self._failures = _failures(protocol)

    @contextmanager
    def used(self) -> Generator[None]:
        """Turn the store's own exceptions into the ``kind`` of error that it was created with."""
        try:
            yield
        except self._failures as error:
            raise self._unusable(error) from error

    def write(self, path: str, data: bytes) -> None:
        """Write a file, and create its folders if the store has folders. Raises the ``kind`` of error if that fails."""
        with self.used():
            try:
                self.files.pipe_file(path, data)
            except FileNotFoundError:
                protocols = self.files.protocol
                if not _OPTIONS.keys().isdisjoint([protocols] if isinstance(protocols, str) else protocols):
                    raise  # no bucket; a wrong name must not make one
                self.files.makedirs(path.rpartition("/")[0], exist_ok=True)
                self.files.pipe_file(path, data)

    def _unusable(self, error: Exception) -> DeskcrewError:
        return self._kind(f"{self._told}: {(str(error) or type(error).__name__).rstrip('.')}.", hint=self._hint)


def _failures(protocol: str) -> tuple[type[Exception], ...]:
    """The exceptions that a store's library raises if the store cannot be used; not all of them are OSErrors."""
    if protocol not in _OPTIONS:
        return (OSError,)
    try:
        more = import_module("botocore.exceptions").BotoCoreError, import_module("aiohttp").ClientError
    except ImportError:
        return (OSError,)  # what is missing is said where the store is opened
    return (OSError, *more)
