"""The program behind a window: which process made it, according to the X server, and what that process runs, according to
the kernel.

A window's class and title are its program's own claims. The server knows from the kernel which process is at the other end
of the window's connection; ``/proc`` shows the file that the process runs and the code it has loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import xcffib
import xcffib.res

from deskcrew.environments.linux.screen.x11 import Display, display_errors

SYSTEM = ("/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/")
"""Folders of programs that nobody in a sandbox can write to."""
INTERPRETERS = (
    "python", "perl", "ruby", "node", "gjs", "lua", "php", "java", "tclsh", "wish", "mono", "guile", "bash", "dash", "zsh",
    "ksh", "fish", "busybox", "env",
)  # fmt: skip
"""Name prefixes of programs that run other people's code; ``sh`` is added below."""
_KINDS = 1 << 1
"""XRes: the process of a client on this machine."""


def process_of(display: Display, window: int) -> int | None:
    """The process that made a window, by its id where the X server runs; None if the server cannot tell."""
    with display_errors():
        try:
            resources: Any = display.connection(xcffib.res.key)
            spec: Any = xcffib.res.ClientIdSpec
            reply = resources.QueryClientIds(1, [spec.synthetic(window, _KINDS)]).reply()
        except xcffib.Error:
            return None  # it has gone
    for each in reply.ids:
        if each.length >= 4 and (number := int(each.value[0])) > 0:
            return number
    return None


def program_of(number: int, session: int | None) -> str:
    """The path of the program that a process runs; '' if that is not exactly one program of the system.

    ``session``: the first process of its sandbox, as we see it; None without a sandbox. A program is not the system's if it,
    its script or any loaded code is where programs can write.
    """
    process = number if session is None else next(_seen_here(number, session), None)
    if process is None:
        return ""
    place = Path("/proc") / str(process)
    try:
        path = os.readlink(place / "exe")
        same = os.path.samestat(os.stat(place / "exe"), os.stat(path))
        loaded = {line.split(maxsplit=5)[5].strip() for line in _mapped(place) if "x" in line.split(maxsplit=2)[1]}
        arguments = (place / "cmdline").read_bytes().split(b"\0")
    except (OSError, IndexError):
        return ""
    if not same or not path.startswith(SYSTEM):
        return ""
    if any(file.startswith("/") and not file.startswith(SYSTEM) for file in loaded):
        return ""  # code of somebody else runs in it
    name = os.path.basename(path)
    if name != "sh" and not name.startswith(INTERPRETERS):
        return path
    script = next((one.decode(errors="replace") for one in arguments[1:] if one and not one.startswith(b"-")), "")
    real = os.path.realpath(script) if script.startswith("/") else ""
    return real if real.startswith(SYSTEM) and os.path.isfile(real) else ""


def _mapped(place: Path) -> list[str]:
    return [line for line in (place / "maps").read_text(errors="replace").splitlines() if len(line.split(maxsplit=5)) > 5]


def _seen_here(number: int, session: int) -> Iterator[int]:
    """Processes below ``session`` that have this id in their own process namespace."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        with suppress(OSError):  # it has ended
            numbers = _status(name, "NSpid")
            if len(numbers) > 1 and int(numbers[-1]) == number and _below(int(name), session):
                yield int(name)


def _below(process: int, session: int) -> bool:
    while process > 1:
        if process == session:
            return True
        process = int(_status(str(process), "PPid")[0])
    return False


def _status(process: str, field: str) -> list[str]:
    for line in Path("/proc", process, "status").read_text(errors="replace").splitlines():
        if line.startswith(f"{field}:"):
            return line.split()[1:]
    return ["0"]
