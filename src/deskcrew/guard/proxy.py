"""The guard's proxy: the only way out of a sandbox whose network is restricted by host.

It runs in our process, in a thread of its own, and speaks HTTP: CONNECT, and requests with an absolute ``http:`` address,
one per connection. The requested host is checked before its name is resolved, and so are its addresses; the connection goes
to an address that was checked, so a name that resolves differently the second time gains nothing. A request is parsed and
rebuilt: an ambiguous one is never forwarded.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any

import h11

from deskcrew.guard import messages
from deskcrew.guard.hosts import Hosts, is_name
from deskcrew.guard.messages import Refused, RequestTarget

Report = Callable[[str, int, bool, str], None]
"""Called for each request with host, port, whether it was allowed, and the matching rule or the reason. Called in the
proxy's thread, and must not block."""
Resolve = Callable[[str, int], Sequence[str]]
"""The addresses of a name. Blocking; raises OSError."""
_CHUNK = 65536
_PARTING = 1.0
"""Seconds that a side may keep sending after its response."""
_DELIVERY = 5.0
"""Seconds that a refusal may take to arrive."""


@dataclass(frozen=True, slots=True)
class ProxyBounds:
    """Limits for one sandbox, in bytes, seconds or counts. ``idle``: seconds without a byte in either direction."""

    head: int = 32 * 1024
    head_seconds: float = 10.0
    connect_seconds: float = 15.0
    idle: float = 300.0
    connections: int = 128


@dataclass(slots=True)
class _Served:
    """One listening socket and the connections to it; used in the proxy's thread only."""

    server: asyncio.Server | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    over: bool = False


class AttachedListener:
    """A listening socket that is served until :meth:`close`."""

    def __init__(self, close: Callable[[], None]) -> None:
        self._close = close

    def close(self) -> None:
        """Stop serving, and end the connections. Blocking; safe to call twice and from any thread but the proxy's."""
        self._close()


