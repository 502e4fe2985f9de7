"""Shows a virtual desktop live: a VNC server for one viewer, on a given connection and in a sandbox of its own.

It does not listen anywhere. Whoever has the connection decides who may watch; an option decides whether mouse and keyboard
input is accepted. It is not part of the desktop's own sandbox: a program in there could replace it by another server.
"""

from __future__ import annotations

import shutil
import subprocess

from deskcrew.environments import isolation
from deskcrew.environments.isolation import Bubblewrap
from deskcrew.environments.linux.sandbox.needed import VIEWER
from deskcrew.environments.linux.sandbox.sandbox import USER_ID, DesktopSandbox
from deskcrew.facts.system_packages import install

# No configuration file, no password (the connection is authorised already), no shared memory (the sandboxes have none in
# common), no clipboards, no bell; keys repeat as they did; keys held down when it starts or ends are let go.
OPTIONS = (
    "-inetd",
    "-norc",
    "-nopw",
    "-noshm",
    "-nosel",
    "-nobell",
    "-repeat",
    "-clear_mods",
    "-noipv6",
    "-nolookup",
    "-quiet",
)
QUICK = ("-wait", "15", "-defer", "15")
"""Milliseconds between two checks of the screen, and until changes are sent."""


def why_not() -> str:
    """Why no virtual desktop can be watched on this machine, and what to do about it; '' if one can."""
    return "" if shutil.which(VIEWER) else f"{VIEWER} is not installed: {install(VIEWER)}"


def start_viewer(
    bubblewrap: Bubblewrap, sandbox: DesktopSandbox, connection: int, *, hands: bool
) -> subprocess.Popen[bytes]:
    """Start a server for one viewer on ``connection``, a descriptor; the server speaks first.

    ``hands``: accept the viewer's mouse and keyboard input.
    """
    command = [
        *bubblewrap.namespaces(USER_ID, USER_ID, network=False),
        *bubblewrap.no_more_namespaces(),
        "--die-with-parent",
    ]
    command += [*isolation.system(network=False), *isolation.proc(), "--dev", "/dev", *bubblewrap.tmpfs("/tmp", 16 << 20)]
    command += ["--ro-bind", str(sandbox.run.x11), "/tmp/.X11-unix"]
    command += isolation.variables({"HOME": "/tmp", "PATH": "/usr/bin", "LANG": "C.UTF-8"})
    server = [VIEWER, "-display", f":{sandbox.display}", *OPTIONS, *QUICK, *([] if hands else ["-viewonly"])]
    with isolation.seal(command) as sealed:
        return sealed.start(server, stdin=connection, stdout=connection, stderr=None)
