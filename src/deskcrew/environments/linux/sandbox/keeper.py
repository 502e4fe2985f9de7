"""Ends a sandbox, whatever the programs in it do and whatever happens to the engine.

A process of its own, outside the sandbox, that programs inside can neither see nor signal. It starts bubblewrap, holds the
first process of the sandbox's process namespace by a descriptor, and kills it as soon as the engine disconnects, the
sandbox's own loop has ended, or the disk is nearly full. With that process the kernel ends everything in the namespace, even
processes that were stopped, ignore signals, or have long left their parent and session.

If the keeper itself is killed, bubblewrap ends with it (``--die-with-parent``, which is safe here: one thread), and the
namespace with bubblewrap. The engine records the first process as well, for the sweep at the next start.

Run as ``python -I -S keeper.py ORDERS WORD...``, standard library only; ``ORDERS`` is JSON, see :class:`Orders`.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from typing import NamedTuple

READY, ENDS = "first", "ends"
"""The keeper's messages, one a line: the id of the first process; and the reason, if the keeper itself ends everything."""
DISK = "disk"
_PATIENCE = 5.0
"""Seconds for killed processes to vanish."""
_BETWEEN = 0.25
"""Seconds between two checks of the free disk space."""
_SUBREAPER = 36


class Orders(NamedTuple):
    """``wire``: a socket to the engine. ``groups``: folders of the control group to join, if there is one. ``file``: the
    maximum size of a file. ``room``: bytes that must stay free on the disks of these folders."""

    wire: int
    groups: list[str]
    file: int
    room: dict[str, int]


def main() -> None:
    """Keep one sandbox from its start to its end."""
    orders = Orders(**json.loads(sys.argv[1]))
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)  # what bubblewrap leaves behind becomes ours, to be waited for
    os.set_inheritable(orders.wire, False)
    told, telling = os.pipe()
    os.set_inheritable(telling, True)
    program, *words = sys.argv[2:]
    outer = os.fork()
    if outer == 0:
        become([program, "--die-with-parent", "--info-fd", str(telling), *words], orders)
    os.close(telling)
    silence()
    first = first_of(told, outer)
    if first is not None:
        tell(orders.wire, f"{READY} {first.pid}")
        if why := watch(orders, outer, first.handle):
            tell(orders.wire, f"{ENDS} {why}")  # before the display is gone: the engine asks at once why it is
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(first.handle, signal.SIGKILL)
    end(outer)
    for group in orders.groups:
        with contextlib.suppress(OSError):  # the engine has removed it, or still wants to read in it
            if hung_up(orders.wire):
                os.rmdir(group)


def become(words: list[str], orders: Orders) -> None:
    """Become the sandbox, with its limits."""
    for group in orders.groups:
        with open(os.path.join(group, "cgroup.procs"), "w") as members:
            members.write("0")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (orders.file, orders.file))
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and what it becomes would too
        signal.signal(number, signal.SIG_DFL)
    os.execv(words[0], words)


def silence() -> None:
    """Close the sandbox's pipes here, or their other ends would never notice its end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nothing, standard)
    os.close(nothing)


class First(NamedTuple):
    """The first process of the namespace, and a descriptor that refers to it and no other."""

    pid: int
    handle: int


def first_of(told: int, outer: int) -> First | None:
    """The first process, as bubblewrap reports it; None if it did not start."""
    text = b""
    while b"}" not in text:
        chunk = os.read(told, 4096)
        if not chunk:
            return None
        text += chunk
    os.close(told)
    pid = int(json.loads(text)["child-pid"])
    try:
        handle = os.pidfd_open(pid)
        with open(f"/proc/{pid}/stat") as file:
            parent = int(file.read().rpartition(")")[2].split()[1])
    except (ProcessLookupError, FileNotFoundError):
        return None
    return First(pid, handle) if parent in (outer, os.getpid()) else None


def watch(orders: Orders, outer: int, first: int) -> str:
    """Wait until it is time to end everything. Returns the reason if we decided it, else ''."""
    ended = os.pidfd_open(outer)
    waiting = select.poll()
    for descriptor in (orders.wire, ended, first):
        waiting.register(descriptor, select.POLLIN)
    while not waiting.poll(_BETWEEN * 1000):
        if any(free(folder) < room for folder, room in orders.room.items()):
            return DISK
    return ""


def free(folder: str) -> int:
    """Bytes that may still be written to the disk of a folder."""
    try:
        status = os.statvfs(folder)
    except OSError:  # the folder has gone, and nothing is written to it
        return sys.maxsize
    return status.f_bavail * status.f_frsize


def end(outer: int) -> None:
    """End bubblewrap, and wait for all of its descendants."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(outer, signal.SIGKILL)
    until = time.monotonic() + _PATIENCE
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < until:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.002)


def hung_up(wire: int) -> bool:
    """Whether the engine has disconnected: it never sends anything."""
    return bool(select.select([wire], [], [], 0)[0])


def tell(wire: int, line: str) -> None:
    """Tell the engine, if it is still there."""
    with contextlib.suppress(OSError):
        os.write(wire, f"{line}\n".encode())


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    main()