class Proxy:
    """Serves sandboxes from its start to :meth:`close`. Methods may be called from any thread."""

    def __init__(
        self,
        hosts: Iterable[str],
        *,
        denied: Iterable[str] = (),
        report: Report | None = None,
        resolve: Resolve | None = None,
        bounds: ProxyBounds | None = None,
    ) -> None:
        """Start the thread. ``denied``: patterns of a policy, see :class:`Hosts`. Raises UsageError if one of ``hosts`` is
        invalid; see :meth:`HostRule.parse`."""
        self.hosts = Hosts(hosts, denied)
        self.bounds = bounds or ProxyBounds()
        self._report = report or _tell_nobody
        self._resolve = resolve or addresses
        self._names = ThreadPoolExecutor(8, "deskcrew-proxy-names")
        self._attached: list[_Served] = []
        self._lock = threading.Lock()
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="deskcrew-proxy", daemon=True)
        self._thread.start()

    def allow(self, host: str) -> None:
        """Allow one more host, from the next request on. Raises UsageError if it is invalid."""
        self.hosts.allow(host)

    def approved(self, hosts: Iterable[str]) -> None:
        """Allow hosts that a person approved. They were read from what a model wrote, so only fully qualified names count:
        no patterns, addresses or names of this machine."""
        for host in filter(is_name, hosts):
            self.allow(host)

    def exempt(self) -> tuple[str, ...]:
        """The hosts that rules name without wildcards."""
        return tuple(rule.host for rule in self.hosts.rules if "*" not in rule.host)

    def attach(self, listener: socket.socket) -> AttachedListener:
        """Serve a listening socket of any network namespace. The proxy owns the socket from now on."""
        served = _Served()
        with self._lock:
            if self._closed:
                listener.close()
                return AttachedListener(lambda: None)
            self._do(self._serve(served, listener))
            self._attached.append(served)
        return AttachedListener(lambda: self._detach(served))

    def close(self) -> None:
        """End every connection, then the thread. Safe to call twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            for served in self._attached:
                self._do(self._end(served))
            self._do(_end_tasks())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            # A name that is just being asked for cannot be interrupted; nobody waits for its answer any more.
            self._names.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _detach(self, served: _Served) -> None:
        with self._lock:
            if not self._closed and served in self._attached:
                self._attached.remove(served)
                self._do(self._end(served))

    async def _serve(self, served: _Served, listener: socket.socket) -> None:
        listener.setblocking(False)

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            served.tasks.add(task)
            try:
                if not served.over and len(served.tasks) <= self.bounds.connections:
                    await self._connection(reader, writer)
            except (OSError, h11.ProtocolError):
                return  # one of the two has gone or speaks nonsense; there is nobody left to tell
            except asyncio.CancelledError:
                return  # the end of the sandbox; asyncio would print it
            finally:
                writer.transport.abort()
                served.tasks.discard(task)

        served.server = await asyncio.start_server(connected, sock=listener, limit=_CHUNK, backlog=self.bounds.connections)

    async def _end(self, served: _Served) -> None:
        served.over = True  # for connections whose task has not begun yet
        if served.server is not None:
            served.server.close()
        tasks = list(served.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)  # what was aborted is closed in the next round

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection of a program, from its request to its end."""
        program = Peer(h11.Connection(h11.SERVER, self.bounds.head), reader, writer)
        try:
            async with asyncio.timeout(self.bounds.head_seconds):
                request = await program.request()
            if request is None:
                return
            target = messages.target_of(request)
            host = await self._dial(target)
        except Refused as refused:
            await program.refuse(refused)
            return
        except TimeoutError:
            await program.refuse(Refused(HTTPStatus.REQUEST_TIMEOUT, "the request took too long"))
            return
        except h11.RemoteProtocolError as error:
            await program.refuse(Refused(HTTPStatus(error.error_status_hint), str(error)))
            return
        try:
            async with asyncio.timeout(self.bounds.idle) as timeout:
                idle = Idle(timeout, self.bounds.idle)
                if target.tunnel:
                    await _tunnel(program, host, idle)
                else:
                    await _exchange(program, host, request, target, idle)
        except TimeoutError:
            await program.refuse(Refused(HTTPStatus.GATEWAY_TIMEOUT, f"{target.host} went silent"))
        except (OSError, h11.RemoteProtocolError) as error:
            await program.refuse(Refused(HTTPStatus.BAD_GATEWAY, f"{target.host} gave no complete response: {error}"))
        finally:
            host.writer.transport.abort()

    async def _dial(self, target: RequestTarget) -> Peer:
        """A connection to the target, if it may be reached. Raises Refused if not."""
        host, port = target.host, target.port
        rule = self.hosts.rule(host, port)
        if rule is None:
            self._report(host, port, False, "no rule allows it")
            allowed = ", ".join(each.text for each in self.hosts.rules)
            told = f"{host}:{port} is not allowed; allowed are: {allowed}"
            raise Refused(HTTPStatus.FORBIDDEN, f"{told}; --allow-host {host}:{port} allows it")
        try:
            async with asyncio.timeout(self.bounds.connect_seconds):
                resolving = asyncio.get_running_loop().run_in_executor(self._names, self._resolve, host, port)
                found = tuple(dict.fromkeys(await resolving))
                reasons = {address: self.hosts.why_not(address, port, rule) for address in found}
                open_ = [address for address, reason in reasons.items() if not reason]
                if not open_:
                    why = next(iter(reasons.values()), "it has no address")
                    self._report(host, port, False, why)
                    raise Refused(HTTPStatus.FORBIDDEN, f"{host}:{port} is not allowed: {why}")
                self._report(host, port, True, rule.text)
                return await _connect(open_, port)
        except TimeoutError as error:
            raise Refused(HTTPStatus.GATEWAY_TIMEOUT, f"{host}:{port} does not answer") from error
        except OSError as error:
            raise Refused(HTTPStatus.BAD_GATEWAY, f"{host}:{port} cannot be reached: {error.strerror or error}") from error


