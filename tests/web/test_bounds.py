"""What a server takes from somebody who sends too much, too slowly or not to the end, over real sockets."""

from __future__ import annotations

import socket
import time
from collections.abc import Generator
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest

from support.sampling import sampled
from web.browsing import serving

pytestmark = pytest.mark.timeout(300)
TOKEN = "a-token-that-is-long-enough-for-this"
LONG_AFTER = 60.0
"""Seconds: far more than any bound. Who is still being served after them is served for ever."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[str, int]]:
    with serving(tmp_path_factory.mktemp("bounds"), "--port", "0", "--token", TOKEN) as link:
        parts = urlsplit(link)
        assert parts.hostname is not None
        assert parts.port is not None
        yield parts.hostname, parts.port


def connected(address: tuple[str, int], sent: bytes) -> socket.socket:
    made = socket.create_connection(address, timeout=LONG_AFTER)
    made.sendall(sent)
    return made


def head(address: tuple[str, int], *lines: str, path: str = "/enter") -> bytes:
    host = f"{address[0]}:{address[1]}"
    told = (f"POST {path} HTTP/1.1", f"Host: {host}", f"Origin: http://{host}", *lines, "", "")
    return "\r\n".join(told).encode()


def answer(connection: socket.socket) -> bytes:
    """All that comes until the other end closes; fails where it does not."""
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


FORM = "Content-Type: application/x-www-form-urlencoded"


@pytest.mark.parametrize("path", sampled(["/start", "/enter", "/runs/none/say"], 1))
@pytest.mark.deep
def test_what_is_said_to_be_too_long_is_not_read(address: tuple[str, int], path: str) -> None:
    with connected(address, head(address, FORM, f"Content-Length: {10 << 30}", path=path)) as stranger:
        got = answer(stranger)
    # Who was not let in is told that first; of both nothing more is read.
    assert got.split()[1] == (b"413" if path == "/enter" else b"401"), got[:200]


@pytest.mark.deep
def test_what_turns_out_to_be_too_long_is_read_no_further(address: tuple[str, int]) -> None:
    with connected(address, head(address, FORM, "Transfer-Encoding: chunked")) as stranger:
        sent, got = 0, b""
        piece = b"1000\r\n" + b"a" * 4096 + b"\r\n"
        try:
            while sent < 64 << 20 and not got:
                stranger.sendall(piece)
                sent += 4096
                stranger.setblocking(False)
                with suppress(BlockingIOError):
                    got = stranger.recv(65536)
                stranger.settimeout(LONG_AFTER)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent < 16 << 20, "it went on reading"
    assert not got or got.split()[1] == b"413", got[:200]


@pytest.mark.deep
def test_nobody_is_waited_for_for_ever_and_others_are_served_meanwhile(address: tuple[str, int]) -> None:
    half = {
        "nothing": b"",
        "half a line": b"GET / HT",
        "half the headers": head(address, "Content-Length: 10")[:-2],
        "no body": head(address, FORM, "Content-Length: 100"),
        "half a body": head(address, FORM, "Content-Length: 100") + b"token=",
    }
    with ExitStack() as stack:
        open_ = {name: stack.enter_context(connected(address, sent)) for name, sent in half.items() for _ in range(1)}
        crowd = [stack.enter_context(connected(address, b"GET / HT")) for _ in range(100)]
        # Two more that send a little now and then, so that no pause between two pieces is long.
        dribbling = [
            stack.enter_context(connected(address, head(address, FORM, "Content-Length: 4000"))),
            stack.enter_context(connected(address, head(address)[:-2])),
        ]
        with connected(address, head(address, FORM, "Content-Length: 7", "Connection: close") + b"token=x") as person:
            assert answer(person).split()[1] == b"401", "the others kept it from answering"
        until = time.monotonic() + LONG_AFTER
        over: set[int] = set()
        while len(over) < 2 and time.monotonic() < until:
            for index, (connection, piece) in enumerate(zip(dribbling, (b"a", b"X-A: b\r\n"), strict=True)):
                if index in over:
                    continue
                try:
                    connection.sendall(piece)
                    connection.settimeout(0.2)
                    if connection.recv(65536):
                        over.add(index)  # an answer
                    else:
                        over.add(index)  # closed
                except TimeoutError:
                    pass
                except OSError:
                    over.add(index)
            time.sleep(0.3)
        assert over == {0, 1}, "who dribbles was served for ever"
        for name, connection in open_.items():
            connection.settimeout(LONG_AFTER)
            got = answer(connection)
            assert got == b"" or got.split()[1] in (b"408", b"400"), (name, got[:100])
        for connection in crowd:
            assert answer(connection) == b""
