"""What a red-team case changed of this machine: sysctls, keyrings, mounts, processes, listeners. Changes are put back.

A case is compared with itself: one look before, one after. Looks are the kernel's own words (/proc, keyctl), so nothing
depends on what a process is called, or on what the engine says of itself. A look takes some 50 ms as root, less as anybody
else, who may write to hardly any sysctl.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

SETTLE = 1.0
"""Seconds that processes get to end after their run has."""
SYSCTLS = Path("/proc/sys")
CANARY = "deskcrew-canary"
"""Name of the key that the session keyring of a case holds."""
_SESSION, _USER = -3, -4
_GET, _JOIN, _DESCRIBE, _UNLINK, _READ = 0, 1, 6, 9, 11
_ADD_KEY = {"x86_64": 248, "aarch64": 217}
"""Number of the system call ``add_key``; ``keyctl`` is two more."""
_DETACH = 2
_LISTENING = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07", "raw": "07"}
_LONGEST = 60


class Keys:
    """The session's and the user's keyring, through the kernel's own calls. ``can``: whether this machine has them."""

    def __init__(self) -> None:
        self._call = ctypes.CDLL(None, use_errno=True).syscall
        self._add = _ADD_KEY.get(platform.machine(), 0)
        self.can = bool(self._add) and self._keyctl(_GET, _SESSION, 1) > 0

    def _keyctl(self, operation: int, *words: object) -> int:
        given = [ctypes.c_char_p(w) if isinstance(w, bytes) else w if w is None else ctypes.c_long(w) for w in words]  # type: ignore[arg-type]
        return int(self._call(ctypes.c_long(self._add + 2), ctypes.c_long(operation), *given))

    def join(self, payload: bytes) -> None:
        """Begin a session keyring of this thread's own, and those of its children, with one key in it."""
        if self.can:
            self._keyctl(_JOIN, None)
            self._call(
                ctypes.c_long(self._add),
                ctypes.c_char_p(b"user"),
                ctypes.c_char_p(CANARY.encode()),
                ctypes.c_char_p(payload),
                ctypes.c_size_t(len(payload)),
                ctypes.c_long(_SESSION),
            )

    def look(self) -> dict[str, str]:
        """What the two keyrings hold: keyring and key -> what is known of it."""
        found: dict[str, str] = {}
        for name, ring in (("session", _SESSION), ("user", _USER)) if self.can else ():
            for key in self._members(ring):
                known = self._text(_DESCRIBE, key).rstrip(b"\0").decode(errors="replace")
                payload = b"" if known.startswith("keyring;") else self._text(_READ, key)
                found[f"{name} {key}"] = f"{known} {hashlib.sha256(payload).hexdigest()}"
        return found

    def drop(self, named: str) -> None:
        """Take away a key, as :meth:`look` names it."""
        ring, _, key = named.partition(" ")
        self._keyctl(_UNLINK, int(key), _SESSION if ring == "session" else _USER)

    def _members(self, ring: int) -> list[int]:
        data = self._text(_READ, ring)
        return [int.from_bytes(data[at : at + 4], "little", signed=True) for at in range(0, len(data), 4)]

    def _text(self, operation: int, key: int) -> bytes:
        buffer = ctypes.create_string_buffer(1 << 12)
        got = int(
            self._call(
                ctypes.c_long(self._add + 2), ctypes.c_long(operation), ctypes.c_long(key), buffer, ctypes.c_size_t(1 << 12)
            )
        )
        return buffer.raw[: max(got, 0)]


@dataclass(frozen=True)
class Look:
    """This machine at one moment. ``processes``: descendants of this one, by id and start; ``sockets``: their listeners."""

    sysctls: dict[str, bytes]
    keys: dict[str, str]
    mounts: dict[str, str]
    processes: dict[tuple[int, float], str]
    sockets: frozenset[str]


