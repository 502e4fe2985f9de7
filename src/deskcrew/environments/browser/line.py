"""The debugging protocol of a browser that was started with a socket in place of its two pipes: requests, responses, events.

Playwright speaks it too, but only with a browser that it has started itself or that listens at a port, and it changes that
browser: all pages believe that they are in front, files go elsewhere, dialogs are answered.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterable
from itertools import count

from playwright.async_api import Error as BrowserError

from deskcrew.environments.browser.protocol import Hearing
from deskcrew.facts.json_values import JsonObject, object_in

LONGEST = 1 << 28
"""The maximum size of one message in bytes."""
_GONE, _ENDED = "The browser has ended.", "The page has been closed."


class BrowserLine:
    """The connection to one browser. To be used on the event loop that it was made on."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._waiting: dict[int, tuple[str, asyncio.Future[JsonObject]]] = {}
        """Pending requests by number: their session, and the future for the response."""
        self._told: dict[tuple[str, str], list[Hearing]] = {}
        """Listeners by session and name of the event."""
        self._ends: list[Callable[[], None]] = []
        self.alive = True
        self._reading = asyncio.ensure_future(self._read())

    @classmethod
    async def over(cls, connection: socket.socket) -> BrowserLine:
        """Open the line over a connected socket."""
        connection.setblocking(False)
        return cls(*await asyncio.open_unix_connection(sock=connection, limit=LONGEST))

    def session(self, id: str = "") -> LineSession:
        """A session for requests to one page or frame; '': to the browser."""
        return LineSession(self, id)

    async def ask(self, method: str, params: JsonObject | None, session: str) -> JsonObject:
        """Send a request; returns the response. Raises Playwright's error if it failed, or the browser has ended."""
        if not self.alive:
            raise BrowserError(_GONE)
        number = next(self._numbers)
        asked = {"id": number, "method": method, "params": params or {}} | ({"sessionId": session} if session else {})
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._waiting[number] = session, answer
        try:
            self._writer.write(json.dumps(asked).encode() + b"\0")
            return await answer
        finally:
            self._waiting.pop(number, None)

    def hear(self, session: str, event: str, told: Hearing) -> None:
        """Call a function with each event of this kind."""
        self._told.setdefault((session, event), []).append(told)

    def on_end(self, ended: Callable[[], None]) -> None:
        """Call a function when the browser has ended."""
        self._ends.append(ended)

    def forget(self, session: str) -> None:
        """Drop the events and pending responses of a session that has ended."""
        for key in [key for key in self._told if key[0] == session]:
            del self._told[key]
        self._fail([answer for asked, answer in self._waiting.values() if asked == session])

    def _fail(self, waiting: Iterable[asyncio.Future[JsonObject]]) -> None:
        for answer in waiting:
            if not answer.done():
                answer.set_exception(BrowserError(_GONE if not self.alive else _ENDED))

    async def _read(self) -> None:
        try:
            while True:
                self._take(object_in(json.loads((await self._reader.readuntil(b"\0"))[:-1])))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            self.close()

    def _take(self, message: JsonObject) -> None:
        _, waiting = self._waiting.get(number if isinstance(number := message.get("id"), int) else 0, ("", None))
        if waiting is not None and not waiting.done():
            if "error" in message:
                waiting.set_exception(BrowserError(str(object_in(message["error"]).get("message", ""))))
            else:
                waiting.set_result(object_in(message.get("result")))
        elif "method" in message:
            for told in tuple(self._told.get((str(message.get("sessionId", "")), str(message["method"])), ())):
                told(object_in(message.get("params")))

    def close(self) -> None:
        """Close the connection; the browser then ends, as when its debugger disconnects. Safe to call twice."""
        if self.alive:
            self.alive = False
            self._writer.close()
            self._fail([answer for _, answer in self._waiting.values()])
            for ended in self._ends:
                ended()


class LineSession:
    """A :class:`~deskcrew.environments.browser.protocol.CdpSession` on a line."""

    def __init__(self, line: BrowserLine, id: str) -> None:
        self._line = line
        self.id = id

    async def send(self, method: str, params: JsonObject | None = None) -> JsonObject:
        """Send a request; returns the response. Raises Playwright's error."""
        return await self._line.ask(method, params, self.id)

    def on(self, event: str, f: Hearing) -> None:
        """Call a function with each event of this kind."""
        self._line.hear(self.id, event, f)

    async def detach(self) -> None:
        """Receive no more events."""
        self._line.forget(self.id)
