"""Bounds on the size and duration of every request's body, in one place for all routes, before any of it is read.

A server that other machines can reach also gets requests from strangers. What they send costs memory and connections, so a
body that is announced as too long is not read at all, reading stops at one that turns out to be, and one that does not
arrive times out. ``serving.Patient`` bounds headers.
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
    """``most``: bytes of a body; ``seconds``: from its first byte to its last."""

    most: int
    seconds: float


FORM = BodyBound(1 << 20, 15.0)
"""For forms, and every route without a bound of its own."""
DOOR = BodyBound(4096, 15.0)
"""For a route that needs no authentication: it takes a token, and nothing else."""
UPLOAD_SECONDS = 900.0
"""For files, which may come from a phone."""
AROUND = 1 << 20
"""Bytes of a form besides its files."""

Refuse = Callable[[HTTPConnection, int, str, str], ASGIApp]


class _Over(Exception):
    """The body exceeds its bound; the application must not go on."""


class Bounds:
    """ASGI middleware. ``uploads``: bytes of the files that each of these paths accepts; ``refuse``: makes the response."""

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
            text = "What was sent is too large." if body.wrong == 413 else "What was sent did not arrive in time."
            hint = f"At most {body.bound.most >> 10:,} KiB." if body.wrong == 413 else "Try again."
            await self._refuse(connection, body.wrong, text, hint)(scope, receive, _closing(send))
        return None


class _Body:
    """The body of one request. ``wrong``: the status it is rejected with, 0 for none."""

    def __init__(self, receive: Receive, send: Send, bound: BodyBound) -> None:
        self.bound, self.wrong, self.answered = bound, 0, False
        self._receive, self._send = receive, send
        self._size, self._deadline, self._whole = 0, 0.0, False

    async def receive(self) -> Message:
        """The next piece. Raises _Over if it comes too late or is too much."""
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
        """The application's response. It may mistake the end of a body for an error of its own, which the person must not
        see."""
        if self.wrong and not self.answered:
            return
        self.answered = True
        await self._send(message)

    def _over(self, status: int) -> None:
        self.wrong, self._whole = status, True
        raise _Over


def _closing(send: Send) -> Send:
    """The rest of the body is not read, so the connection cannot be used again."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await send(message)

    return sending
