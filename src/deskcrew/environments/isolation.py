"""The common base of all our bubblewrap sandboxes: namespaces of their own, the system read-only, one made-up user, no
environment.

One sandbox holds a desktop (``environments/linux/sandbox/``), one holds each program that a model wrote
(``actions/bubblewrap.py``); the differences are there. docs/design/sandbox.md gives the reasons.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from deskcrew.environments import confinement, syscalls
from deskcrew.environments.closing import Closing
from deskcrew.environments.workspace import INSIDE
from deskcrew.facts.system_packages import install

HOME = "/home/crew"
_ETC = ("alternatives", "ld.so.cache", "localtime")
_ETC_NETWORK = ("resolv.conf", "hosts", "nsswitch.conf")
_ETC_TRUST = ("ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs", "pki/tls/openssl.cnf", "pki/ca-trust")
"""The certificates that programs trust. Not /etc/ssl itself: it holds private keys, which root's sandbox could read."""
_PROC_READ_ONLY = ("bus", "fs", "irq", "sys", "sysrq-trigger")
_PROC_HIDDEN = (
    *("acpi", "asound", "kallsyms", "kcore", "keys", "kmsg", "latency_stats", "mtrr", "sched_debug", "scsi", "timer_list"),
    "timer_stats",
)
"""What container runtimes hide. There is no /sys in our sandboxes."""


@dataclass(frozen=True)
class Bubblewrap:
    """``program``: path of bwrap. ``flags``: options that this version of it supports."""

    program: str
    flags: frozenset[str]

    @classmethod
    def find(cls) -> Bubblewrap | str:
        """bwrap, or why it cannot be used, worded for a person. Runs it once: containers often forbid namespaces."""
        program = shutil.which("bwrap")
        if program is None:
            return f"bubblewrap (bwrap) is not installed: {install('bubblewrap')}"
        if reason := syscalls.why_not():
            return reason
        try:
            helped = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10, check=False)
            flags = frozenset(word for word in (helped.stdout + helped.stderr).split() if word.startswith("--"))
            found = cls(program, flags)
            words = [*found.namespaces(1000, 1000, network=False), *found.no_more_namespaces(), *system(network=False)]
            with seal([*words, *proc(), "--dev", "/dev"]) as sealed:
                tried = sealed.start(["/usr/bin/true"], stderr=subprocess.PIPE)
            _, said = tried.communicate(timeout=10)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"bubblewrap does not run here: {error}"
        if tried.returncode == 0:
            return found
        reason = said.decode(errors="replace").strip()
        return f"bubblewrap cannot make a sandbox here ({reason}); allow unprivileged user namespaces"

    def namespaces(self, uid: int, gid: int, *, network: bool) -> list[str]:
        """The start of a command line: nothing shared with the host, no capabilities, no environment, ``uid`` inside."""
        words = [self.program, "--unshare-all", "--unshare-user", "--uid", str(uid), "--gid", str(gid)]
        words += ["--share-net"] if network else []
        return [*words, "--new-session", "--clearenv", "--cap-drop", "ALL", "--hostname", "deskcrew"]

    def no_more_namespaces(self) -> list[str]:
        """The option that forbids new user namespaces inside, if this version has it. Browsers need theirs."""
        return ["--disable-userns"] if "--disable-userns" in self.flags else []

    def tmpfs(self, folder: str, size: int) -> list[str]:
        """An empty folder of at most ``size`` bytes. Older versions cannot limit it; then only the memory limit applies."""
        return [*(["--size", str(size)] if "--size" in self.flags else []), "--tmpfs", folder]


class Sealed(Closing):
    """A sandbox that is about to start, see :func:`seal`. ``words``: the command line, up to the program to run;
    ``descriptors``: file descriptors that it must inherit. Close it once it has been started."""

    def __init__(self, words: list[str], descriptors: list[int]) -> None:
        self.words = words
        self.descriptors = descriptors

    def start(
        self,
        program: Sequence[str],
        descriptors: Sequence[int] = (),
        *,
        before: Sequence[str] = (),
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
        stderr: int | IO[bytes] | None = subprocess.DEVNULL,
    ) -> subprocess.Popen[bytes]:
        """Start ``program`` in it, like :func:`confinement.start`. ``descriptors``: additional ones, for the program;
        ``before``: the program outside that becomes the sandbox."""
        words = [*before, *self.words, *program]
        return confinement.start(words, [*self.descriptors, *descriptors], stdin=stdin, stdout=stdout, stderr=stderr)

    def close(self) -> None:
        """Close the descriptors. Safe to call twice."""
        while self.descriptors:
            os.close(self.descriptors.pop())


