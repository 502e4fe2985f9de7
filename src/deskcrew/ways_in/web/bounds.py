"""Limits on the size and duration of every request's body, in one place for all routes, before any of it is read.

A server that other machines can reach also gets requests from strangers, which cost memory and connections. So a body that
is announced as too long is not read at all, reading stops when a body turns out to be too long, and a body that does not
arrive times out. ``serving.Patient`` limits headers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import anyio
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True, slots=True)
class BodyBound:
    """Limits on a body. ``most``: its size in bytes; ``seconds``: the time from its first byte to its last."""

    most: int
    seconds: float


FORM = BodyBound(1 << 20, 15.0)
"""For forms, and every route without its own limits."""
DOOR = BodyBound(4096, 15.0)
"""For routes that need no authentication, which take a token and nothing else."""
UPLOAD_SECONDS = 900.0
"""For files, which may be sent from a phone."""
AROUND = 1 << 20
"""The maximum size of a form besides its files, in bytes."""

Refuse = Callable[[HTTPConnection, int, str, str], ASGIApp]


class _Over(Exception):
    """The body exceeds its limits; the application must not continue."""


class Bounds:
    """ASGI middleware. ``uploads``: the maximum bytes of files, by path; ``refuse``: makes the response of a refusal."""

    def __init__(self, app: ASGIApp, *, uploads: Mapping[str, int], refuse: Refuse) -> None:
        self._app, self._refuse = app, refuse
        self._bounds = {path: BodyBound(most + AROUND, UPLOAD_SECONDS) for path, most in uploads.items()}
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
            text = "What was sent is too large." if body.wrong == 413 else "The request did not arrive in time."
            hint = f"At most {body.bound.most >> 10:,} KiB." if body.wrong == 413 else "Try again."
            await self._refuse(connection, body.wrong, text, hint)(scope, receive, _closing(send))
        return None


class _Body:
    """The body of one request. ``wrong``: the status with which it is rejected, 0 if it is not."""

    def __init__(self, receive: Receive, send: Send, bound: BodyBound) -> None:
        self.bound, self.wrong, self.answered = bound, 0, False
        self._receive, self._send = receive, send
        self._size, self._deadline, self._whole = 0, 0.0, False

    async def receive(self) -> Message:
        """The next piece of the body. Raises _Over if it comes too late or makes the body too long."""
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
        """Send the application's response, unless the body was rejected: it may report that as an error of its own, which
        the person must not see."""
        if self.wrong and not self.answered:
            return
        self.answered = True
        await self._send(message)

    def _over(self, status: int) -> None:
        self.wrong, self._whole = status, True
        raise _Over


def _closing(send: Send) -> Send:
    """Wrap ``send`` to close the connection, which cannot be used again since the rest of the body is not read."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await send(message)

    return sending
