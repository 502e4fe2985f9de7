"""The only way out of a sandbox that may reach some hosts only: a port inside, served from outside.

Such a sandbox has a network namespace with nothing in it, like one without a network. The first program inside listens on
its loopback interface, passes that socket out through an inherited wire, closes both and becomes the program to run. A
socket stays in the namespace it was made in, so connections to the port arrive at a proxy outside, which decides what is
allowed. Programs never see the wire, nothing inside has to be kept running, and no file is shared.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

PORT = 3128
_LOCAL = ("localhost", "127.0.0.1", "::1")
_LEAD = f"""
import os, signal, socket, sys
wire = socket.socket(fileno=int(sys.argv[1]))
listener = socket.create_server(("127.0.0.1", {PORT}), backlog=128)
socket.send_fds(wire, [b"."], [listener.fileno()])
wire.close()
listener.close()
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
os.execvp(sys.argv[2], sys.argv[2:])
"""


class Attachment(Protocol):
    """A port that is served."""

    def close(self) -> None:
        """Stop serving, and end the connections. Safe to call twice."""
        ...


class ProxyPort(Protocol):
    """Serves the port. Called from any thread."""

    def attach(self, listener: socket.socket) -> Attachment:
        """Serve what connects to ``listener``, and own it."""
        ...

    def approved(self, hosts: Sequence[str]) -> None:
        """Allow these hosts, which a person approved."""
        ...

    def exempt(self) -> Sequence[str]:
        """Names of this machine that programs must request from the proxy, because they were allowed."""
        ...


class Door:
    """The proxy port of one sandbox. Make it before the sandbox starts, :meth:`open` it after, :meth:`close` it at the
    end."""

    def __init__(self, proxy: ProxyPort) -> None:
        self._proxy = proxy
        self._ours, theirs = socket.socketpair()
        self._attachment: Attachment | None = None
        self._wire = theirs.detach()

    @property
    def variables(self) -> dict[str, str]:
        """Variables that tell programs to use the port. Their own servers on loopback are reached without it."""
        address = f"http://127.0.0.1:{PORT}"
        local = ",".join(name for name in _LOCAL if name not in self._proxy.exempt())
        lower = {"http_proxy": address, "https_proxy": address, "no_proxy": local}
        return lower | {name.upper(): value for name, value in lower.items()}

    def take_wire(self) -> int:
        """The descriptor that the sandbox inherits. The caller closes it once the sandbox has been started."""
        wire, self._wire = self._wire, -1
        return wire

    def open(self, seconds: float) -> bool:
        """Wait until the first program inside has passed out its port. False if it ended before, or took too long."""
        self._ours.settimeout(seconds)
        listener = self._receive()
        if listener is None:
            return False
        self._attachment = self._proxy.attach(listener)
        return True

    def _receive(self) -> socket.socket | None:
        with suppress(TimeoutError, ConnectionError):
            _, descriptors, _, _ = socket.recv_fds(self._ours, 1, 1)
            if descriptors:
                os.set_inheritable(descriptors[0], False)
                return socket.socket(fileno=descriptors[0])
        return None

    def close(self) -> None:
        """Stop serving. Safe to call twice."""
        self._ours.close()
        if self._wire >= 0:
            os.close(self.take_wire())
        if self._attachment is not None:
            self._attachment.close()
            self._attachment = None


def leading(python: Path, wire: int) -> list[str]:
    """The start of a command line that opens the port and then becomes the program to run."""
    return [str(python), "-I", "-S", "-c", _LEAD, str(wire)]
