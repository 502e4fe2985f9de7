"""The virtual desktops of a run, for people who watch them live, or operate them while they have taken over."""

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
from deskcrew.events import OWN_DESK, Event, HumanSaid, Observed
from deskcrew.journal.journal import Journal
from deskcrew.request import screen_of
from deskcrew.running.messages import Screen


class LiveScreen:
    """Connections to the desktops of one run; none before :meth:`lent`. A client that has not taken over only watches."""

    def __init__(self) -> None:
        self._desk: Desk | None = None
        self._journal: Journal | None = None
        self._hands: set[socket.socket] = set()

    def lent(self, desk: Desk) -> None:
        """The run works on this desk, and on those that are opened beside it."""
        self._desk = desk

    def _sandbox(self, number: int) -> Sandbox | None:
        """The virtual desktop of that number; None if there is none, or it does not run."""
        desk = self._desk.at(number) if self._desk is not None else None
        session = desk.desktop.session if desk is not None and isinstance(desk.desktop, LinuxDesktop) else None
        return session if isinstance(session, Sandbox) and session.alive else None

    def changed_by(self, event: Event) -> bool:
        """Whether an event changes what viewers may see: a person took over or handed back, or a lane has a desktop of
        its own now."""
        body = event.body
        return isinstance(body, HumanSaid) or (isinstance(body, Observed) and body.desk != OWN_DESK)

    def begun(self, journal: Journal) -> None:
        """Set the run."""
        self._journal = journal

    @property
    def state(self) -> Screen | None:
        """None: there is no virtual desktop."""
        begun = self._journal.state.started if self._journal is not None else None
        most = self._desk.most if self._desk is not None else 0
        desks = tuple(number for number in range(1, most + 1) if self._sandbox(number) is not None)
        if not desks or begun is None:
            return None
        width, height = screen_of(begun.settings)
        width *= int(begun.settings.get("monitors", 1))
        return Screen(width=width, height=height, why_not=viewing.why_not(), desks=desks)

    @property
    def _taken_over(self) -> bool:
        return self._journal is not None and self._journal.state.held == "take_over"

    def refusal(self, *, hands: bool, desk: int = OWN_DESK) -> str:
        """Why nobody can be connected, in words for the person; '' if they can."""
        if self._sandbox(desk) is None:
            return "This run has no virtual desktop that could be watched."
        if hands and not self._taken_over:
            return "Take over first: until then mouse and keyboard are the crew's."
        return viewing.why_not()

    def cut_off(self) -> None:
        """Disconnect people's mouse and keyboard unless they have taken over. Their server ends with the connection,
        and releases keys that were held down."""
        if not self._taken_over:
            for connection in self._hands:
                with suppress(OSError):  # they have gone
                    connection.shutdown(socket.SHUT_RDWR)

    async def show(self, connection: socket.socket, *, hands: bool, desk: int = OWN_DESK) -> None:
        """Serve one viewer on a connection until either end closes it. :meth:`refusal` was called just before."""
        found = await anyio.to_thread.run_sync(Bubblewrap.find)
        sandbox = self._sandbox(desk)
        if isinstance(found, str) or self.refusal(hands=hands, desk=desk) or sandbox is None:
            return
        if hands:
            self._hands.add(connection)
        try:
            start = partial(viewing.start_viewer, found, sandbox, connection.fileno(), hands=hands)
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