def seal(words: Sequence[str], *, browsers: bool = False, numbers: tuple[int, int] | None = None) -> Sealed:
    """Complete a sandbox: ``words``, its command line without the program to run, and a filter of system calls.

    The options are passed through a descriptor: bubblewrap is process 1 inside, where its command line could be read.
    ``browsers``: programs inside may create the namespaces for browsers' own sandboxes. ``numbers``: the numbers of the two
    descriptors when the sandbox starts, if different from here.
    """
    program, *options = words
    call_filter = memory_file("filter", syscalls.program(browsers=browsers))
    number = call_filter if numbers is None else numbers[1]
    whole = memory_file("options", b"".join(f"{word}\0".encode() for word in [*options, "--seccomp", str(number)]))
    return Sealed([program, "--args", str(whole if numbers is None else numbers[0]), "--"], [whole, call_filter])


def memory_file(name: str, content: bytes) -> int:
    """A new descriptor from which ``content`` can be read; the caller closes it."""
    descriptor = os.memfd_create(name)
    with os.fdopen(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def proc() -> list[str]:
    """A /proc of the sandbox's own processes. The kernel's settings in it are read-only, its information about the machine
    is hidden.

    bubblewrap covers settings only if their folder is writable, which it never is; the files in it are, for root.
    """
    words = ["--proc", "/proc"]
    for place in (Path("/proc", name) for name in _PROC_READ_ONLY):
        words += ["--ro-bind", str(place), str(place)] if place.exists() else []
    for place in (Path("/proc", name) for name in _PROC_HIDDEN):
        if place.is_dir():
            words += ["--tmpfs", str(place), "--remount-ro", str(place)]
        elif place.exists() and (os.getuid() == 0 or place.stat().st_mode & 0o004):  # each takes half a millisecond
            words += ["--ro-bind", "/dev/null", str(place)]
    return words


def system(*, network: bool, by_host: bool = False, etc: Iterable[str] = ()) -> list[str]:
    """The system's programs and libraries, read-only. ``etc``: more names below /etc that are shown if they exist.

    ``by_host``: some hosts are reached through a proxy port, so that certificates are needed and the machine's resolver is
    not.
    """
    words = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        folder = Path("/", name)
        if folder.is_symlink():
            words += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            words += ["--ro-bind", str(folder), str(folder)]
    for name in (*_ETC, *etc, *(_ETC_NETWORK if network else ()), *(_ETC_TRUST if network or by_host else ())):
        words += ["--ro-bind-try", os.path.realpath(f"/etc/{name}"), f"/etc/{name}"]
    return words


def workspace(
    folder: Path, own: Iterable[str], sockets: Iterable[str] = (), hidden: Iterable[str] = (), *, read_only: bool = False
) -> list[str]:
    """The options that mount the workspace, writable except for ``own``: names at its top that are the user's. As mounts,
    they cannot be moved either. ``sockets``: paths where programs of this machine listen, ``hidden``: paths that nobody
    inside may read; both are covered."""
    words = ["--ro-bind" if read_only else "--bind", str(folder), INSIDE]
    for name in own:
        words += ["--ro-bind-try", str(folder / name), f"{INSIDE}/{name}"]
    for name in sockets:
        if (folder / name).is_socket():  # what was one may have gone, and nothing is made in its place
            words += ["--ro-bind", "/dev/null", f"{INSIDE}/{name}"]
    for name in hidden:
        if (folder / name).is_symlink():
            continue  # where it leads is hidden by itself, or nothing there is
        if (folder / name).is_dir():
            words += ["--tmpfs", f"{INSIDE}/{name}", "--remount-ro", f"{INSIDE}/{name}"]
        elif (folder / name).exists():
            words += ["--ro-bind", "/dev/null", f"{INSIDE}/{name}"]
    return words


def accounts(uid: int, gid: int) -> dict[str, str]:
    """``passwd`` and ``group`` for a sandbox's /etc, which name one user."""
    return {
        "passwd": f"crew:x:{uid}:{gid}:crew:{HOME}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
        "group": f"crew:x:{gid}:\nnogroup:x:65534:\n",
    }


def variables(environment: Mapping[str, str]) -> list[str]:
    """The options that set the whole environment inside."""
    return [word for name, value in environment.items() for word in ("--setenv", name, value)]


def interpreter() -> Path:
    """The real Python that ours is based on: outside any virtual environment."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    candidate = Path(sys.base_prefix, "bin", version)
    return candidate if candidate.exists() else Path(os.path.realpath(sys.executable))


def python() -> list[str]:
    """The options that mount our interpreter if it is not part of /usr, and that hide every site-packages."""
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
