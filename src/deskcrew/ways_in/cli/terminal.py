"""The terminal at which a person types during a run: read by whole lines, without blocking or garbling anything."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

import anyio

if sys.platform != "win32":
    import termios


class Terminal:
    """Standard input as lines. Typing is echoed only inside :meth:`shown`, since a spinner writes to the same line."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._descriptor) if sys.platform != "win32" else []
        self._lent: anyio.Event | None = None

    @staticmethod
    def there() -> bool:
        """Whether somebody can type: there is a terminal, and this program is in its foreground. (In the background,
        reading would suspend it.)"""
        if sys.platform == "win32" or not sys.stdin.isatty():
            return False
        try:
            return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        except OSError:
            return False

    def __enter__(self) -> Terminal:
        self._echo(False)
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()

    def restore(self) -> None:
        """Leave the terminal as it was found. Safe at any moment, also in a signal handler."""
        if sys.platform != "win32" and self.there():
            termios.tcsetattr(self._descriptor, termios.TCSANOW, self._before)

    @contextmanager
    def shown(self) -> Generator[None]:
        """A context in which typing is echoed."""
        self._echo(True)
        try:
            yield
        finally:
            self._echo(False)

    def forget(self) -> None:
        """Discard what was typed but not read yet."""
        if sys.platform != "win32" and self.there():
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

    @contextmanager
    def lent(self) -> Generator[None]:
        """A context in which another program, such as an editor, reads the terminal."""
        self._lent = anyio.Event()
        self._echo(True)
        try:
            yield
        finally:
            self._lent.set()
            self._lent = None

    async def line(self) -> str | None:
        """The next line; None at the end of input, or when the terminal is gone.

        Waits for readiness instead of blocking in a thread, so that a cancelled run does not have to wait for a person;
        reads the descriptor itself, because a buffered reader could hold a line that readiness does not show.
        """
        got = b""
        while not got.endswith(b"\n"):
            await anyio.wait_readable(self._descriptor)
            if self._lent is not None:
                await self._lent.wait()
                continue
            if not self.there():
                if not sys.stdin.isatty():
                    return None  # its window was closed
                await anyio.sleep(0.5)  # in the background: what is typed is for another program
                continue
            try:
                chunk = os.read(self._descriptor, 4096)
            except OSError:
                return None  # it was hung up
            if not chunk:
                break
            got += chunk
        return got.decode(errors="replace").rstrip("\r\n") if got else None

    def _echo(self, on: bool) -> None:
        if sys.platform == "win32" or not self.there():
            return
        now = termios.tcgetattr(self._descriptor)
        now[3] = now[3] | termios.ECHO if on else now[3] & ~termios.ECHO
        termios.tcsetattr(self._descriptor, termios.TCSANOW, now)
