"""A D-Bus connection that sends many calls before it waits for the first answer, and never waits for ever.

jeepney encodes and decodes rare messages, wire.py the frequent ones. The identity handshake is empty (``AUTH EXTERNAL`` with
an empty answer), because the user id inside a sandbox is not ours outside; the other side then asks the kernel who we are.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

from jeepney import DBusAddress, HeaderFields, new_method_call  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]
from jeepney.low_level import Message  # pyright: ignore[reportMissingTypeStubs]

from deskcrew.environments.linux.bus import wire
from deskcrew.environments.linux.bus.dialing import Dial, anywhere
from deskcrew.environments.linux.bus.wire import WireMethod
from deskcrew.errors import ActionError

BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
ANYBODY = ":1.0"
"""Private connections ignore the destination, but jeepney wants one."""
PARSE: Any = Message.from_buffer  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
SMALLEST_ANSWER = 32
"""Bytes; a header alone is larger."""
MAXIMUM_UNSENT = 1 << 20
CALLS_AT_ONCE = 64
LONGEST_MESSAGE, MOST_AT_ONCE, MOST_SIGNALS = 1 << 25, 1 << 25, 50_000
"""The maximum size of one message, of the bytes received at once without a request, and the number of signals kept: a
program may send without end."""
LONGEST_EXCHANGE = 20.0
"""Seconds for all answers to one batch of calls, however steadily they come."""


class NotResponding(ActionError):
    """The program did not answer in time. Its connection stays usable for when it comes back. Callers that know the program
    add its name; where they do not, the operation still fails, and the run goes on."""


class ConnectionLost(ActionError):
    """The other side closed the connection or sent nonsense."""


class CallFailed(Exception):
    """A rare call was answered with an error."""


def unix_address(address: str) -> str | None:
    """The socket of a D-Bus address (``\\0`` first for an abstract one), or None if it is of another kind."""
    for alternative in address.split(";"):
        kind, _, rest = alternative.partition(":")
        if kind != "unix":
            continue
        values = dict(part.split("=", 1) for part in rest.split(",") if "=" in part)
        if "path" in values:
            return values["path"]
        if "abstract" in values:
            return "\0" + values["abstract"]
    return None


class Connection:
    """One connection to a bus or, without ``hello``, straight to a program. Used by one thread at a time."""

    def __init__(self, address: str, *, timeout: float = 1.0, hello: bool = True, dial: Dial = anywhere) -> None:
        """``dial``: how to connect to ``address``, a socket's path. Raises ConnectionLost if nothing is there, NotResponding
        on a timeout."""
        self.address = address
        self._timeout = timeout
        self.signals: list[bytes] = []
        self.unique_name = ""
        self._serial = 0
        self._fields: dict[tuple[WireMethod, str | None], bytes] = {}
        self._unsent = bytearray()
        self._received = bytearray()
        self._answers: dict[int, bytes | None] = {}
        self._first = 1
        try:
            self._socket = dial(address, timeout)
        except TimeoutError as error:
            raise NotResponding(f"no answer at {address!r}") from error
        except OSError as error:
            raise ConnectionLost(f"{address!r}: {error}") from error
        try:
            self._authenticate()
        except TimeoutError as error:
            self._socket.close()
            raise NotResponding(f"no answer at {address!r}") from error
        except ConnectionLost:
            self._socket.close()
            raise
        except OSError as error:
            self._socket.close()
            raise ConnectionLost(f"{address!r}: {error}") from error
        self._socket.setblocking(True)
        self.timeout = timeout
        if hello:
            self.unique_name = str(self.call(*BUS, "Hello")[0])

    def _authenticate(self) -> None:
        self._socket.sendall(b"\0AUTH EXTERNAL\r\n")
        if not self._socket.recv(512).startswith(b"DATA"):
            raise ConnectionLost("authentication refused")
        self._socket.sendall(b"DATA\r\n")
        if not self._socket.recv(512).startswith(b"OK"):
            raise ConnectionLost("authentication refused")
        self._socket.sendall(b"BEGIN\r\n")

    @property
    def timeout(self) -> float:
        """Seconds without any answer after which the other side counts as hung."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._timeout = seconds
        whole = int(seconds)
        value = struct.pack("@ll", whole, max(1, int((seconds - whole) * 1e6)))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)

    def fileno(self) -> int:
        """The socket's file descriptor, for ``select``."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection. May be called while another thread is in a call, which then fails. Safe to call twice."""
        with contextlib.suppress(OSError):  # the other side has gone, or it is closed already
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def call(
        self, name: str | None, path: str, interface: str, member: str, signature: str = "", *body: Any
    ) -> tuple[Any, ...]:
        """A single call of any signature. Raises CallFailed, NotResponding, ConnectionLost."""
        address = DBusAddress(path, bus_name=name or ANYBODY, interface=interface)
        message: Any = new_method_call(address, member, signature or None, body)
        self._serial += 1
        self._first = self._serial
        self._unsent += message.serialise(serial=self._serial)
        self._exchange({self._serial}, keep_errors=True)
        raw = self._answers.pop(self._serial)
        answer = PARSE(raw or b"")
        if answer.header.message_type.value == wire.ERROR:
            raise CallFailed(f"{member}: {answer.header.fields.get(HeaderFields.error_name)} {answer.body}")
        return tuple(answer.body)

    def pipeline(
        self, calls: Sequence[tuple[WireMethod, str] | tuple[WireMethod, str, bytes]], name: str | None = None
    ) -> list[bytes | None]:
        """Make all ``calls`` at once: method, object path, and a body if not the method's own.

        Returns the bodies of the answers in the order of the calls, None for an error. Raises NotResponding if nothing came
        for ``timeout`` seconds, ConnectionLost.
        """
        first = self._serial + 1
        self._first = first
        fields = self._fields
        parts: list[bytes] = []
        for call in calls:
            method = call[0]
            known = fields.get((method, name))
            if known is None:
                known = fields[method, name] = wire.method_fields(method, name)
            self._serial += 1
            body = method.body if len(call) == 2 else call[2]
            parts.append(wire.encode_call(known, call[1].encode(), self._serial, body))
            if len(parts) == CALLS_AT_ONCE:  # it answers these while we put the next together
                self._unsent += b"".join(parts)
                self._send()
                parts.clear()
        self._unsent += b"".join(parts)
        serials = range(first, self._serial + 1)
        self._exchange(set(serials))
        answers = self._answers
        return [answers.pop(serial) for serial in serials]

    def _exchange(self, wanted: set[int], *, keep_errors: bool = False) -> None:
        """Send and receive until every serial in ``wanted`` has been answered."""
        if len(self._unsent) > MAXIMUM_UNSENT:
            raise NotResponding("too many unanswered calls")
        self._answers.clear()
        self._send()
        latest = time.monotonic() + LONGEST_EXCHANGE
        while len(self._answers) < len(wanted):
            if time.monotonic() > latest:
                raise NotResponding("it answers too slowly")
            if self._unsent:
                self._wait_both()
                self._send()
                self._receive()
            else:
                self._receive_many(len(wanted) - len(self._answers))
            self._dispatch(keep_errors)

    def _wait_both(self) -> None:
        """Wait until more can be sent or something has arrived."""
        readable, writable, _ = select.select([self._socket], [self._socket], [], self._timeout)
        if not readable and not writable:
            raise NotResponding("no answer")

    def _receive_many(self, missing: int) -> None:
        """Wait for the minimum size of ``missing`` answers.

        Programs send their answers one by one; being woken for each costs more than reading it.
        """
        least = min(SMALLEST_ANSWER * missing, 1 << 16)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, least)
        try:
            chunk = self._socket.recv(1 << 18)
        except BlockingIOError as error:
            raise NotResponding("no answer") from error
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        finally:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        if not chunk:
            raise ConnectionLost("closed by the other side")
        self._received += chunk

    def _send(self) -> None:
        while self._unsent:
            try:
                sent = self._socket.send(self._unsent, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return
            except OSError as error:
                raise ConnectionLost(str(error)) from error
            del self._unsent[:sent]

    def _receive(self) -> int:
        """Read what has arrived; returns the number of bytes."""
        try:
            chunk = self._socket.recv(1 << 18, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise ConnectionLost(str(error)) from error
        if not chunk:
            raise ConnectionLost("closed by the other side")
        self._received += chunk
        return len(chunk)

    def _dispatch(self, keep_errors: bool) -> None:
        """Sort complete messages into answers and signals. ``keep_errors``: keep whole messages, not bodies."""
        buffer = bytes(self._received)
        at, end = 0, len(buffer)
        unpack = wire.HEADER.unpack_from
        while end - at >= 16:
            order, kind, _, _, size, _, length = unpack(buffer, at)
            if order != 108:
                raise ConnectionLost("a big-endian message")
            start = 16 + length + (-length % 8)
            if start + size > LONGEST_MESSAGE:
                raise ConnectionLost("a message without an end")
            if end - at < start + size:
                break
            message = buffer[at : at + start + size]
            at += start + size
            if kind in (wire.RETURN, wire.ERROR):
                serial = wire.reply_serial(message, length)
                if serial < self._first:  # came too late: its call has been given up
                    continue
                if keep_errors:
                    self._answers[serial] = message
                else:
                    self._answers[serial] = message[start:] if kind == wire.RETURN else None
            elif kind == wire.SIGNAL and len(self.signals) < MOST_SIGNALS:
                self.signals.append(message)
        if at:
            del self._received[:at]

    def poll(self, seconds: float = 0.0) -> bool:
        """Read whatever has arrived, waiting up to ``seconds`` for the first of it. Raises ConnectionLost."""
        self._first = self._serial + 1
        if not select.select([self._socket], [], [], max(0.0, seconds))[0]:
            return False
        got = 0
        while got < MOST_AT_ONCE and (more := self._receive()):
            got += more
            self._dispatch(False)
        return got > 0

    def answered(self) -> bool:
        """Whether anything has arrived since a call timed out, or the connection is lost."""
        try:
            return self.poll()
        except ConnectionLost:
            return True

    def take_signals(self) -> list[bytes]:
        """The raw signals received since the last call."""
        taken, self.signals = self.signals, []
        return taken
