"""Lines to an agent on Windows: a command that starts one, or an address at which one listens."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.sync.client import connect

from deskcrew.environments.windows.remote import AgentLine
from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew_windows_agent.protocol import LONGEST_LINE, LOOPBACK

STDIO = "stdio:"
HINT = "For example --at=stdio:deskcrew-windows-agent.exe, or wss://HOST:PORT (`deskcrew docs windows`)."
TOO_LONG = f"The agent sent more than {LONGEST_LINE >> 20} MiB at once."
CUT_OFF = "The connection to the agent on Windows was lost."
SILENT = "The agent does not answer."
START_AGAIN = "Start the agent again, then `deskcrew resume`."
NOISE = 100
"""The maximum number of lines that are not messages, such as a shell's greeting, before the agent's first message."""


def line_to(at: str) -> AgentLine:
    """A line to the agent that ``at`` names. Raises UsageError if it names none, EnvironmentFailure if nothing is there."""
    check_at(at)
    if not at.startswith(STDIO):
        return SocketLine(at)
    return CommandLine(shlex.split(at.removeprefix(STDIO)))


def check_at(at: str) -> None:
    """Raises UsageError unless ``at`` names an agent."""
    if not at:
        raise UsageError("Where is the Windows desktop?", hint=HINT)
    parts = urlsplit(at)
    if parts.scheme == "ws" and parts.hostname not in LOOPBACK:
        hint = "Use wss://, or forward the port: ssh -L 8765:127.0.0.1:8765 HOST, and --at ws://127.0.0.1:8765."
        raise UsageError("Without TLS, only an agent on this machine can be reached.", hint=hint)
    if parts.scheme in ("ws", "wss") and parts.hostname:
        return
    if not at.startswith(STDIO):
        raise UsageError(f"{at!r} does not name an agent on Windows.", hint=HINT)
    try:
        words = shlex.split(at.removeprefix(STDIO))
    except ValueError as error:
        raise UsageError(f"{at!r} is not a command: {error}.", hint=HINT) from error
    if not words:
        raise UsageError("There is no command after stdio:.", hint=HINT)


class CommandLine:
    """A line over the standard input and output of a command."""

    def __init__(self, command: list[str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  # closed in close()
        self._read = bytearray()
        self._noise = NOISE
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, start_new_session=True
            )
        except OSError as error:
            self._said.close()
            raise EnvironmentFailure(f"{command[0]} cannot be started: {error.strerror}.", hint=HINT) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout

    def ask(self, message: str, seconds: float) -> str:
        try:
            self._to.write(message.encode() + b"\n")
            self._to.flush()
        except (OSError, ValueError) as error:
            raise self._ended() from error
        until = time.monotonic() + seconds
        while not (line := self._line(until)).startswith(b"{") and self._noise > 0:
            self._noise -= 1
        self._noise = 0
        return line.decode("utf-8", "replace")

    def _line(self, until: float) -> bytes:
        begin = 0
        while (end := self._read.find(b"\n", begin)) < 0:
            begin = len(self._read)
            if begin > LONGEST_LINE:
                self.close()
                raise EnvironmentFailure(TOO_LONG, hint=START_AGAIN)
            self._more(until)
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line

    def _more(self, until: float) -> None:
        ready, _, _ = select.select([self._from], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            self.close()
            raise EnvironmentFailure(SILENT, hint=START_AGAIN)
        if not (more := os.read(self._from.fileno(), 1 << 20)):
            raise self._ended()
        self._read += more

    def _ended(self) -> EnvironmentFailure:
        words: list[str] = []
        if not self._said.closed:
            self._end()
            self._said.seek(0)
            words = self._said.read(1 << 16).decode("utf-8", "replace").strip().splitlines()
            self._said.close()
        said = f" It said: {words[-1][:300]}" if words else ""
        return EnvironmentFailure(f"The agent on Windows has ended.{said}", hint=START_AGAIN)

    def close(self) -> None:
        """End the command, if it does not end by itself. Safe to call twice."""
        self._end()
        self._said.close()

    def _end(self) -> None:
        with suppress(OSError):  # it has gone with something unsent
            self._to.close()
        self._from.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class SocketLine:
    """A line over a WebSocket."""

    def __init__(self, at: str) -> None:
        self._open = ExitStack()
        try:
            self._socket = self._open.enter_context(
                connect(at, max_size=LONGEST_LINE, compression=None, proxy=None, user_agent_header=None)
            )
        except (OSError, InvalidHandshake, InvalidURI) as error:
            hint = (
                "Start it there: deskcrew-windows-agent --listen PORT. Its certificate must be trusted here: SSL_CERT_FILE."
            )
            raise EnvironmentFailure(f"No agent can be reached at {at}: {error}.", hint=hint) from error

    def ask(self, message: str, seconds: float) -> str:
        try:
            with suppress(ConnectionClosed):  # what was said before is still to be heard
                self._socket.send(message)
            answer = self._socket.recv(timeout=seconds)
        except TimeoutError as error:
            self.close()
            raise EnvironmentFailure(SILENT, hint=START_AGAIN) from error
        except ConnectionClosed as error:
            too_long = error.sent is not None and error.sent.code == 1009
            raise EnvironmentFailure(TOO_LONG if too_long else CUT_OFF, hint=START_AGAIN) from error
        return answer if isinstance(answer, str) else answer.decode("utf-8", "replace")

    def close(self) -> None:
        """Close the connection. Safe to call twice."""
        self._open.close()
