"""The virtual desktops of a run, for people who watch them live, or operate them after taking over."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from functools import partial

import anyio

from deskcrew.environments.desk import Desk
from deskcrew.environments.isolation import Bubblewrap
from deskcrew.environments.linux.sandbox import viewing
from deskcrew.environments.linux.sandbox.sandbox import DesktopSandbox
from deskcrew.facts.events import OWN_DESK, Event, HumanSaid, Observed
from deskcrew.journal.journal import Journal
from deskcrew.ways_in.running.messages import RunScreens


class LiveScreen:
    """Connects viewers to the desktops of one run, once :meth:`lent` was called. Only a person who has taken over can do
    more than watch."""

    def __init__(self) -> None:
        self._desk: Desk | None = None
        self._journal: Journal | None = None
        self._hands: set[socket.socket] = set()

    def lent(self, desk: Desk) -> None:
        """Called with the desk that the run works on; others may be opened beside it."""
        self._desk = desk

    def _sandbox(self, number: int) -> DesktopSandbox | None:
        """The virtual desktop with that number; None if there is none, or it is not running."""
        desk = self._desk.at(number) if self._desk is not None else None
        # Only a virtual desktop has one; its class is not asked for, since its libraries are an extra.
        session = getattr(desk.desktop, "session", None) if desk is not None else None
        return session if isinstance(session, DesktopSandbox) and session.alive else None

    def changed_by(self, event: Event) -> bool:
        """Whether an event changes what viewers may see or do: a takeover, a handing back, or a lane's first desktop."""
        body = event.body
        return isinstance(body, HumanSaid) or (isinstance(body, Observed) and body.desk != OWN_DESK)

    def begun(self, journal: Journal) -> None:
        """Called with the run's journal, once the run has begun."""
        self._journal = journal

    @property
    def state(self) -> RunScreens | None:
        """The state of the run's virtual desktops; None if there are none."""
        begun = self._journal.state.started if self._journal is not None else None
        most = self._desk.most if self._desk is not None else 0
        desks = tuple(number for number in range(1, most + 1) if self._sandbox(number) is not None)
        if not desks or begun is None:
            return None
        width, height = begun.settings.screen
        width *= begun.settings.monitors
        return RunScreens(width=width, height=height, why_not=viewing.why_not(), desks=desks)

    @property
    def _taken_over(self) -> bool:
        return self._journal is not None and self._journal.state.held == "take_over"

    def refusal(self, *, hands: bool, desk: int = OWN_DESK) -> str:
        """Why a viewer cannot be connected, in words for the person; '' if they can."""
        if self._sandbox(desk) is None:
            return "This run has no virtual desktop to watch."
        if hands and not self._taken_over:
            return "Take over first: until then the crew uses mouse and keyboard."
        return viewing.why_not()

    def cut_off(self) -> None:
        """Disconnects viewers with mouse and keyboard unless a person has taken over. Their VNC server ends with the
        connection, and releases keys that were held down."""
        if not self._taken_over:
            for connection in self._hands:
                with suppress(OSError):  # already disconnected
                    connection.shutdown(socket.SHUT_RDWR)

    async def show(self, connection: socket.socket, *, hands: bool, desk: int = OWN_DESK) -> None:
        """Serves one viewer on a connection until either end closes it. Call :meth:`refusal` first."""
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
