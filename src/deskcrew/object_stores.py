"""Files at an address, such as an object store's: opened and written in one way, over fsspec."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast
from urllib.parse import urlsplit

SECONDS = 10
"""How long a store may take to connect, and to answer."""
_S3: dict[str, Any] = {
    "config_kwargs": {"connect_timeout": SECONDS, "read_timeout": SECONDS, "retries": {"max_attempts": 2}},
    "use_listings_cache": False,
}
_OPTIONS = {"s3": _S3, "s3a": _S3}


def filesystem(address: str) -> tuple[Any, str, tuple[type[Exception], ...]]:
    """For an address: its fsspec file system, the path in it, and the exceptions that mean it cannot be used. Raises
    ImportError if a library is missing, ValueError for an unknown kind of address."""
    protocol = urlsplit(address).scheme
    found = import_module("fsspec.core").url_to_fs(address, **_OPTIONS.get(protocol, {}))
    files, root = cast("tuple[Any, str]", found)
    return files, root, _failures(protocol)


def _failures(protocol: str) -> tuple[type[Exception], ...]:
    """What a store's library raises if the store cannot be used; not all of it is an OSError."""
    if protocol not in _OPTIONS:
        return (OSError,)
    try:
        more = import_module("botocore.exceptions").BotoCoreError, import_module("aiohttp").ClientError
    except ImportError:
        return (OSError,)  # what is missing is said where the store is opened
    return (OSError, *more)


def write(files: Any, path: str, data: bytes) -> None:
    """Write a file, with the folders that it needs, if it is not an object store. Raises what the store does."""
    try:
        files.pipe_file(path, data)
    except FileNotFoundError:
        if not _OPTIONS.keys().isdisjoint([files.protocol] if isinstance(files.protocol, str) else files.protocol):
            raise  # no bucket; a wrong name must not make one
        files.makedirs(path.rpartition("/")[0], exist_ok=True)
        files.pipe_file(path, data)
