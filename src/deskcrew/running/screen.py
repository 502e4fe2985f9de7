"""The virtual desktop of a run as people watch it live, and work on it while they have taken over."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from functools import partial

import anyio

from deskcrew.environments.desk import Desk
from deskcrew.environments.isolation import Bubblewrap
from deskcrew.environments.linux.desktop import LinuxDesktop
from deskcrew.environments.linux.sandbox import viewing
from deskcrew.environments.linux.sandbox.sandbox import Sandbox
from deskcrew.journal.journal import Journal
from deskcrew.request import screen_of
from deskcrew.running.messages import Screen


class LiveScreen:
    """Connections to the desktop of one run; none before :meth:`lent`. A client that has not taken over only watches."""

    def __init__(self) -> None:
        self._sandbox: Sandbox | None = None
        self._journal: Journal | None = None
        self._hands: set[socket.socket] = set()

    def lent(self, desk: Desk) -> None:
        """The run works on this."""
        desktop = desk.desktop
        if isinstance(desktop, LinuxDesktop) and isinstance(desktop.session, Sandbox):
            self._sandbox = desktop.session

    def begun(self, journal: Journal) -> None:
        """The run is this one."""
        self._journal = journal

    @property
    def state(self) -> Screen | None:
        """None: there is no virtual desktop."""
        begun = self._journal.state.started if self._journal is not None else None
        if self._sandbox is None or begun is None:
            return None
        width, height = screen_of(begun.settings)
        width *= int(begun.settings.get("monitors", 1))
        return Screen(width=width, height=height, why_not=viewing.why_not())

    @property
    def _taken_over(self) -> bool:
        return self._journal is not None and self._journal.state.held == "take_over"

    def refusal(self, *, hands: bool) -> str:
        """Why nobody can be connected, in words for the person; '' where they can."""
        if self._sandbox is None or not self._sandbox.alive:
            return "This run has no virtual desktop that could be watched."
        if hands and not self._taken_over:
            return "Take over first: until then mouse and keyboard are the crew's."
        return viewing.why_not()

    def cut_off(self) -> None:
        """Cut off mouse and keyboard of people unless they have taken over. Their server ends with the connection, and lets
        go of keys that were held down."""
        if not self._taken_over:
            for connection in self._hands:
                with suppress(OSError):  # they have gone
                    connection.shutdown(socket.SHUT_RDWR)

    async def show(self, connection: socket.socket, *, hands: bool) -> None:
        """Serve one viewer on a connection until either end goes. :meth:`refusal` was asked just before."""
        found = await anyio.to_thread.run_sync(Bubblewrap.find)
        if isinstance(found, str) or self.refusal(hands=hands) or self._sandbox is None:
            return
        if hands:
            self._hands.add(connection)
        try:
            start = partial(viewing.start_viewer, found, self._sandbox, connection.fileno(), hands=hands)
            server = await anyio.to_thread.run_sync(start)
            ended = os.pidfd_open(server.pid)
            try:
                await anyio.wait_readable(ended)
            finally:
                os.close(ended)
                server.kill()
                server.wait()
        finally:
            self._hands.discard(connection)
