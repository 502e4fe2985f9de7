"""Requests to the guard's proxy: their destination, and how they and their responses are forwarded.

Whatever is ambiguous is refused. What is forwarded is rebuilt from what was parsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

import h11

from deskcrew.guard.hosts import normal, split_authority

METHODS = frozenset({b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS"})
_HOP = frozenset(
    {
        b"connection",
        b"expect",
        b"host",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)
"""Headers that concern one connection only, or that are rebuilt."""
Headers = list[tuple[bytes, bytes]]


class Refused(Exception):
    """A request that is not forwarded: the status of the response, and the reason."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """The destination of a request. ``host``: in the form of :func:`deskcrew.guard.hosts.normal`; ``tunnel``: whether it is
    a CONNECT; otherwise ``path`` is requested from the host."""

    host: str
    port: int
    path: str
    tunnel: bool


def target_of(request: h11.Request) -> RequestTarget:
    """The destination of a request. Raises Refused if it is not a proxy request or contradicts itself."""
    headers = list(request.headers)
    names = [name for name, _ in headers]
    if b"transfer-encoding" in names and b"content-length" in names:
        raise Refused(HTTPStatus.BAD_REQUEST, "a request must have exactly one length")
    text = request.target.decode("ascii", "replace")
    target = _tunnel_to(text) if request.method == b"CONNECT" else _address_of(request.method, text)
    for value in (value for name, value in headers if name == b"host"):
        said = split_authority(value.decode("ascii", "replace"))
        default = 80 if not target.tunnel else target.port
        if said is None or (normal(said[0]), said[1] or default) != (target.host, target.port):
            raise Refused(HTTPStatus.BAD_REQUEST, "the Host header names another host than the request")
    return target


def _tunnel_to(text: str) -> RequestTarget:
    found = split_authority(text)
    if found is None or found[1] is None or not (host := normal(found[0])):
        raise Refused(HTTPStatus.BAD_REQUEST, "CONNECT must name a host and a port")
    return RequestTarget(host, found[1], "", tunnel=True)


def _address_of(method: bytes, text: str) -> RequestTarget:
    if method not in METHODS:
        raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{method.decode('ascii', 'replace')} is not allowed")
    try:
        url = urlsplit(text)
    except ValueError as error:
        raise Refused(HTTPStatus.BAD_REQUEST, "the address cannot be read") from error
    found = split_authority(url.netloc)
    if url.scheme != "http" or found is None or not (host := normal(found[0])):
        raise Refused(HTTPStatus.BAD_REQUEST, "a proxy request must be for http://HOST/PATH or use CONNECT")
    path = (url.path or "/") + (f"?{url.query}" if "?" in text else "")
    if any(not "!" <= character <= "~" for character in path) or not path.startswith("/"):
        raise Refused(HTTPStatus.BAD_REQUEST, "the address cannot be read")
    return RequestTarget(host, found[1] or 80, path, tunnel=False)


def onward(request: h11.Request, target: RequestTarget) -> h11.Request:
    """The request in the form in which it is forwarded to its host."""
    name = f"[{target.host}]" if ":" in target.host else target.host
    headers: Headers = [(b"host", (name if target.port == 80 else f"{name}:{target.port}").encode())]
    headers += _lasting(list(request.headers))
    if any(name == b"transfer-encoding" for name, _ in request.headers):
        headers.append((b"transfer-encoding", b"chunked"))
    return h11.Request(method=request.method, target=target.path, headers=[*headers, (b"connection", b"close")])


def back(response: h11.Response) -> h11.Response:
    """The response in the form in which it is returned to the program; the length of its body is recomputed."""
    lasting = _lasting(list(response.headers))
    if any(name == b"transfer-encoding" for name, _ in response.headers):
        lasting = [(name, value) for name, value in lasting if name != b"content-length"]  # as h11 understood it
    headers = [*lasting, (b"connection", b"close")]
    return h11.Response(status_code=response.status_code, headers=headers, reason=response.reason)


def _lasting(headers: Headers) -> Headers:
    """The headers without those that concern only the connection they came on."""
    named = {word.strip().lower() for name, value in headers if name == b"connection" for word in value.split(b",")}
    gone = _HOP | (named - {b"content-length"})
    return [(name, value) for name, value in headers if name not in gone]
