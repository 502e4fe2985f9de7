"""The command line that runs a program written by a model in a sandbox.

Inside: /usr read-only, a generated /etc with the settings of programs that need theirs, empty /tmp, /dev/shm and home of
limited size, the workspace writable at ``/workspace``, the standard library of our own Python, a few libraries for
documents, no network, no environment, no capabilities, its own process tree.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from deskcrew.actions import libraries
from deskcrew.environments import isolation
from deskcrew.environments.isolation import HOME, Bubblewrap, interpreter
from deskcrew.environments.workspace import INSIDE

ETC = ("mime.types", "libreoffice", "fonts")
"""Settings without which some programs do not work: LibreOffice, which converts documents, does not start."""


def environment(*, home: str, path_of_python: Path) -> dict[str, str]:
    """The whole environment of a sandboxed program. Nothing of ours is inherited (W21)."""
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "PATH": f"/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{path_of_python.parent}",
        "TERM": "dumb",
        "TMPDIR": "/tmp",
        "USER": "crew",
    }


def arguments(
    bubblewrap: Bubblewrap,
    workspace: Path,
    scratch: int,
    *,
    network: bool,
    accounts: tuple[int, int] | None,
    by_host: Mapping[str, str] | None = None,
    own: Sequence[str] = (),
    sockets: Sequence[str] = (),
    read_only: bool = False,
) -> list[str]:
    """The sandbox, for :func:`isolation.seal`. ``scratch``: bytes of each writable folder but the workspace.

    ``accounts``: file descriptors for passwd and group, see :func:`account_files`. ``by_host``: variables that tell programs
    their proxy, if they have one (``environments/proxy_port.py``). ``own``, ``sockets``,
    ``read_only``: as for :func:`isolation.workspace`.
    """
    words = [*bubblewrap.namespaces(*_user(), network=network), *bubblewrap.no_more_namespaces(), "--die-with-parent"]
    words += [
        *isolation.system(network=network, by_host=by_host is not None, etc=ETC),
        *isolation.proc(),
        "--dev",
        "/dev",
    ]
    words += [*bubblewrap.tmpfs("/dev/shm", scratch), "--remount-ro", "/dev"]
    words += [*bubblewrap.tmpfs("/tmp", scratch), *bubblewrap.tmpfs(HOME, scratch), *isolation.python(), *libraries.binds()]
    if accounts is not None:
        words += ["--ro-bind-data", str(accounts[0]), "/etc/passwd", "--ro-bind-data", str(accounts[1]), "/etc/group"]
    words += [*isolation.workspace(workspace, own, sockets, read_only=read_only), "--chdir", INSIDE]
    words += isolation.variables({**environment(home=HOME, path_of_python=interpreter()), **(by_host or {})})
    return [*words, "--remount-ro", "/"]


def serving(
    bubblewrap: Bubblewrap,
    scratch: int,
    *,
    network: bool,
    accounts: tuple[int, int],
    shown: Sequence[str],
    written: Sequence[str],
    workspace: Path | None,
    covered: Sequence[str],
    values: Mapping[str, str],
    by_host: bool,
) -> list[str]:
    """The sandbox of a server of tools, for :func:`isolation.seal`: like :func:`arguments`, but with what is installed on
    the machine. ``shown``: paths that are readable too, as is the ``workspace``; ``written``: writable ones; ``covered``:
    sockets in the workspace; ``values``: its whole environment."""
    words = [*bubblewrap.namespaces(*_user(), network=network), *bubblewrap.no_more_namespaces(), "--die-with-parent"]
    words += [*isolation.system(network=network, by_host=by_host), *isolation.proc(), "--dev", "/dev"]
    words += [*bubblewrap.tmpfs("/dev/shm", scratch), "--remount-ro", "/dev"]
    words += [*bubblewrap.tmpfs("/tmp", scratch), *bubblewrap.tmpfs(HOME, scratch)]
    words += ["--ro-bind-data", str(accounts[0]), "/etc/passwd", "--ro-bind-data", str(accounts[1]), "/etc/group"]
    base = Path(sys.base_prefix)
    read = (path for path in (*shown, str(base / "bin"), str(base / "lib")) if not _within(path, written))
    for path in sorted({*read, *written}):  # a folder before what lies in it
        if not _within(path, ("/usr",)):
            words += ["--bind" if path in written else "--ro-bind", path, path]
    if workspace is not None:
        words += ["--ro-bind", str(workspace), INSIDE]
        for name in covered:
            words += ["--ro-bind-try", "/dev/null", f"{INSIDE}/{name}"]
    words += ["--chdir", INSIDE if workspace is not None else HOME, *isolation.variables(values)]
    return [*words, "--remount-ro", "/"]


def _within(path: str, folders: Sequence[str]) -> bool:
    return any(Path(path).is_relative_to(folder) for folder in folders)


def account_files() -> tuple[int, int]:
    """New descriptors with a passwd and a group that name one user; the caller closes them."""
    files = isolation.accounts(*_user())
    return isolation.memory_file("passwd", files["passwd"].encode()), isolation.memory_file("group", files["group"].encode())


def _user() -> tuple[int, int]:
    """Root is mapped to 1000 inside; anybody else keeps their id, so that files of the workspace keep their owner."""
    return (1000, 1000) if os.getuid() == 0 else (os.getuid(), os.getgid())
