"""A connection to one server through the MCP SDK, which only this module uses. Blocking, for worker threads.

What a server sends is limited before it is parsed, and its requests are refused: it must not ask the model or the user for
anything. The SDK's validation of results against the tool's own schema is disabled: a stranger's patterns could be made to
run forever.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.from_thread import start_blocking_portal

from deskcrew.actions.mcp.manifest import ServerManifest, Tool
from deskcrew.actions.mcp.servers import Server
from deskcrew.actions.sandbox import Sandbox, SandboxLimits, Serving
from deskcrew.environments.describe import quote
from deskcrew.environments.proxy_port import Attachment
from deskcrew.errors import ActionError, UsageError, extra_installed
from deskcrew.facts.json_values import JsonObject
from deskcrew.secrets.redactor import Redactor
from deskcrew.secrets.vault import Vault

if TYPE_CHECKING:
    from mcp.client.session import ClientSession
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage
    from mcp.types import CallToolResult

    Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]
    Transport = AbstractAsyncContextManager[Streams]

STARTING, CALLING = 30.0, 60.0
"""Seconds that a server may take to list its tools, and for one call."""
LONGEST_LINE = 4 << 20
"""Maximum size of one message, in bytes."""
MOST_MESSAGES = 500
"""Maximum number of messages, or invalid lines, that a server may send for each message that it receives."""
MOST_PAGES = 20
_SHOWN = 300
"""Maximum characters shown of the last output of a program that could not be connected to."""
LIMITS = SandboxLimits(cpu=600, memory=2 << 30, processes=128, file_size=64 << 20)


class Lost(Exception):
    """The server no longer answers, or not in a valid way. ``str(lost)``: why, for the model."""


class CallRefused(Lost):
    """The server refused a call, and is still usable. ``str(refused)``: its own words."""


class ServerConnection:
    """A connection to a server that was started or reached, until :meth:`close`. Thread-safe; one call at a time."""

    def __init__(self, transport: Transport, *, redactor: Redactor | None = None, kill: Callable[[], None] = lambda: None):
        """Connect. ``redactor``: for the values that the server is given; ``kill``: kills the server. Raises Lost."""
        self.redactor = redactor or Redactor()
        self._kill, self._busy, self._stack = kill, threading.Lock(), ExitStack()
        try:
            with _understood():
                self._portal = self._stack.enter_context(start_blocking_portal())
                self._stack.callback(self._portal.call, self._portal.stop, True)  # whatever still waits
                self._session = self._stack.enter_context(self._portal.wrap_async_context_manager(_session(transport)))
        except BaseException:
            self.close()
            raise

    def tools(self) -> tuple[Tool, ...]:
        """The tools that the server has now. Raises Lost if it does not answer."""
        with self._busy, _understood():
            return self._portal.call(_tools, self._session)

    def call(self, tool: str, arguments: JsonObject) -> CallToolResult:
        """Call a tool. Raises Lost, and CallRefused if the server rejects the call."""
        with self._busy, _understood():
            return self._portal.call(_called, self._session, tool, arguments)

    def close(self) -> None:
        """End the connection, and the server with it. Safe to call twice and from any thread."""
        self._kill()
        stack, self._stack = self._stack, ExitStack()
        try:
            with _understood():
                stack.close()
        except Lost:
            pass  # it was on its way out


def connect(
    server: Server,
    sandbox: Sandbox,
    vault: Vault,
    *,
    workspace: bool = False,
    started: Callable[[Serving], None] = lambda _: None,
) -> ServerConnection:
    """Start a server in the sandbox, or connect to it through the network access of the sandbox's programs. ``workspace``:
    whether it may see that, if its entry asks for it; ``started`` receives its process. Raises ActionError and Lost."""
    _require()
    given = server.entry.headers if server.entry.url else server.entry.env
    values, hidden = server.values(given, vault)
    if server.entry.url:
        return ServerConnection(_over_http(server, values, sandbox), redactor=Redactor(hidden))
    argv, shown = server.program()
    written = server.written()
    place = sandbox.workspace.resolve()
    if any(place.is_relative_to(each) or each.is_relative_to(place) for each in (Path(path).resolve() for path in written)):
        raise ActionError(f"The MCP server {server.name} may write into the workspace, where it could do so unseen.")
    seen = workspace and server.entry.deskcrew.workspace
    serving = sandbox.serve(argv, values=values, shown=shown, written=written, workspace=seen, limits=LIMITS)
    started(serving)
    return ServerConnection(_piped(serving), redactor=Redactor(hidden), kill=serving.kill)


def tools_of(server: Server, sandbox: Sandbox, vault: Vault) -> ServerManifest:
    """The tools of a server, which is started only for this. Raises UsageError if it fails, ConfigError if it has too
    many."""
    said: list[Serving] = []
    try:
        connection = connect(server, sandbox, vault, started=said.append)
        try:
            return ServerManifest.of(server, connection.tools())
        finally:
            connection.close()
    except (Lost, ActionError) as error:
        why = f"it refuses and says {quote(str(error))}" if isinstance(error, CallRefused) else str(error).removesuffix(".")
        words = (vault.redactor.text(each.said()) for each in said)
        last = next((f" It said last: {quote(each[-_SHOWN:], _SHOWN)}." for each in words if each), "")
        told = why if why.startswith("The MCP server ") else f"The MCP server {server.name} cannot be used: {why}"
        raise UsageError(f"{told}.{last}") from error


@contextmanager
def _understood() -> Generator[None]:
    """Turns whatever a server causes that dies, hangs, or answers nonsense into Lost."""
    import httpx2
    from mcp import MCPError

    # RuntimeError and ValueError are what the SDK raises for answers that break the protocol.
    faults = (MCPError, RuntimeError, ValueError, OSError, httpx2.HTTPError, Lost)
    faults += (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream)
    try:
        yield
    except faults as error:
        raise _lost(error) from error
    except BaseExceptionGroup as group:
        ours, others = group.split(faults)
        if others is not None or ours is None:
            raise
        found: BaseException = ours
        while isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        raise _lost(found) from group


def _lost(error: BaseException) -> Lost:
    """The Lost for an error, with the server's own words in quotes."""
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED, REQUEST_TIMEOUT
    from pydantic import ValidationError

    if isinstance(error, Lost):
        return error
    if isinstance(error, TimeoutError) or (isinstance(error, MCPError) and error.code == REQUEST_TIMEOUT):
        return Lost("it did not answer in time")
    if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
        return CallRefused(error.message)
    if isinstance(error, MCPError | anyio.ClosedResourceError | anyio.BrokenResourceError | anyio.EndOfStream):
        return Lost("it ended, or sent more than is read")
    if isinstance(error, ValidationError):
        return Lost("its answer is not valid")
    return Lost(f"it failed and says {quote(str(error) or type(error).__name__)}")


