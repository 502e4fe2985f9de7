"""What a process gives up before it becomes a sandbox, because no namespace restricts access to it: the keys of the session
that Deskcrew was started in, abstract sockets, and signals to processes outside.

- **Keys.** A session keyring is inherited by everything; what becomes a sandbox joins a new, empty one.
- **Landlock.** Abstract Unix sockets belong to a network namespace, so a sandbox with the machine's network would see those
  of this machine, an X server's among them. Landlock, where the kernel has it, confines them and signals to the inside.
  Files and ports are left to the namespaces, which restrict more of them.

Both apply to one thread and what it starts. :func:`start` therefore starts a process from a thread of its own. Run as a
script, this file becomes the sandbox itself, for callers that can only name a program: see :func:`lead`. It needs nothing
but the standard library.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import IO

_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "loongarch64": 219}
"""The number of keyctl(2), which the C library lacks. On other machines only the filter protects the keys."""
_JOIN_SESSION_KEYRING = 1
_LANDLOCK_CREATE_RULESET, _LANDLOCK_RESTRICT_SELF = 444, 446
_LANDLOCK_VERSION = 1
_SCOPES = 6
"""The first version of Landlock with scopes."""
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1, 2
_PR_SET_NO_NEW_PRIVS = 38
FIRST = 10
"""The number of the first descriptor that :func:`lead` receives; the others follow."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("ports", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


def landlock() -> int:
    """The version of Landlock that the kernel has; 0 for none."""
    return max(0, ctypes.CDLL(None).syscall(_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _LANDLOCK_VERSION))


def scopes() -> bool:
    """Whether abstract sockets and processes outside are out of reach even with the machine's network."""
    return landlock() >= _SCOPES


def give_up() -> None:
    """Leave the session's keyring, and confine what the calling thread starts from now on. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(number: int, *arguments: object) -> int:
        result = libc.syscall(number, *arguments)
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    keyctl = _KEYCTL.get(platform.machine())
    if keyctl is not None:
        try:
            call(keyctl, _JOIN_SESSION_KEYRING, None)
        except OSError as error:
            # A kernel without keys, a container's filter, or as many keyrings as one user may have. The sandbox's own filter
            # refuses to touch keys in any case.
            if error.errno not in (errno.ENOSYS, errno.EPERM, errno.EACCES, errno.EDQUOT):
                raise
    if scopes():
        ruleset = _Ruleset(0, 0, _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS)
        descriptor = call(_LANDLOCK_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
        try:
            if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
            call(_LANDLOCK_RESTRICT_SELF, descriptor, 0)
        finally:
            os.close(descriptor)


def start(
    words: Sequence[str],
    descriptors: Sequence[int] = (),
    *,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] | None = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start a sandbox, in a session of its own and without an environment; pid 1 inside would reveal it.

    ``descriptors``: inherited by the sandbox. Its starting thread lives as long as the sandbox does, so that a sandbox with
    ``--die-with-parent`` ends with this process and no sooner. Raises OSError and ValueError as ``subprocess.Popen`` does.
    """
    started: Future[subprocess.Popen[bytes]] = Future()

    def begin() -> None:
        try:
            give_up()
            process = subprocess.Popen(
                words,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                env={},
                pass_fds=descriptors,
                start_new_session=True,
            )
            ended = os.pidfd_open(process.pid)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            started.set_exception(error)
            return
        started.set_result(process)
        waiting = select.poll()
        waiting.register(ended, select.POLLIN)
        waiting.poll()
        os.close(ended)

    threading.Thread(target=begin, name="deskcrew-sandbox", daemon=True).start()
    return started.result()


def lead() -> None:
    """Receive descriptors from the socket that the first argument names, number them from :data:`FIRST`, give up what
    :func:`give_up` says, and become the program in the other arguments, without an environment."""
    _, place, *words = sys.argv
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(place)
        _, fetched, _, _ = socket.recv_fds(connection, 1, 8)
    for number, descriptor in enumerate([fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 64) for one in fetched], FIRST):
        os.dup2(descriptor, number)
    give_up()
    os.execve(words[0], words, {})


if __name__ == "__main__":
    lead()
