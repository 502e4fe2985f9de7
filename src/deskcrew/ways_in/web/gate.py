"""Access control for every request and every WebSocket: the host name, the origin, and who sends it.

A page of another site may send requests here with the user's browser (CSRF), and may point its own name at this machine (DNS
rebinding). So a request counts only if it addresses this server by one of its own names, comes from one of its own pages,
and says who sends it, by a valid session cookie or by the word of a trusted proxy (``people.py``). All three are checked
for every route; none can forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deskcrew.ways_in.web.people import PERSON, Unknown, Who

SAFE = frozenset({"GET", "HEAD"})
STATIC = "/static/"
"""Paths of files that belong to nobody and need no authentication."""
CONTENT = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
"""No inline script or style, nothing from another site, no embedding in frames."""
WITH_DESKTOP = CONTENT.replace("img-src 'self'", "img-src 'self' data:")
"""The same for a page with a live desktop, whose picture arrives as JPEGs in messages."""
HEADERS = {
    "content-security-policy": CONTENT,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

KEPT = "public, max-age=31536000, immutable"
"""For static files whose address contains a hash of their content."""

Refuse = Callable[[HTTPConnection, int, str, str], ASGIApp]
"""Makes the response to a rejected request from a status, a message and a hint."""


class Doors:
    """ASGI middleware. ``origins``: the addresses of this server, such as ``http://127.0.0.1:8700``; ``who``: finds out who
    sends a request, which is stored in its scope; ``refuse``: makes the response to a rejected request."""

    def __init__(self, app: ASGIApp, *, who: Who, origins: Collection[str], refuse: Refuse) -> None:
        self._app, self._who, self._refuse = app, who, refuse
        self._origins = frozenset(origins)
        self._names = frozenset(origin.partition("://")[2] for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        connection = HTTPConnection(scope)
        wrong = self._wrong(connection)
        if scope["type"] == "websocket":
            if wrong is not None:
                return await send({"type": "websocket.close", "code": 1008, "reason": wrong[1]})
            return await self._app(scope, receive, send)
        answer = self._app if wrong is None else self._refuse(connection, *wrong)
        kept = KEPT if connection.url.path.startswith("/static/") and connection.url.query else "no-store"
        await answer(scope, receive, _with_headers(send, kept))

    def _wrong(self, connection: HTTPConnection) -> tuple[int, str, str] | None:
        """Why a request is rejected: status, message and hint; None if it is accepted."""
        headers, path = connection.headers, connection.url.path
        host = headers.get("host", "").lower()
        if host not in self._names or len(headers.getlist("host")) != 1:
            return 421, "This server does not have that name.", "Open the address that deskcrew serve printed."
        if not self._from_here(connection, host):
            return 403, "This was sent by a page of another site.", "Do it on a page of Deskcrew."
        if path.startswith(STATIC):
            return None
        try:
            connection.scope[PERSON] = "" if path in self._who.entries else self._who.of(connection)
        except Unknown as unknown:
            return 401, str(unknown), unknown.hint
        return None

    def _from_here(self, connection: HTTPConnection, host: str) -> bool:
        """Whether a request comes from a page of this server, or from no page: a link, a bookmark, the address bar."""
        headers = connection.headers
        changes = connection.scope["type"] == "websocket" or connection.scope["method"] not in SAFE
        origin = headers.get("origin")
        if changes or origin is not None:
            return origin is not None and origin in self._origins and origin.endswith(f"//{host}")
        site = headers.get("sec-fetch-site", "none")
        return site in ("same-origin", "none") or _opened(headers)


def _opened(headers: Headers) -> bool:
    """Whether a request opens a page in a window of its own, and not as part of another site's page."""
    return headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"


def _with_headers(send: Send, kept: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("cache-control", kept)
        await send(message)

    return sending


def entry(origin: str, token: str, run: str = "") -> str:
    """The link that signs somebody in, and leads to the page of a run, if one is given."""
    return f"{origin}/enter?token={quote(token)}{f'&run={quote(run)}' if run else ''}"
