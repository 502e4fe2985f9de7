"""Reads a program's output with a limit on every stream: head and tail are kept, the middle is counted."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from deskcrew.facts.excerpts import CUT

_CHUNK = 65536
_FULL = 0.5
"""Seconds between two checks for whether the process has written too much."""
_LINGER = 0.5
"""Seconds that output may still arrive after the program has ended."""


@dataclass(slots=True)
class OutputCollector:
    """Keeps the first and the last half of ``keep`` bytes, and counts all bytes."""

    keep: int
    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        self.total += len(data)
        room = self.keep - self.keep // 2 - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > self.keep:
            self._trim()

    def _trim(self) -> None:
        del self._tail[: max(0, len(self._tail) - self.keep // 2)]

    @property
    def truncated(self) -> bool:
        return self.total > self.keep

    def bytes(self) -> bytes:
        """The bytes that were kept, without a mark."""
        self._trim()
        return bytes(self._head + self._tail)

    def text(self) -> str:
        """The text that was kept, with a line that says how much is missing between head and tail."""
        self._trim()
        if not self.truncated:
            return (self._head + self._tail).decode("utf-8", "replace")
        cut = self.total - len(self._head) - len(self._tail)
        head, tail = self._head.decode("utf-8", "replace"), self._tail.decode("utf-8", "replace")
        return f"{head}\n{CUT}{cut} of {self.total} bytes are left out]\n{tail}"


@dataclass(slots=True)
class Pump:
    """Moves bytes between us and one process until the process has ended, a deadline passes or too much is written.

    ``ended``: a pidfd. ``at_most``: bytes read from one stream before the process is killed.
    """

    ended: int
    deadline: float
    at_most: int
    kill: Callable[[str], None]
    """Called once with the reason, ``time``, ``output`` or ``disk``."""
    full: Callable[[], bool] | None = None
    """Whether the process has written too much to disk; called every now and then."""

    def run(self, sources: dict[int, OutputCollector], stdin: IO[bytes] | None, data: bytes) -> None:
        """Move all bytes. Blocking. ``sources``: collectors by file descriptor; ``data`` is written to ``stdin``, then
        closed."""
        until, killed, unsent = self.deadline, False, memoryview(data)
        with selectors.DefaultSelector() as selector:
            selector.register(self.ended, selectors.EVENT_READ)
            for descriptor in sources:
                selector.register(descriptor, selectors.EVENT_READ)
            if stdin is not None:
                os.set_blocking(stdin.fileno(), False)
                selector.register(stdin, selectors.EVENT_WRITE)
            open_sources = set(sources)
            has_ended, look = False, time.monotonic() + _FULL
            while open_sources or not has_ended:
                soon = until if self.full is None or has_ended else min(until, look)
                ready = selector.select(max(0.0, soon - time.monotonic()))
                for key, _ in ready:
                    if key.fd == self.ended:
                        selector.unregister(self.ended)
                        has_ended, until = True, min(until, time.monotonic() + _LINGER)
                    elif key.fd in sources:
                        if not self._take(key.fd, sources[key.fd]):
                            selector.unregister(key.fd)
                            open_sources.discard(key.fd)
                    elif stdin is not None:
                        unsent = _send(stdin, unsent)
                        if not unsent:
                            selector.unregister(stdin)
                            stdin.close()
                reason = self._excess(sources, until, ended=has_ended)
                if self.full is not None and not (reason or has_ended or killed) and time.monotonic() >= look:
                    look, reason = time.monotonic() + _FULL, "disk" if self.full() else ""
                if reason and killed:
                    return  # something that we cannot reach holds the pipe
                if reason and has_ended:
                    return
                if reason:
                    self.kill(reason)
                    killed, until = True, time.monotonic() + _LINGER

    def _take(self, descriptor: int, collector: OutputCollector) -> bool:
        data = os.read(descriptor, _CHUNK)
        collector.feed(data)
        return bool(data)

    def _excess(self, sources: dict[int, OutputCollector], until: float, *, ended: bool) -> str:
        if any(collector.total > self.at_most for collector in sources.values()):
            return "output"
        return "time" if time.monotonic() >= until else ""


def _send(stdin: IO[bytes], unsent: memoryview) -> memoryview:
    """The data still to be sent; empty if the reader is gone."""
    try:
        return unsent[os.write(stdin.fileno(), unsent[:_CHUNK]) :]
    except BrokenPipeError:
        return unsent[:0]
    except BlockingIOError:
        return unsent
