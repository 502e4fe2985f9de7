"""The server process: the socket that it listens on, and its limits on connections."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from deskcrew.errors import UsageError

PORT = 8700
"""The default port; if it is taken, one of those after it."""
TRIES = 20
YOUNG = 50_000
"""The number of allocations before Python collects garbage. A long run's index has as many permanent objects: at the default
of 700, traversing them again and again while they are read would take a third of the page's load time."""


HEAD_BYTES = 32 * 1024
"""The maximum size of a request's headers, which include cookies of other servers on the machine."""
HEAD_SECONDS = 10.0
"""The time for a request's headers to arrive, counted from its first byte, or from the connection's beginning."""
CONNECTIONS = 400
"""The maximum number of connections. Each open page holds one; further clients are told that there are too many."""


@dataclass(frozen=True, slots=True)
class ListenPlace:
    """Where a server listens. ``origins``: the addresses at which it may be opened; the first is used in links."""

    socket: socket.socket
    origins: tuple[str, ...]
    certificate: Path | None = None
    key: Path | None = None


def is_local(host: str) -> bool:
    """Whether a server that listens there can only be reached locally. Raises UsageError for an invalid address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError as error:
        raise UsageError(f"{host!r} is not an address to listen on.", hint="For example --host 127.0.0.1") from error


def listen(
    host: str, port: int | None, origins: Sequence[str] = (), *, certificate: Path | None = None, key: Path | None = None
) -> ListenPlace:
    """Start listening. ``port``: None for any free port from :data:`PORT` on; ``origins``: other addresses of the server.

    Raises UsageError if that is impossible, or if other machines could reach the server but ``origins`` is empty.
    """
    named = tuple(checked_origin(each) for each in origins)
    local = is_local(host)
    if not (local or named):
        hint = f"Give the address it is opened at: --origin http://192.168.1.5:{port or PORT}"
        raise UsageError(
            f"A server on {host} can be reached by other machines, so it has to know its own address.", hint=hint
        )
    bound = _bound("127.0.0.1" if host == "localhost" else host, port)
    number = bound.getsockname()[1]
    scheme = "https" if certificate is not None else "http"
    own = [f"{scheme}://{name}:{number}" for name in (("127.0.0.1", "localhost", "[::1]") if local else ())]
    return ListenPlace(bound, (*named, *own), certificate, key)


def checked_origin(text: str) -> str:
    """An address without a path, as browsers send it. Raises UsageError for an invalid one."""
    parts = urlsplit(text.strip().rstrip("/").lower())
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path or parts.query or "@" in parts.netloc:
        raise UsageError(f"{text!r} is not a server's address.", hint="For example --origin https://desk.example.org")
    usual = {"http": ":80", "https": ":443"}[parts.scheme]
    return f"{parts.scheme}://{parts.netloc.removesuffix(usual)}"


def _bound(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    wanted = range(PORT, PORT + TRIES) if port is None else (port,)
    error: OSError | None = None
    for number in wanted:
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, number))
            made.listen(128)
        except OSError as failed:
            made.close()
            error = failed
        else:
            return made
    assert error is not None
    where = f"port {port}" if port is not None else f"the ports {PORT} to {PORT + TRIES - 1}"
    raise UsageError(f"Cannot listen on {host}, {where}: {error.strerror}.", hint="--port 0 uses any free port.")


class Patient(H11Protocol):
    """A connection that is closed if a request's headers do not arrive in time; uvicorn itself would wait forever."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:  # pyright: ignore[reportUnnecessaryComparison]
            self._stop_waiting()  # the headers are there; the body is bounded where it is read
        elif self.timeout_keep_alive_task is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self in self.connections:  # else it was handed over to a WebSocket
            self.transport.close()


def server(app: ASGIApp, place: ListenPlace) -> uvicorn.Server:
    """The server for ``app``. It stops at once when told to: runs continue, and pages reconnect by themselves."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # addresses would hold the tokens of links
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=1,
            proxy_headers=False,
            http=Patient,
            h11_max_incomplete_event_size=HEAD_BYTES,
            limit_concurrency=CONNECTIONS,
            ws_max_size=1 << 20,
            timeout_keep_alive=5,
            ssl_certfile=place.certificate,
            ssl_keyfile=place.key,
        )
    )


def settle_memory() -> None:
    """Make Python collect garbage rarely, and ignore existing objects. Affects the whole process: call it once."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
