"""Ctrl-C: the first ends the run gracefully, the second ends the program. Closing the window counts as one."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from types import FrameType, TracebackType
from typing import TypeVar

import anyio

T = TypeVar("T")

_STOPPED = 6
_NOW = b"\x1b[?25h\nEnded at once. What the run did so far is in the journal.\n"
"""Shows the cursor again, which the spinner hid."""


class Signals:
    """Turns SIGINT, SIGTERM and SIGHUP into the cancellation of one task; a second SIGINT or SIGTERM ends the process with
    exit code 6.

    ``first``: called in the event loop when the first signal arrives; ``last``: called just before the process ends at once.
    """

    def __init__(self, first: Callable[[], None], last: Callable[[], None] | None = None) -> None:
        self.received = False
        self._first, self._last = first, last
        self._cancel: Callable[[], None] | None = None
        self._before: dict[int, signal.Handlers | int | Callable[[int, FrameType | None], object] | None] = {}

    def __enter__(self) -> Signals:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._on_signal)
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # under nohup the run outlives its terminal
            self._before[signal.SIGHUP] = signal.signal(signal.SIGHUP, self._on_hangup)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    async def stoppable(self, start: Callable[[], Awaitable[T]]) -> T | None:
        """The result of ``start``; None if a signal cancelled it."""
        loop = asyncio.get_running_loop()
        result: T | None = None
        with anyio.CancelScope() as scope:

            def stop() -> None:
                self._first()
                scope.cancel()

            # Called through the loop: a handler runs between any two bytecodes and must not print or cancel there.
            self._cancel = lambda: _forget(loop.call_soon_threadsafe(stop))
            if self.received:
                stop()
            result = await start()
        return result

    def stop(self) -> None:
        """Do what the first signal would do. Any signal after that ends the process at once."""
        self.received = True
        if self._cancel is not None:
            self._cancel()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.received:
            if self._last is not None:
                self._last()
            os.write(2, _NOW if os.isatty(2) else _NOW.removeprefix(b"\x1b[?25h\n"))
            os._exit(_STOPPED)
        self.stop()

    def _on_hangup(self, number: int, frame: FrameType | None) -> None:
        # A window that is closed is told of by the system and by the shell: twice does not mean at once here.
        if not self.received:
            self.stop()


def _forget(handle: asyncio.Handle) -> None:
    """Discard a handle, since a stop is never revoked."""