@dataclass(slots=True)
class Peer:
    """One side of a connection: its streams, and the state of its messages."""

    http: h11.Connection
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def event(self) -> Any:
        """The next event of the current message. Raises h11.RemoteProtocolError and OSError."""
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self.http.receive_data(await self.reader.read(_CHUNK))
        return event

    async def request(self) -> h11.Request | None:
        """The request; None if the program closed without one."""
        event = await self.event()
        return event if isinstance(event, h11.Request) else None

    async def send(self, event: h11.Event) -> None:
        data = self.http.send(event)
        if data:
            self.writer.write(data)
            await self.writer.drain()

    async def refuse(self, refused: Refused) -> None:
        """Send a refusal in a form that programs print."""
        if self.http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            return
        body = f"deskcrew: {refused}\n".encode()
        headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ]
        async with asyncio.timeout(_DELIVERY):
            await self.send(h11.Response(status_code=refused.status, headers=headers, reason=refused.status.phrase))
            await self.send(h11.Data(data=body))
            await self.send(h11.EndOfMessage())
            await self.finish()

    async def finish(self) -> None:
        """Flush and close. Raises OSError if the other side did not take the data."""
        self.writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PARTING):
                # What had come and was not read would make the kernel take back what was written.
                while await self.reader.read(_CHUNK):
                    pass
        self.writer.close()
        await self.writer.wait_closed()


@dataclass(frozen=True, slots=True)
class Idle:
    """How long a connection may be idle. ``timeout``: covers everything done with the connection."""

    timeout: asyncio.Timeout
    seconds: float

    def again(self) -> None:
        """Restart the clock, unless it has already run out."""
        if not self.timeout.expired():
            self.timeout.reschedule(asyncio.get_running_loop().time() + self.seconds)


async def _connect(found: Sequence[str], port: int) -> Peer:
    """A connection to the first of the addresses that accepts one. Raises the OSError of the last one."""
    for address in found:
        try:
            reader, writer = await asyncio.open_connection(address, port, limit=_CHUNK)
        except OSError:
            if address == found[-1]:
                raise
        else:
            return Peer(h11.Connection(h11.CLIENT), reader, writer)
    raise OSError("there is no address")


async def _tunnel(program: Peer, host: Peer, idle: Idle) -> None:
    """Relay bytes both ways until both sides have finished."""
    await program.send(h11.Response(status_code=200, headers=[], reason=b"Connection established"))
    early, _ = program.http.trailing_data
    host.writer.write(early)
    async with asyncio.TaskGroup() as both:
        both.create_task(_copy(program.reader, host.writer, idle))
        both.create_task(_copy(host.reader, program.writer, idle))
    await host.finish()
    await program.finish()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, idle: Idle) -> None:
    try:
        while data := await reader.read(_CHUNK):
            idle.again()
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()  # one of the two has gone; that ends the other direction too


async def _exchange(program: Peer, host: Peer, request: h11.Request, target: RequestTarget, idle: Idle) -> None:
    """Relay one request and its response."""

    async def up() -> None:
        try:
            while not isinstance(event := await program.event(), h11.EndOfMessage):
                idle.again()
                await host.send(event)
            await host.send(h11.EndOfMessage())
        except (OSError, h11.ProtocolError):
            host.writer.transport.abort()  # half a request: there will be no answer to wait for

    await host.send(messages.onward(request, target))
    if program.http.they_are_waiting_for_100_continue:
        await program.send(h11.InformationalResponse(status_code=100, headers=[]))
    sending = asyncio.create_task(up())
    try:
        while not isinstance(event := await host.event(), h11.EndOfMessage | h11.ConnectionClosed):
            idle.again()
            if isinstance(event, h11.Response):
                await program.send(messages.back(event))
            elif isinstance(event, h11.Data):
                await program.send(event)
        await program.send(h11.EndOfMessage())
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
    await program.finish()


async def _end_tasks() -> None:
    """Cancel what still runs in this thread: connections that were just being accepted."""
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)
    await asyncio.sleep(0)


def addresses(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a name, as this machine resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(str(entry[4][0]) for entry in found)


def _tell_nobody(host: str, port: int, allowed: bool, rule: str) -> None:
    return
