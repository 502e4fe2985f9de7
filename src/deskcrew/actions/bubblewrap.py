"""The command line that runs a program written by a model in a sandbox.

Inside: /usr read-only; a generated /etc with the settings of programs that need them; empty /tmp, /dev/shm and home of
limited size; the workspace writable at ``/workspace``; the standard library of our own Python, and a few libraries for
documents; no network, no environment, no capabilities; its own process tree.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from deskcrew.actions import libraries
from deskcrew.environments import isolation
from deskcrew.environments.isolation import HOME, Bubblewrap
from deskcrew.environments.workspace import INSIDE

ETC = ("mime.types", "libreoffice", "fonts")
"""Settings in /etc without which some programs do not work: LibreOffice, which converts documents, does not start."""


def environment(*, home: str, path_of_python: Path) -> dict[str, str]:
    """The whole environment of a sandboxed program, which inherits none of ours (W21)."""
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "PATH": f"/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{path_of_python.parent}",
        "TERM": "dumb",
        "TMPDIR": "/tmp",
        "USER": "crew",
    }


class SandboxContents(NamedTuple):
    """What a program finds in its sandbox besides the system. ``mounts``: options that mount more; ``folder``: its working
    directory; ``values``: its whole environment; ``etc``: names in /etc that it sees."""

    mounts: Sequence[str]
    folder: str
    values: Mapping[str, str]
    etc: Sequence[str] = ()


def of_program(
    workspace: Path,
    values: Mapping[str, str],
    *,
    own: Sequence[str] = (),
    sockets: Sequence[str] = (),
    read_only: bool = False,
) -> SandboxContents:
    """The contents for a program that a model wrote: the workspace, our Python's standard library, a few libraries for
    documents. ``own``, ``sockets``, ``read_only``: as for :func:`isolation.workspace`."""
    mounts = [*isolation.python(), *libraries.binds()]
    return SandboxContents(
        [*mounts, *isolation.workspace(workspace, own, sockets, read_only=read_only)], INSIDE, values, ETC
    )


def of_server(
    workspace: Path | None,
    values: Mapping[str, str],
    *,
    shown: Sequence[str],
    written: Sequence[str],
    covered: Sequence[str],
) -> SandboxContents:
    """What a tool server finds in its sandbox: what is installed on the machine. ``shown``: readable paths besides the
    ``workspace``; ``written``: writable paths; ``covered``: sockets in the workspace to hide."""
    mounts: list[str] = []
    base = Path(sys.base_prefix)
    read = (path for path in (*shown, str(base / "bin"), str(base / "lib")) if not _within(path, written))
    for path in sorted({*read, *written}):  # a folder before what lies in it
        if not _within(path, ("/usr",)):
            mounts += ["--bind" if path in written else "--ro-bind", path, path]
    if workspace is not None:
        mounts += ["--ro-bind", str(workspace), INSIDE]
        for name in covered:
            mounts += ["--ro-bind-try", "/dev/null", f"{INSIDE}/{name}"]
    return SandboxContents(mounts, INSIDE if workspace is not None else HOME, values)


def arguments(
    bubblewrap: Bubblewrap, inside: SandboxContents, scratch: int, *, network: bool, by_host: bool, accounts: tuple[int, int]
) -> list[str]:
    """The arguments for the sandbox, for :func:`isolation.seal`. ``scratch``: bytes of each writable folder except the
    workspace; ``by_host``: it has a proxy port (``environments/proxy_port.py``); ``accounts``: file descriptors for passwd
    and group, see :func:`account_files`."""
    words = [*bubblewrap.namespaces(*_user(), network=network), *bubblewrap.no_more_namespaces(), "--die-with-parent"]
    words += [*isolation.system(network=network, by_host=by_host, etc=inside.etc), *isolation.proc(), "--dev", "/dev"]
    words += [*bubblewrap.tmpfs("/dev/shm", scratch), "--remount-ro", "/dev"]
    words += [*bubblewrap.tmpfs("/tmp", scratch), *bubblewrap.tmpfs(HOME, scratch)]
    words += ["--ro-bind-data", str(accounts[0]), "/etc/passwd", "--ro-bind-data", str(accounts[1]), "/etc/group"]
    return [*words, *inside.mounts, "--chdir", inside.folder, *isolation.variables(inside.values), "--remount-ro", "/"]


def _within(path: str, folders: Sequence[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def account_files() -> tuple[int, int]:
    """New file descriptors for a passwd and a group file that name one user; the caller closes them."""
    files = isolation.accounts(*_user())
    return isolation.memory_file("passwd", files["passwd"].encode()), isolation.memory_file("group", files["group"].encode())


def _user() -> tuple[int, int]:
    """The ids inside: root is mapped to 1000; others keep their ids, so that files of the workspace keep their owner."""
    return (1000, 1000) if os.getuid() == 0 else (os.getuid(), os.getgid())
