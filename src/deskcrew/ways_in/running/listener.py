"""The server on a run's socket: each connection sends one request, which is validated and answered."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress

import anyio
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from pydantic import ValidationError

from deskcrew.journal.journal import Journal
from deskcrew.ways_in.running.messages import (
    ASKED,
    LONGEST_LINE,
    Alive,
    AnswerGiven,
    AskAlive,
    Asked,
    Connect,
    Say,
    Stop,
    Told,
    send,
)
from deskcrew.ways_in.running.remote import Remote
from deskcrew.ways_in.running.screen import LiveScreen

SECONDS_TO_ASK = 10.0
"""Seconds within which a connected client must send its request."""
MOST_CONNECTED = 64
GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError)
"""The errors when sending to a client that has disconnected. Its request counts nevertheless."""
NO_REQUEST = "That is not a valid request."


class Listener:
    """Answers requests about one run. ``stop``: called to end the run gracefully."""

    def __init__(self, remote: Remote, screen: LiveScreen, stop: Callable[[], None]) -> None:
        self.journal: Journal | None = None
        """The run's journal, once it has begun."""
        self._stopping = False
        self._remote, self._screen, self._stop = remote, screen, stop

    @property
    def alive(self) -> Alive:
        """The run's current state."""
        remote, journal = self._remote, self.journal
        held = journal.state.held if journal is not None else None
        return Alive(
            run=journal.run if journal is not None else "",
            pid=os.getpid(),
            question=remote.question,
            waiting=remote.waiting,
            held="take_over" if held == "take_over" else "pause" if held else None,
            notes=tuple(remote.notes),
            screen=self._screen.state,
            stopping=self._stopping,
            doing=remote.doing,
        )

    def keep(self) -> None:
        """Commits the journal, so that clients can read it from disk."""
        if self.journal is not None:
            self.journal.commit()

    async def serve(self, listening: socket.socket) -> None:
        """Answers requests until cancelled."""
        limit = anyio.CapacityLimiter(MOST_CONNECTED)

        async def one(stream: SocketStream) -> None:
            async with limit, stream:
                with suppress(*GONE):
                    await self._answer(stream)

        listener = await anyio.abc.SocketListener.from_socket(listening)
        await listener.serve(one)

    def stopping(self) -> None:
        """Ends the run gracefully, and tells followers."""
        self._stopping = True
        self._remote.change()
        self._stop()

    async def _answer(self, stream: SocketStream) -> None:
        asked = await self._asked(stream)
        match asked:
            case None:
                await send(stream, Told(ok=False, text=NO_REQUEST))
            case AskAlive(follow=False):
                await send(stream, self.alive)
            case AskAlive():
                await self._follow(stream)
            case Say():
                await send(stream, self._remote.say(asked.said))
            case AnswerGiven():
                await send(stream, self._remote.answer(asked.question, asked.answer))
            case Stop():
                await send(stream, Told(ok=True))
                self.stopping()
            case Connect():
                await self._connect(stream, hands=asked.hands, desk=asked.desk)

    async def _asked(self, stream: SocketStream) -> Asked | None:
        """The client's request; None if it is invalid or not sent in time."""
        try:
            with anyio.fail_after(SECONDS_TO_ASK):
                line = await BufferedByteReceiveStream(stream).receive_until(b"\n", LONGEST_LINE)
            return ASKED.validate_json(line)
        except (ValidationError, anyio.IncompleteRead, anyio.DelimiterNotFound, TimeoutError):
            return None

    async def _follow(self, stream: SocketStream) -> None:
        """Sends the state, and again whenever it changes, until the client disconnects."""

        async def until_gone() -> None:
            with suppress(anyio.EndOfStream, *GONE):
                while True:  # clients are not expected to send anything more
                    await stream.receive()
            tasks.cancel_scope.cancel()

        said: Alive | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(until_gone)
            with suppress(*GONE):
                while True:
                    changing = self._remote.changing
                    if (now := self.alive) != said:
                        await send(stream, now)
                        said = now
                    await changing.wait()

    async def _connect(self, stream: SocketStream, *, hands: bool, desk: int) -> None:
        if refused := self._screen.refusal(hands=hands, desk=desk):
            await send(stream, Told(ok=False, text=refused))
            return
        await send(stream, Told(ok=True))
        await self._screen.show(stream.extra(SocketAttribute.raw_socket), hands=hands, desk=desk)
