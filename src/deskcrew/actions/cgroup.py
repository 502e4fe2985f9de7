"""A control group of its own for one run in the sandbox, where this machine lets us make one.

Why: RLIMIT_NPROC does not count for root and RLIMIT_AS counts each process alone, so that only a control
group bounds how many processes, and how much memory together, a program takes. Works with version 1 (root, containers)
and with a delegated version 2 tree; anywhere else :func:`create` returns None and the time limit has to do.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "deskcrew-"
_PATIENCE = 2.0
"""Seconds that killed processes get to vanish."""


@dataclass(frozen=True, slots=True)
class Cgroup:
    """The folders (one per controller in version 1, one in version 2) that together are one group."""

    folders: tuple[Path, ...]
    processes: bool
    memory: bool

    @property
    def joins(self) -> tuple[Path, ...]:
        """Files that a process writes its id into to enter."""
        return tuple(folder / "cgroup.procs" for folder in self.folders)

    def out_of_memory(self) -> bool:
        """Whether the kernel killed a member because the group's memory was used up."""
        for folder in self.folders:
            for name in ("memory.oom_control", "memory.events"):
                words = _read(folder / name).split()
                if "oom_kill" in words and int(words[words.index("oom_kill") + 1]) > 0:
                    return True
        return False

    def close(self) -> None:
        """Kill what is left inside and remove the group."""
        deadline = time.monotonic() + _PATIENCE
        while members := {int(word) for folder in self.folders for word in _read(folder / "cgroup.procs").split()}:
            for pid in members:
                _kill(pid)
            if time.monotonic() > deadline:
                break
            time.sleep(0.002)
        for folder in self.folders:
            while not _remove(folder) and time.monotonic() < deadline:
                time.sleep(0.002)


def create(*, processes: int, memory: int) -> Cgroup | None:
    """A new group below our own, or None where none can be made. ``memory``: bytes of all members together."""
    name = f"{_PREFIX}{os.getpid()}-{uuid.uuid4().hex[:12]}"
    own = _own_groups()
    for place in own.values():
        _sweep(place)
    wanted = {"pids": {"pids.max": processes}, "memory": {"memory.limit_in_bytes": memory}}
    made: dict[str, Path] = {}
    for controller, values in wanted.items():
        if controller in own and (folder := _make(own[controller] / name, values)):
            made[controller] = folder
    if not made and "" in own:
        both = _make(own[""] / name, {"pids.max": processes, "memory.max": memory})
        return Cgroup((both,), processes=True, memory=True) if both else None
    if not made:
        return None
    return Cgroup(tuple(made.values()), processes="pids" in made, memory="memory" in made)


def _own_groups() -> dict[str, Path]:
    """Folder of our own group by controller; version 2 is ''."""
    groups: dict[str, Path] = {}
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            mount = _ROOT / controller if controller else _ROOT
            folder = mount / path.lstrip("/")
            groups[controller] = folder if folder.is_dir() else mount
    return groups


def _sweep(place: Path) -> None:
    """Remove groups whose maker was killed before it could. Only empty ones can be removed, so nothing is harmed."""
    for folder in place.glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", owner).exists():
            _remove(folder)


def _make(folder: Path, values: dict[str, int]) -> Path | None:
    try:
        folder.mkdir()
    except OSError:
        return None
    try:
        for name, value in values.items():
            if not (folder / name).exists():  # the controller is not handed down to us
                raise FileNotFoundError(name)
            (folder / name).write_text(str(value))
    except OSError:
        _remove(folder)
        return None
    return folder


def _remove(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
