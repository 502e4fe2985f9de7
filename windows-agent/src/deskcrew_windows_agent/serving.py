"""The line to a run: standard input and output, or a WebSocket."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from deskcrew_windows_agent import protocol as p
from deskcrew_windows_agent.answering import Agent

HELLO_SECONDS = 10.0
BUSY = p.Failed(why="Another run works on this desktop.", hint="Wait until it has ended, or stop it.")


def serve_stdio(agent: Agent, source: BinaryIO, target: BinaryIO) -> None:
    """Answer line by line until there is no more, or nothing can be done any more."""
    try:
        while line := source.readline(p.LONGEST_LINE + 1):
            too_long = len(line) > p.LONGEST_LINE
            why = f"The request is longer than {p.LONGEST_LINE >> 20} MiB."
            answer = p.Failed(why=why).model_dump_json() if too_long else agent.answer(line)
            target.write(answer.encode() + b"\n")
            target.flush()
            if too_long or not agent.open:
                return
    except BrokenPipeError:  # the run has ended
        pass
    finally:
        agent.close()


def serve_websocket(
    agent: Agent,
    host: str,
    port: int,
    certificate: Path | None,
    stopped: threading.Event,
    ready: Callable[[int], object],
) -> None:
    """Answer one run after the other until ``stopped``. ``certificate``: a PEM file with it and its key, for TLS; ``ready``
    is called with the port once runs may come. Raises OSError."""
    tls = None
    if certificate is not None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate)
    working = threading.Lock()

    def answer(run: ServerConnection) -> None:
        try:
            if not working.acquire(blocking=False):
                run.send(BUSY.model_dump_json())
                return
            try:
                line = run.recv(timeout=HELLO_SECONDS)
                run.send(agent.answer(line))
                while agent.open:
                    run.send(agent.answer(run.recv()))
            finally:
                agent.close()
                working.release()
        except (ConnectionClosed, TimeoutError):  # the run has ended, or it was none
            pass

    # A page in a browser says where it is from, and is let in nowhere.
    with serve(
        answer, host, port, ssl=tls, origins=[None], max_size=p.LONGEST_LINE, compression=None, server_header=None
    ) as server:
        threading.Thread(target=lambda: (stopped.wait(), server.shutdown()), daemon=True).start()
        ready(server.socket.getsockname()[1])
        server.serve_forever()
