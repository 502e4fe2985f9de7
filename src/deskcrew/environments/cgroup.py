"""A control group of its own for one sandbox, where this machine allows one.

Why: RLIMIT_NPROC does not count for root and RLIMIT_AS counts each process alone, so only a control group limits how many
processes, and how much memory together, programs use. Works with version 1 (root, containers) and with a version 2 tree that
is delegated to us, as systemd does for its users; anywhere else :func:`create` returns None, and the limits of single
processes have to do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "deskcrew-"
_PATIENCE = 2.0
"""Seconds for killed processes to vanish."""
_JOINED = 60.0
"""Seconds within which a sandbox joins its new group."""


@dataclass(frozen=True, slots=True)
class Cgroup:
    """The folders (one per controller in version 1, one in version 2) that together are one group."""

    folders: tuple[Path, ...]
    processes: bool
    memory: bool

    @property
    def joins(self) -> tuple[Path, ...]:
        """Files that a process writes its id into to join."""
        return tuple(folder / "cgroup.procs" for folder in self.folders)

    def out_of_memory(self) -> bool:
        """Whether the kernel killed a member because the group's memory was used up."""
        return self._counted("oom_kill", "memory.oom_control", "memory.events")

    def out_of_processes(self) -> bool:
        """Whether a member could not start another process because the limit was reached."""
        return self._counted("max", "pids.events")

    def _counted(self, word: str, *names: str) -> bool:
        for folder in self.folders:
            for name in names:
                words = _read(folder / name).split()
                if word in words and int(words[words.index(word) + 1]) > 0:
                    return True
        return False

    def close(self) -> None:
        """Kill what is left inside and remove the group."""
        deadline = time.monotonic() + _PATIENCE
        for folder in self.folders:
            _write(folder / "cgroup.kill", 1)  # version 2: all at once, none can fork out of it
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
    """A new group below our own, or None if none can be created. ``memory``: bytes of all members together."""
    name = f"{_PREFIX}{os.getpid()}-{uuid.uuid4().hex[:12]}"
    own = _own_groups()
    for place in (*own.values(), *(_handed_down(own[""]) if "" in own else ())):
        _sweep(place)
    wanted = {"pids": {"pids.max": processes}, "memory": {"memory.limit_in_bytes": memory}}
    made: dict[str, Path] = {}
    for controller, values in wanted.items():
        if controller in own and (folder := _make(own[controller] / name, values)):
            made[controller] = folder
    if made:
        return Cgroup(tuple(made.values()), processes="pids" in made, memory="memory" in made)
    for place in _handed_down(own[""]) if "" in own else ():
        both = _make(place / name, {"pids.max": processes, "memory.max": memory})
        if both is not None and not _admits(both):
            _remove(both)
        elif both is not None:
            _write(both / "memory.swap.max", 0)  # or what is too much for memory would go on there
            return Cgroup((both,), processes=True, memory=True)
    return None


def _handed_down(place: Path) -> list[Path]:
    """Version 2 groups, our own and its ancestors, whose children have both controllers and where we may create one. Our own
    rarely qualifies: a group with processes delegates no controllers."""
    return [
        each
        for each in (place, *place.parents)
        if each.is_relative_to(_ROOT)
        and {"pids", "memory"} <= set(_read(each / "cgroup.subtree_control").split())
        and os.access(each / "cgroup.procs", os.W_OK)
    ]


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


def _admits(folder: Path) -> bool:
    """Whether a process of ours may enter: delegation may exclude that."""
    joining = ["/bin/sh", "-c", 'echo $$ > "$1"', "sh", str(folder / "cgroup.procs")]
    return subprocess.run(joining, stderr=subprocess.DEVNULL, check=False).returncode == 0


def _sweep(place: Path) -> None:
    """Remove groups whose creator was killed; only empty ones can be removed. New ones are left, as a sandbox may be about
    to join: where containers share groups but not process ids, the creator's id proves nothing."""
    for folder in place.glob(f"{_PREFIX}*-*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if not Path("/proc", owner).exists() and time.time() - _made(folder) > _JOINED:
            _remove(folder)


def _made(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return time.time()


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


def _write(path: Path, value: int) -> None:
    """Write a value to a file, if the file exists and can be written."""
    if path.exists():
        try:
            path.write_text(str(value))
        except OSError:
            return


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
