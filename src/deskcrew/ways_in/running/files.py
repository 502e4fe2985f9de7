"""Sockets and logs of running processes: one of each per process, in a private folder.

A socket is named after the run and its journal, so that copies of a journal do not conflict. Whether a process is still
listening is found out by connecting to it; no record says so, as that could be stale.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import socket
import warnings
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from filelock import FileLock

from deskcrew.errors import EnvironmentFailure
from deskcrew.facts.liveness import private

LONGEST_PATH = 107
"""The maximum length of a Unix socket's path, in bytes."""
TAIL = 64 << 10
"""How much of a log's end is searched for its last line, in bytes."""


def runs_folder(folder: Path | None = None) -> Path:
    """The folder of sockets and logs, created if missing. ``folder`` None: one in the user's runtime folder. Raises
    EnvironmentFailure if it cannot be used."""
    if folder is None:
        with warnings.catch_warnings():
            # Without XDG_RUNTIME_DIR it is in the temporary folder; its ownership is checked below.
            warnings.simplefilter("ignore")
            folder = Path(platformdirs.user_runtime_dir("deskcrew")) / "runs"
    try:
        ours = private(folder)
    except OSError as error:
        raise EnvironmentFailure(f"The runtime folder {folder} cannot be created: {error.strerror}.") from error
    if not ours:
        raise EnvironmentFailure(f"{folder} is not a folder of yours.", hint="Remove it, or set XDG_RUNTIME_DIR.")
    if len(os.fsencode(folder)) + len("/0123456789abcdef.sock") > LONGEST_PATH:
        raise EnvironmentFailure(
            f"The path {folder} is too long for a socket.", hint="Set XDG_RUNTIME_DIR to a shorter one."
        )
    return folder


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The paths of a process's socket and log, which need not exist."""

    socket: Path
    log: Path

    def last_line(self) -> str:
        """The last line that the process wrote, which in a traceback is the error; '' if there is none."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, self.log.stat().st_size - TAIL))
                lines = file.read().decode(errors="replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def take_output(self) -> None:
        """Redirects output to the log, and input from nothing. Raises EnvironmentFailure if the log cannot be created."""
        try:
            log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        except OSError as error:
            raise _unusable(self.log.parent, error) from error
        nothing = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source, target)
        os.close(log)
        os.close(nothing)

    def drop_empty_log(self) -> None:
        """Removes the log if it is empty."""
        try:
            if not self.log.stat().st_size:
                self.log.unlink()
        except FileNotFoundError:
            return


def files_of(folder: Path, journal: Path, run: str) -> RunFiles:
    """The files of the process that works on ``run`` of the journal in the file ``journal``."""
    return files_named(
        folder, hashlib.sha256(f"{journal.resolve()}\0{run}".encode(errors="surrogateescape")).hexdigest()[:16]
    )


def new_name() -> str:
    """A name for the files of a process whose run has no name yet."""
    return secrets.token_hex(8)


def files_named(folder: Path, name: str) -> RunFiles:
    """The files of a process, by their name."""
    return RunFiles(folder / f"{name}.sock", folder / f"{name}.log")


class Socket:
    """A listening socket, first at a path of its own, then at its run's. It never removes another process's live
    socket."""

    def __init__(self, files: RunFiles) -> None:
        """Listens at ``files.socket``, and removes sockets left by killed processes. Raises EnvironmentFailure if the folder
        cannot be used."""
        folder, self.files = files.socket.parent, files
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            # Under a lock, because a socket that is bound but not yet listening looks abandoned.
            with FileLock(folder / "gate", mode=0o600):
                sweep(folder)
                self.socket.bind(str(self.files.socket))
                self.socket.listen()
            self.files.socket.chmod(0o600)
            self._inode = self.files.socket.stat().st_ino
        except OSError as error:
            self.socket.close()
            raise _unusable(folder, error) from error

    def move(self, files: RunFiles) -> None:
        """Moves socket and log to these paths, replacing any earlier ones. Raises EnvironmentFailure if that fails."""
        try:
            self.files.socket.rename(files.socket)
            if self.files.log.exists():
                self.files.log.rename(files.log)
        except OSError as error:
            raise _unusable(files.socket.parent, error) from error
        self.files = files

    def close(self) -> None:
        """Stops listening, and removes the socket file unless another process has replaced it."""
        self.socket.close()
        try:
            if self.files.socket.stat().st_ino == self._inode:
                self.files.socket.unlink()
        except FileNotFoundError:
            return  # another process of the same run has replaced and removed it


def sweep(folder: Path) -> None:
    """Removes the sockets on which no process listens any more. The caller holds the lock ``gate``."""
    for path in folder.glob("*.sock"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.setblocking(False)
            if probe.connect_ex(str(path)) == errno.ECONNREFUSED:
                path.unlink(missing_ok=True)


def _unusable(folder: Path, error: OSError) -> EnvironmentFailure:
    hint = "Make room there, or set XDG_RUNTIME_DIR."
    return EnvironmentFailure(f"The runtime folder {folder} cannot be used: {error.strerror}.", hint=hint)