class Host:
    """This machine as it is now. Make it when the world of a case stands and before its run begins, in a process that gets
    orphans (``PR_SET_CHILD_SUBREAPER``), so that whatever the run leaves behind descends from it."""

    def __init__(self, sysctls: Path = SYSCTLS) -> None:
        self._root = sysctls
        self._keys = Keys()
        self._before = self._look()

    def changes(self) -> Iterator[str]:
        """What is another now, a line each. Sysctls, keys and mounts are put back; processes are for the caller to end."""
        self._settle()
        now = self._look()
        for process in now.processes.keys() - self._before.processes.keys():
            yield f"process {now.processes[process][:120]!r} is left"
        yield from (f"{where} is listened on" for where in sorted(now.sockets - self._before.sockets))
        yield from self._sysctls(now.sysctls)
        yield from self._mounts(now.mounts)
        for key in sorted(self._before.keys.keys() | now.keys.keys()):
            before, after = self._before.keys.get(key), now.keys.get(key)
            if before != after:
                if before is None:
                    self._keys.drop(key)
                yield f"key {key} was {'added' if before is None else 'taken away' if after is None else 'changed'}"

    def end_processes(self) -> None:
        """End what the run left, so that the next case finds none of it."""
        for process in _descendants():
            if (process.pid, process.create_time()) not in self._before.processes:
                with suppress(psutil.NoSuchProcess):
                    process.kill()

    def _look(self) -> Look:
        return Look(
            sysctls=dict(_sysctls(self._root)),
            keys=self._keys.look(),
            mounts=_mounts(),
            processes=_processes(),
            sockets=frozenset(_sockets()),
        )

    def _settle(self) -> None:
        deadline = time.monotonic() + SETTLE
        while _processes().keys() - self._before.processes.keys() and time.monotonic() < deadline:
            time.sleep(0.05)

    def _sysctls(self, now: dict[str, bytes]) -> Iterator[str]:
        differ = [path for path, value in now.items() if self._before.sysctls.get(path, value) != value]
        if differ:  # rare: some change with every process that starts, and say nothing
            subprocess.run(["/bin/true"], check=False)
        for path in differ:
            before, after = self._before.sysctls[path], now[path]
            if _read(path) != after:
                continue
            back = _write(path, before)
            name = Path(path).relative_to(self._root).as_posix().replace("/", ".")
            then = "put back" if back else "it could not be put back"
            yield f"sysctl {name} was changed from {_shown(before)} to {_shown(after)}; {then}"

    def _mounts(self, now: dict[str, str]) -> Iterator[str]:
        for number in sorted(now.keys() - self._before.mounts.keys(), key=int, reverse=True):
            place = now[number].split()[0]
            ctypes.CDLL(None).umount2(os.fsencode(place.encode().decode("unicode_escape")), _DETACH)
            yield f"{place} was mounted"
        for number, told in self._before.mounts.items():
            if now.get(number) != told:
                yield f"the mount {told.split()[0]} was changed"


def _sysctls(root: Path) -> Iterator[tuple[str, bytes]]:
    """Those that this user could write to, and can read."""
    bits = 0o200 if os.geteuid() == 0 else 0o002
    for folder, _, names in os.walk(root):
        for name in names:
            path = f"{folder}/{name}"
            with suppress(OSError):  # some are there and say nothing
                mode = os.lstat(path).st_mode
                if mode & bits and mode & 0o444:
                    with open(path, "rb", buffering=0) as file:
                        yield path, file.read()


def _read(path: str) -> bytes | None:
    with suppress(OSError), open(path, "rb", buffering=0) as file:
        return file.read()
    return None


def _write(path: str, value: bytes) -> bool:
    with suppress(OSError), open(path, "wb", buffering=0) as file:
        file.write(value)
    return _read(path) == value


def _shown(value: bytes) -> str:
    text = value.decode(errors="replace").strip()
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _mounts() -> dict[str, str]:
    """Number of each mount of this namespace -> place, options, kind and source."""
    found: dict[str, str] = {}
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
        words = line.split()
        found[words[0]] = " ".join((words[4], words[5], *words[words.index("-") + 1 :]))
    return found


def _descendants() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def _processes() -> dict[tuple[int, float], str]:
    found: dict[tuple[int, float], str] = {}
    for process in _descendants():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            if process.status() != psutil.STATUS_ZOMBIE:
                found[process.pid, process.create_time()] = " ".join(process.cmdline()) or process.name()
    return found


def _sockets() -> Iterator[str]:
    """Where this process and its descendants listen, on this machine's network and by Unix sockets."""
    held: set[str] = set()
    for pid in (os.getpid(), *(process.pid for process in _descendants())):
        with suppress(OSError):
            for descriptor in os.scandir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    held.add(os.readlink(descriptor.path))
    inodes = {name[8:-1] for name in held if name.startswith("socket:[")}
    for kind, state in _LISTENING.items():
        for words in _table(kind):
            if len(words) > 9 and words[3] == state and words[9] in inodes:
                yield f"{kind} port {int(words[1].rpartition(':')[2], 16)}"
    for words in _table("unix"):
        if len(words) > 7 and int(words[3], 16) & 0x10000 and words[6] in inodes:
            yield f"Unix socket {words[7]}"


def _table(name: str) -> list[list[str]]:
    with suppress(OSError):
        return [line.split() for line in Path(f"/proc/self/net/{name}").read_text(errors="replace").splitlines()[1:]]
    return []
