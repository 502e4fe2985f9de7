"""The person at this terminal, as the engine's :class:`~deskcrew.human.human.Human` (``--approve``)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

import anyio
from rich.console import Console
from rich.text import Text

from deskcrew.cli.text import clean
from deskcrew.events import HumanSaid, Operation

if sys.platform != "win32":
    import termios

_YES = frozenset({"y", "yes"})
_NO = frozenset({"n", "no", ""})


class Person:
    """Asks on a console. Anything but a clear yes denies; an end of input means that nobody is there."""

    def __init__(self, console: Console, paused: Callable[[], AbstractContextManager[None]]) -> None:
        self._console = console
        self._paused = paused

    async def before_turn(self) -> HumanSaid | None:
        return None

    async def approve(self, operation: Operation, risk: str, why: str) -> bool | None:
        """Show the whole operation, uncut, and ask. None: the input has ended."""
        with self._paused():
            forget_typed()
            self._console.print(question(operation, risk, why))
            while True:
                self._console.print(Text("Allow it? [y/N] ", style="bold"), end="")
                line = await read_line()
                if line is None:
                    return None
                word = line.strip().lower()
                if word in _YES | _NO:
                    return word in _YES
                self._console.print(Text("Please type y or n."))

    async def answer(self, question: str) -> str | None:
        """Show a role's question and read one line. None: the input has ended."""
        with self._paused():
            forget_typed()
            self._console.print(Text.assemble(("The crew asks: ", "bold magenta"), clean(question)))
            self._console.print(Text("Your answer: ", style="bold"), end="")
            line = await read_line()
        return None if line is None else line.strip()


def question(operation: Operation, risk: str, why: str) -> Text:
    """What a person is asked to allow: every parameter in full, with control characters made visible."""
    text = Text.assemble(("\nThe crew wants to do: ", "bold magenta"), (clean(operation.function), "bold cyan"))
    if operation.control:
        text.append(f" {clean(operation.control)}", style="bold")
    for name, value in operation.params.items():
        text.append(f"\n  {clean(name)} = ", style="dim").append(clean(str(value)))
    text.append("\n  risk: ", style="dim").append(clean(risk), style="yellow")
    if why:
        text.append("\n  why you are asked: ", style="dim").append(clean(why))
    return text


def forget_typed() -> None:
    """Drop what was typed before a question was shown: it cannot have been meant as its answer."""
    if sys.platform != "win32" and sys.stdin.isatty():
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def read_line() -> str | None:
    """A line of standard input; None at its end.

    Waits for readiness instead of blocking in a thread, so that a cancelled run does not hang on a person; reads the
    descriptor itself, because a buffered reader could already hold a line that readiness does not tell of.
    """
    descriptor = sys.stdin.fileno()
    got = b""
    while not got.endswith(b"\n"):
        await anyio.wait_readable(descriptor)
        chunk = os.read(descriptor, 1 if not sys.stdin.isatty() else 4096)
        if not chunk:
            break
        got += chunk
    return got.decode(errors="replace").rstrip("\r\n") if got else None
