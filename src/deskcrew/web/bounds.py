"""Bounds on the size and duration of a request's body, in one place for every route, before anything of it is read.

A server that other machines reach is asked by strangers as well. What they send costs memory and connections, so a body that
says it is too long is not read at all, one that turns out to be is read no further, and one that does not come is not waited
for. Headers are bounded by ``serving.Patient``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import anyio
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class Bound:
    """``most``: bytes of a body; ``seconds``: from its first byte to its last."""

    most: int
    seconds: float


FORM = Bound(1 << 20, 15.0)
"""Of a form, and of every route that nothing else is said of."""
DOOR = Bound(4096, 15.0)
"""Of a route that somebody may use who was not let in: it takes a token, and nothing else."""
UPLOAD_SECONDS = 900.0
"""For files, which may come from a telephone."""
AROUND = 1 << 20
"""Bytes of a form with files beside them."""

Refuse = Callable[[HTTPConnection, int, str, str], ASGIApp]


class _Over(Exception):
    """The body is over its bound; the application is not to go on."""


class Bounds:
    """ASGI middleware. ``uploads``: bytes of the files that each of these paths takes; ``refuse``: makes the answer."""

    def __init__(self, app: ASGIApp, *, uploads: Mapping[str, int], refuse: Refuse) -> None:
        self._app, self._refuse = app, refuse
        self._bounds = {path: Bound(most + AROUND, UPLOAD_SECONDS) for path, most in uploads.items()}
        self._bounds |= dict.fromkeys(("/enter", "/leave", "/link"), DOOR)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        connection = HTTPConnection(scope)
        body = _Body(receive, send, self._bounds.get(scope["path"], FORM))
        declared = connection.headers.get("content-length", "0")
        if not (declared.isascii() and declared.isdigit()) or len(declared) > 18 or int(declared) > body.bound.most:
            body.wrong = 413
        else:
            with suppress(_Over):
                await self._app(scope, body.receive, body.send)
        if body.wrong and not body.answered:
            text = "This is too much to be sent here." if body.wrong == 413 else "What was sent did not arrive in time."
            hint = f"At most {body.bound.most >> 10:,} KiB." if body.wrong == 413 else "Try again."
            await self._refuse(connection, body.wrong, text, hint)(scope, receive, _closing(send))
        return None


class _Body:
    """The body of one request. ``wrong``: the status that it is turned away with, 0 for none."""

    def __init__(self, receive: Receive, send: Send, bound: Bound) -> None:
        self.bound, self.wrong, self.answered = bound, 0, False
        self._receive, self._send = receive, send
        self._size, self._deadline, self._whole = 0, 0.0, False

    async def receive(self) -> Message:
        """The next piece. Raises _Over where it comes too late or is too much."""
        if self._whole:
            return await self._receive()  # all that comes now is that somebody has gone
        self._deadline = self._deadline or anyio.current_time() + self.bound.seconds
        message: Message = {}
        with anyio.move_on_at(self._deadline):
            message = await self._receive()
        if not message:
            self._over(408)
        self._whole = message["type"] != "http.request" or not message.get("more_body", False)
        self._size += len(message.get("body", b""))
        if self._size > self.bound.most:
            self._over(413)
        return message

    async def send(self, message: Message) -> None:
        """What the application answers. It may take the end of a body for a fault of its own: that is not for the person."""
        if self.wrong and not self.answered:
            return
        self.answered = True
        await self._send(message)

    def _over(self, status: int) -> None:
        self.wrong, self._whole = status, True
        raise _Over


def _closing(send: Send) -> Send:
    """What is left of the body is not read, so nothing else can come on that connection."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await send(message)

    return sending
