"""A connection to an X server on which no call waits for ever, and which may be closed while another thread uses it.

xcb waits for a server without a limit, in C. Shutting down the socket ends such a wait: the waiting call notices, and fails.
Nothing is freed while a call is running.
"""

from __future__ import annotations

import contextlib
import functools
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import xcffib

SECONDS = 10.0
"""The maximum number of seconds for one call."""
PLAIN: Any = xcffib.Connection
"""xcffib's connection, whose methods have no types."""
_LOST = 1
"""xcb's number for a lost connection."""


class NoAnswer(xcffib.ConnectionException):
    """The server did not answer in time, and the connection was shut down."""

    def __init__(self, seconds: float) -> None:
        super().__init__(_LOST)
        self.seconds = seconds


def patiently(call: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a call to xcb: it gets a time limit, and exclusive use of the connection."""

    @functools.wraps(call)
    def wrapper(self: PatientConnection, *args: Any) -> Any:
        with self.lock:
            nested, self.since = self.since, self.since or time.monotonic()
            try:
                return call(self, *args)
            finally:
                self.since = nested

    return wrapper


class PatientConnection(xcffib.Connection):
    """See above. ``seconds``: the time limit of one call."""

    def __init__(self, *, plug: socket.socket | None = None, name: str | None = None, seconds: float = SECONDS) -> None:
        """``plug``: a socket connected to the server, owned by the connection from now on; or ``name``: a display's name.
        Raises xcffib's errors."""
        self.lock = threading.RLock()
        self.since = 0.0
        """When the running call began; 0: none is running."""
        self.expired = False
        self._seconds = seconds
        self._closed = threading.Event()
        self._conn: Any = None
        self._wire: socket.socket | None = None
        try:
            if plug is not None:
                self._watch(plug.fileno())
                self._start(None, plug.detach())
            else:
                self._start(name)
                self._watch(PLAIN.get_file_descriptor(self))
        except xcffib.XcffibException:
            self.disconnect()
            raise

    def _watch(self, descriptor: int) -> None:
        self._wire = socket.socket(fileno=os.dup(descriptor))
        threading.Thread(target=self._hang_up_in_time, name="deskcrew-x-patience", daemon=True).start()

    def _hang_up_in_time(self) -> None:
        slept = time.monotonic()
        while not self._closed.wait(min(0.5, self._seconds / 4)):
            woken, since = time.monotonic(), self.since
            stopped = woken - slept > self._seconds / 2  # it was us who did not run
            slept = woken
            if stopped and since:
                self.since = woken
            elif since and woken - since > self._seconds:
                self.expired = True
                self._hang_up()
                return

    def _hang_up(self) -> None:
        if self._wire is not None:
            with contextlib.suppress(OSError):  # it has been hung up already
                self._wire.shutdown(socket.SHUT_RDWR)

    def invalid(self) -> None:
        """Raise ConnectionException if the connection is lost."""
        if self.expired:
            raise NoAnswer(self._seconds)
        if self._conn is None:
            raise xcffib.ConnectionException(_LOST)
        super().invalid()

    def disconnect(self) -> None:
        """Interrupt every call that waits for the server, then close. Safe to call twice and from any thread."""
        self._closed.set()
        self._hang_up()
        with self.lock:
            super().disconnect()
            if self._wire is not None:
                self._wire.close()

    _start = patiently(PLAIN.__init__)
    wait_for_event = patiently(PLAIN.wait_for_event)
    wait_for_reply = patiently(PLAIN.wait_for_reply)
    request_check = patiently(PLAIN.request_check)
    poll_for_event = patiently(PLAIN.poll_for_event)
    send_request = patiently(PLAIN.send_request)
    discard_reply = patiently(PLAIN.discard_reply)
    flush = patiently(PLAIN.flush)
    generate_id = patiently(PLAIN.generate_id)
    get_file_descriptor = patiently(PLAIN.get_file_descriptor)
