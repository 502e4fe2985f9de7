"""A sandbox controlled from outside: its keeper, its control group, and which limits it has hit."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from deskcrew.environments import cgroup, isolation
from deskcrew.environments.cgroup import Cgroup
from deskcrew.environments.isolation import Sealed
from deskcrew.environments.linux.sandbox import keeper
from deskcrew.errors import EnvironmentFailure
from deskcrew.settings import DesktopBounds

START_SECONDS = 15.0
"""The maximum seconds that a sandbox, and each of its servers, may take to start."""
END_SECONDS = 8.0
"""The maximum seconds that the keeper may take to end everything; it needs hundredths."""
ROOM = 1 << 30
"""Bytes that must be free on a disk at the start, and that programs must leave free; if less than twice that is free at the
start, half of what is free."""


class Kept:
    """A running sandbox. ``process``: its keeper, whose standard input and output are those of the first program inside.
    ``first``: the id of the first process of its namespace, 0 if it did not start."""

    def __init__(
        self, process: subprocess.Popen[bytes], wire: socket.socket, group: Cgroup | None, bounds: DesktopBounds
    ) -> None:
        self.process = process
        self._wire = wire
        self._group = group
        self._bounds = bounds
        self._told = b""
        self._handle = -1
        self.first = self._first()

    def _first(self) -> int:
        self._wire.settimeout(START_SECONDS)
        with contextlib.suppress(OSError):
            while b"\n" not in self._told and (chunk := self._wire.recv(4096)):
                self._told += chunk
        self._wire.setblocking(False)
        kind, _, pid = self._told.partition(b"\n")[0].decode().partition(" ")
        if kind != keeper.READY:
            return 0
        with contextlib.suppress(ProcessLookupError):  # the keeper waits for us to hang up or for it to end
            self._handle = os.pidfd_open(int(pid))
        return int(pid)

    @property
    def alive(self) -> bool:
        """Whether the sandbox is still running."""
        return self.process.poll() is None

    def hit(self) -> str:
        """Which limits its programs have reached so far, in words; '' for none."""
        with contextlib.suppress(OSError):
            self._told += self._wire.recv(4096)
        said: list[str] = []
        if f"{keeper.ENDS} {keeper.DISK}".encode() in self._told.splitlines():
            said.append("The desktop was ended because the disk was nearly full: free some space.")
        if self._group is not None and self._group.out_of_memory():
            most = gigabytes(self._bounds.memory)
            said.append(f"Programs of the desktop were ended because together they needed more than {most} of memory.")
        if self._group is not None and self._group.out_of_processes():
            most = f"{self._bounds.processes:,}"
            said.append(f"Programs of the desktop could start no others because {most} processes and threads are the most.")
        return " ".join(said)

    def end(self) -> None:
        """End everything inside. Safe to call twice."""
        self._wire.close()  # the keeper hears of it
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        try:
            self.process.wait(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:  # somebody has stopped it, say
            self._kill_first()
            self.process.kill()
            self.process.wait()
        if self._handle >= 0:
            self._kill_first()  # nothing to do, unless somebody has killed the keeper
            os.close(self._handle)
            self._handle = -1
        if self._group is not None:
            self._group.close()

    def _kill_first(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._handle >= 0:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)


def start(
    sealed: Sealed,
    program: Sequence[str],
    wires: Sequence[int],
    log: BinaryIO,
    group: Cgroup | None,
    bounds: DesktopBounds,
    disks: Sequence[Path],
) -> Kept:
    """Start ``program`` in a sandbox. ``wires``: descriptors that it inherits; ``log``: receives its errors; ``disks``:
    folders on whose disks space must be left free.

    Raises EnvironmentFailure if one has too little."""
    room: dict[str, int] = {}
    for folder in disks:
        if (free := keeper.free(str(folder))) < ROOM:
            raise EnvironmentFailure(
                f"Only {gigabytes(free)} are free in {folder}, and a desktop needs {gigabytes(ROOM)}.",
                hint="Free some space, and start the run again.",
            )
        room[str(folder)] = min(ROOM, free // 2)
    ours, theirs = socket.socketpair()
    orders = keeper.Orders(
        wire=theirs.fileno(),
        groups=[str(folder) for folder in group.folders] if group is not None else [],
        file=bounds.file,
        room=room,
    )
    script = Path(keeper.__file__).resolve()
    with theirs:
        process = sealed.start(
            program,
            [*wires, theirs.fileno()],
            before=[str(isolation.interpreter()), "-I", "-S", str(script), json.dumps(orders._asdict())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
    return Kept(process, ours, group, bounds)


def group_for(bounds: DesktopBounds) -> Cgroup | None:
    """A control group for a desktop with these bounds; None if there can be none."""
    return cgroup.create(processes=bounds.processes, memory=bounds.memory)


def own_limits(bounds: DesktopBounds, group: Cgroup | None) -> str:
    """Shell commands for the first program inside: limits for single processes if no group limits all of them together.
    Address space cannot be limited: browsers reserve far more of it than they use."""
    commands: list[str] = []
    if group is None or not group.processes:
        commands.append(f"ulimit -u {bounds.processes} 2>/dev/null || ulimit -p {bounds.processes}")
    if group is None or not group.memory:
        commands.append(f"ulimit -d {bounds.memory // 1024}")
    return "\n".join(commands)


def held_by(bounds: DesktopBounds) -> dict[str, str]:
    """How processes, memory and disk of a desktop are limited on this machine, for ``doctor``."""
    group = group_for(bounds)
    if group is not None:
        group.close()
    alone = "nothing" if os.getuid() == 0 else "rlimit"
    return {
        "processes": f"{bounds.processes:,} by cgroup" if group is not None and group.processes else alone,
        "memory": f"{gigabytes(bounds.memory)} by cgroup"
        if group is not None and group.memory
        else "each process by rlimit",
        "disk": f"each file {gigabytes(bounds.file)}; ended when less than {gigabytes(ROOM)} is free",
    }


def gigabytes(number: int) -> str:
    """Format a number of bytes for display: ``1.5 GiB``."""
    return f"{number / (1 << 30):.3g} GiB"
