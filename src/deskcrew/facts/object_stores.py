"""Files at an address, such as an object store's: opened and written in one way, over fsspec, and what is told of one that
cannot be used."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from deskcrew.errors import DeskcrewError, extra_installed

SECONDS = 10
"""How long a store may take to connect, and to answer."""
_S3: dict[str, Any] = {
    "config_kwargs": {"connect_timeout": SECONDS, "read_timeout": SECONDS, "retries": {"max_attempts": 2}},
    "use_listings_cache": False,
}
_OPTIONS = {"s3": _S3, "s3a": _S3}


class ObjectStore:
    """What is at an address. ``files``: its fsspec file system; ``root``: the path in it."""

    def __init__(self, address: str, what: str, kind: type[DeskcrewError], *, hint: str = "") -> None:
        """``what``: what is there, as an error of this ``kind`` calls it; ``hint``: what to do about that. Raises it if a
        library is missing, or for an address that fsspec does not know."""
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
        """Turns what the store raises if it cannot be used into the error."""
        try:
            yield
        except self._failures as error:
            raise self._unusable(error) from error

    def write(self, path: str, data: bytes) -> None:
        """Write a file, with the folders that it needs, if it is not an object store. Raises the error."""
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
    """What a store's library raises if the store cannot be used; not all of it is an OSError."""
    if protocol not in _OPTIONS:
        return (OSError,)
    try:
        more = import_module("botocore.exceptions").BotoCoreError, import_module("aiohttp").ClientError
    except ImportError:
        return (OSError,)  # what is missing is said where the store is opened
    return (OSError, *more)