def _require() -> None:
    """Raises ActionError if the SDK is not installed."""
    try:
        import mcp  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError as error:
        raise ActionError(f"MCP servers need a library that is not installed. {extra_installed('mcp')}.") from error


@asynccontextmanager
async def _session(transport: Transport) -> AsyncGenerator[ClientSession]:
    from mcp.client.session import ClientSession
    from mcp.types import Implementation

    class LenientSession(ClientSession):
        async def validate_tool_result(self, name: str, result: CallToolResult) -> None:
            return

    async with (
        transport as (reads, writes),
        LenientSession(reads, writes, STARTING, client_info=Implementation(name="deskcrew", version="1")) as session,
    ):
        await session.initialize()
        yield session


async def _tools(session: ClientSession) -> tuple[Tool, ...]:
    from mcp.types import PaginatedRequestParams

    found: list[Tool] = []
    cursor: str | None = None
    with anyio.fail_after(STARTING):
        for _ in range(MOST_PAGES):
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            for each in page.tools:
                found.append(
                    Tool(
                        name=each.name,
                        title=each.title or "",
                        description=each.description or "",
                        input_schema=each.input_schema,
                        annotations=each.annotations.model_dump(by_alias=True, exclude_none=True)
                        if each.annotations
                        else {},
                    )
                )
            cursor = page.next_cursor
            if not cursor:
                return tuple(found)
    raise Lost(f"its list of tools has more than {MOST_PAGES} pages")


async def _called(session: ClientSession, tool: str, arguments: JsonObject) -> CallToolResult:
    return await session.call_tool(tool, arguments, read_timeout_seconds=CALLING)


@asynccontextmanager
async def _piped(serving: Serving) -> AsyncGenerator[Streams]:
    """The messages of a program on its standard input and output, one per line."""
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    arriving, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, leaving = anyio.create_memory_object_stream[SessionMessage](0)
    left = MOST_MESSAGES

    async def read() -> None:
        nonlocal left
        async with arriving:
            while left > 0 and (line := await anyio.to_thread.run_sync(serving.stdout.readline, LONGEST_LINE)):
                if not line.endswith(b"\n"):
                    return  # too long, or its end
                left -= 1
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                    await arriving.send(SessionMessage(message))
                except ValueError:
                    continue
                except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                    return

    async def write() -> None:
        nonlocal left
        async with leaving:
            async for each in leaving:
                left = MOST_MESSAGES
                line = each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                try:
                    await anyio.to_thread.run_sync(_put, serving, line)
                except (OSError, ValueError):
                    break
        arriving.close()

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
            tasks.start_soon(write)
            try:
                yield incoming, outgoing
            finally:
                serving.kill()  # which is what ends a thread that reads from it, or writes to it
                incoming.close()
                outgoing.close()
    finally:
        serving.close()


def _put(serving: Serving, line: bytes) -> None:
    serving.stdin.write(line)
    serving.stdin.flush()


@asynccontextmanager
async def _over_http(server: Server, headers: dict[str, str], sandbox: Sandbox) -> AsyncGenerator[Streams]:
    """A session over HTTP, through the sandbox's network access only."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    class Bounded(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            response = await super().handle_async_request(request)
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _BoundedBody(response.stream)
            return response

    class _BoundedBody(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in self._stream:
                size += len(chunk)
                if size > LONGEST_LINE:
                    raise httpx2.ReadError("its answer is too long")
                yield chunk

        async def aclose(self) -> None:
            await self._stream.aclose()

    way: str | None = None
    attached: Attachment | None = None
    if not (sandbox.network or sandbox.unsafe_host):
        if sandbox.proxy is None:
            host = server.origin.partition("://")[2]
            raise Lost(f"this run has no network; the user allows it with --allow-host {host}")
        listener = socket.create_server(("127.0.0.1", 0))
        way = f"http://127.0.0.1:{listener.getsockname()[1]}"
        attached = sandbox.proxy.attach(listener)
    client = httpx2.AsyncClient(
        transport=Bounded(proxy=way), headers=headers, timeout=httpx2.Timeout(CALLING, connect=10.0), trust_env=False
    )
    try:
        async with (
            client,
            streamable_http_client(server.entry.url, http_client=client, terminate_on_close=False) as streams,
        ):
            yield streams
    finally:
        if attached is not None:
            attached.close()
