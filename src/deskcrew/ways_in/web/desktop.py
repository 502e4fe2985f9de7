"""A run's virtual desktop in the page: a WebSocket between noVNC and the run's own VNC server.

Nothing is decided here. The person has been authenticated already; the run decides whether their mouse and keyboard count.
"""

from __future__ import annotations

from contextlib import suppress

import anyio
from anyio.abc import ByteStream
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from deskcrew.errors import DeskcrewError
from deskcrew.ways_in.web.context import Here

router = APIRouter(prefix="/runs/{run}")

REFUSED, OVER = 4000, 4001
"""Close codes: the connection could not be made, for the given reason; it was cut off, or the run has ended."""
GONE = (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError)
"""The errors of a connection whose other end, the run, is gone."""
REASON = 120
"""The maximum length of a close reason in bytes, slightly below the protocol's limit."""


@router.websocket("/desktop")
async def desktop(web: Here, socket: WebSocket, run: str, hands: bool = False, desk: int = 1) -> None:
    """Serve a desktop as RFB in binary messages. ``hands``: with mouse and keyboard; ``desk``: the number of the desktop."""
    await socket.accept()
    try:
        stream = await web.runs.connect(run, hands=hands, desk=desk)
    except DeskcrewError as error:
        await socket.close(REFUSED, str(error).encode()[:REASON].decode(errors="ignore"))
        return
    async with stream:
        if await _both_ways(socket, stream):
            await socket.close(OVER, "The desktop has ended, or the run took it back.")


async def _both_ways(socket: WebSocket, stream: ByteStream) -> bool:
    """Relay bytes until either end closes. True if the page is still connected."""
    there = True
    async with anyio.create_task_group() as tasks:

        async def from_the_page() -> None:
            nonlocal there
            with suppress(*GONE):
                # None: the page has gone, or sent text, which is no RFB.
                while data := (await socket.receive()).get("bytes"):
                    await stream.send(data)
                there = False
            tasks.cancel_scope.cancel()

        tasks.start_soon(from_the_page)
        try:
            with suppress(*GONE):
                while True:
                    await socket.send_bytes(await stream.receive())
        except WebSocketDisconnect:
            there = False
        tasks.cancel_scope.cancel()
    return there
