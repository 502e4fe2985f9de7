"""The process that serves the local model: ``python -m deskcrew.models.server``, configured through standard input.

It detaches into a new session, loads the weights, writes a :class:`ServerRecord` by which clients find it, and ends when no
client has held a lease for the configured time. Once started, it does not depend on any client.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import sys
import time
from pathlib import Path
from typing import Any

import psutil
from filelock import FileLock
from pydantic import ValidationError

from deskcrew.facts.liveness import held, living, write_private
from deskcrew.facts.observation import Frozen


class ServerFiles(Frozen):
    """The files of one server. ``folder``: the runtime folder, which only the user can enter."""

    folder: Path
    key: str

    @property
    def record(self) -> Path:
        return self.folder / f"{self.key}.json"

    @property
    def lock(self) -> Path:
        """A lock that is held while a server starts or ends, so that neither happens twice or at the same time."""
        return self.folder / f"{self.key}.lock"

    @property
    def lease(self) -> Path:
        """The file on which clients hold a shared lock; the kernel releases it however a client ends."""
        return self.folder / f"{self.key}.lease"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.key}.log"


class ServerConfig(Frozen):
    """The configuration of a server. Clients whose values are equal, except for the API key, share one server."""

    weights: Path
    name: str
    api_key: str
    context: int
    threads: int | None
    """None for as many as there are free cores when the server starts, see :func:`free_cores`."""
    cache_mib: int
    """Host memory for the prompts of other roles; docs/design/models.md explains why it is not several slots."""
    idle_seconds: float
    files: ServerFiles


class ServerRecord(Frozen):
    """How to reach a server. ``started``: its process's start time in seconds since the epoch, to detect a reused pid."""

    pid: int
    started: float
    url: str
    api_key: str

    def process(self) -> psutil.Process | None:
        """The server's process; None if it is gone, even if another process has its pid now."""
        return living(self.pid, self.started)


def read_record(files: ServerFiles) -> ServerRecord | None:
    """The record of a running server; None if there is no record, or only a stale or damaged one."""
    try:
        record = ServerRecord.model_validate_json(files.record.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    return record if record.process() is not None else None


def write_record(files: ServerFiles, record: ServerRecord) -> None:
    """Write the record where clients look for it."""
    write_private(files.record, record.model_dump_json())


class ServerLease:
    """A client's claim on a server: a shared lock on the lease file, held until :meth:`release` or the process ends."""

    def __init__(self, files: ServerFiles) -> None:
        self._fd: int | None = os.open(files.lease, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self._fd, fcntl.LOCK_SH)

    def release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def main() -> None:
    """The entry point: print the pid of a detached process, which then loads and serves the model."""
    config = ServerConfig.model_validate_json(sys.stdin.read())
    if pid := os.fork():
        print(pid, flush=True)
        # Not sys.exit: the child shares our buffers and must be the only one to run its handlers.
        os._exit(0)
    os.setsid()
    os.umask(0o077)
    log = os.open(config.files.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    serve(config)


def serve(config: ServerConfig) -> None:
    """Load the model, write the record, and return once no client has held a lease for ``config.idle_seconds``."""
    server = load(config)
    process = psutil.Process()
    record = ServerRecord(
        pid=process.pid, started=process.create_time(), url=str(server.listening_address), api_key=config.api_key
    )
    write_record(config.files, record)
    idle_since = time.monotonic()
    while True:
        time.sleep(min(1.0, config.idle_seconds / 4))
        if held(config.files.lease):
            idle_since = time.monotonic()
        elif time.monotonic() - idle_since >= config.idle_seconds and _left(config.files):
            return


def _left(files: ServerFiles) -> bool:
    """Remove the record and return True, unless a client came at the last moment. Takes the lock that clients take first."""
    with FileLock(files.lock, mode=0o600):
        if held(files.lease):
            return False
        current = read_record(files)
        if current is not None and current.pid == os.getpid():
            files.record.unlink(missing_ok=True)
        return True


def free_cores() -> int:
    """The number of physical cores that other programs leave free, at least one.

    One thread more than there are free cores is many times slower, because llama.cpp's threads wait for each other at every
    layer (measured: docs/design/models.md); one thread less costs at most its share.
    """
    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    busy = psutil.cpu_percent(interval=0.5) / 100 * (os.cpu_count() or 1)
    return max(1, min(cores, round(cores - busy)))


def load(config: ServerConfig) -> Any:
    """Start a llama.cpp server and return it. Raises ImportError without the ``local`` extra, RuntimeError if the weights
    are bad."""
    # Any: the library has no type information at all.
    engine: Any = importlib.import_module("xllamacpp")
    params = engine.CommonParams()
    params.model.path = str(config.weights)
    params.model_alias = {config.name}
    params.port = 0
    params.api_keys = [config.api_key]
    params.n_parallel = 1
    params.n_ctx = config.context
    params.cache_ram_mib = config.cache_mib
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = config.threads or free_cores()
        # Do not spin while waiting for the other threads: on a busy machine that keeps them from running.
        cpu.poll = 0
    # No web interface: it is served without the key.
    params.ui = False
    params.verbosity = 2
    return engine.Server(params)


if __name__ == "__main__":
    main()
