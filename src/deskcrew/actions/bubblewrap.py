"""The command line that puts a program into a bubblewrap sandbox: what it may see, and nothing else.

Inside: /usr read-only, a made-up /etc, empty /tmp, /dev/shm and home of limited size, the workspace writable at
``/workspace``, the standard library of our own Python, no network, no environment, no capabilities, an own process tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deskcrew.environments.workspace import INSIDE

HOME = "/home/crew"
_ETC = ("ld.so.cache", "alternatives", "localtime", "mime.types")
_ETC_NETWORK = ("resolv.conf", "hosts", "nsswitch.conf", "ssl", "ca-certificates", "pki")
_INSTALL = "install it with: apt-get install bubblewrap (or: dnf install bubblewrap)"


def interpreter() -> Path:
    """The real Python that ours is made from: outside any virtual environment."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    candidate = Path(sys.base_prefix, "bin", version)
    return candidate if candidate.exists() else Path(os.path.realpath(sys.executable))


def environment(*, home: str, path_of_python: Path) -> dict[str, str]:
    """The whole environment of a sandboxed program. Nothing of ours is handed on (W21)."""
    return {
        "HOME": home,
        "LANG": "C.UTF-8",
        "PATH": f"/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:{path_of_python.parent}",
        "TERM": "dumb",
        "TMPDIR": "/tmp",
        "USER": "crew",
    }


@dataclass(frozen=True)
class Bubblewrap:
    """``program``: path of bwrap. ``flags``: options that this version of it knows."""

    program: str
    flags: frozenset[str]

    @classmethod
    def find(cls) -> Bubblewrap | str:
        """bwrap, or why there is none, worded for a person. Runs it once: containers often forbid namespaces."""
        program = shutil.which("bwrap")
        if program is None:
            return f"bubblewrap (bwrap) is not installed; {_INSTALL}"
        try:
            helped = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10, check=False)
            flags = frozenset(word for word in (helped.stdout + helped.stderr).split() if word.startswith("--"))
            found = cls(program, flags)
            tried = subprocess.run(
                [*found.arguments(Path("/usr"), 1 << 20, network=False, accounts=None), "/usr/bin/true"],
                capture_output=True,
                text=True,
                timeout=10,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not run here: {error}"
        if tried.returncode == 0:
            return found
        return f"bubblewrap cannot make a sandbox here ({tried.stderr.strip()}); allow unprivileged user namespaces"

    @cached_property
    def python(self) -> Path:
        return interpreter()

    def arguments(self, workspace: Path, scratch: int, *, network: bool, accounts: tuple[int, int] | None) -> list[str]:
        """Everything up to the program to run. ``scratch``: bytes of each writable folder but the workspace.

        ``accounts``: file descriptors that hold passwd and group. Root is mapped to 1000 inside, so that files of the
        workspace keep their owner on both sides; anybody else keeps the own id.
        """
        uid, gid = (1000, 1000) if os.getuid() == 0 else (os.getuid(), os.getgid())
        words = [self.program, "--unshare-all", "--unshare-user", "--uid", str(uid), "--gid", str(gid)]
        words += ["--share-net"] if network else []
        words += ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL", "--hostname", "deskcrew"]
        words += ["--disable-userns"] if "--disable-userns" in self.flags else []
        words += [*_system(), "--proc", "/proc", "--dev", "/dev"]
        words += [*self._tmpfs("/dev/shm", scratch), "--remount-ro", "/dev"]
        words += [*self._tmpfs("/tmp", scratch), *self._tmpfs(HOME, scratch), *self._python()]
        for name in (*_ETC, *(_ETC_NETWORK if network else ())):
            words += ["--ro-bind-try", os.path.realpath(f"/etc/{name}"), f"/etc/{name}"]
        if accounts is not None:
            words += ["--ro-bind-data", str(accounts[0]), "/etc/passwd", "--ro-bind-data", str(accounts[1]), "/etc/group"]
        words += ["--bind", str(workspace), INSIDE, "--chdir", INSIDE]
        for name, value in environment(home=HOME, path_of_python=self.python).items():
            words += ["--setenv", name, value]
        return [*words, "--remount-ro", "/", "--"]

    def accounts(self) -> tuple[int, int]:
        """New descriptors with a passwd and a group that name one user; the caller closes them."""
        uid, gid = (1000, 1000) if os.getuid() == 0 else (os.getuid(), os.getgid())
        passwd = f"crew:x:{uid}:{gid}:crew:{HOME}:/bin/sh\n"
        return _memory_file("passwd", passwd), _memory_file("group", f"crew:x:{gid}:\n")

    def _tmpfs(self, folder: str, size: int) -> list[str]:
        # Older versions cannot limit a tmpfs; then only the memory limit holds.
        return [*(["--size", str(size)] if "--size" in self.flags else []), "--tmpfs", folder]

    def _python(self) -> list[str]:
        """Our interpreter where it is not part of /usr, with every site-packages hidden."""
        words: list[str] = []
        base = Path(sys.base_prefix)
        if not base.is_relative_to("/usr"):
            for folder in (base / "bin", base / "lib"):
                words += ["--ro-bind", str(folder), str(folder)]
        stdlib = Path(sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix}))
        own = Path(__file__).resolve().parents[2]  # the folder that holds the package
        bound = (Path("/usr"), base / "bin", base / "lib")
        hidden = {stdlib / "site-packages", own}
        for folder in sorted(hidden):
            if folder.is_dir() and any(folder.is_relative_to(place) and folder != place for place in bound):
                words += ["--tmpfs", str(folder), "--remount-ro", str(folder)]
        return words


def _system() -> list[str]:
    words = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/", name)
        if folder.is_symlink():
            words += ["--symlink", f"usr/{name}", f"/{name}"]
        elif folder.is_dir():
            words += ["--ro-bind", f"/{name}", f"/{name}"]
    return words


def _memory_file(name: str, text: str) -> int:
    descriptor = os.memfd_create(name)
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
