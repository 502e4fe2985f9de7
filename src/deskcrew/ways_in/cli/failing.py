"""Error messages for people, and the exit code of each error."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, NamedTuple, TextIO, cast

from deskcrew.errors import (
    ChangedByOthers,
    DeskcrewError,
    EnvironmentFailure,
    JournalError,
    LimitReached,
    ModelFailure,
    UsageError,
)
from deskcrew.ways_in.report.text import clean

INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended before it could say more."""
BUG = """
This is a bug in Deskcrew, not something you did. What the run did so far is kept: deskcrew log last
Please report it with the lines above and the output of `deskcrew doctor --json`. Look through both first:
they can hold names of your files.
"""


def exit_code(error: DeskcrewError) -> int:
    """An error's exit code: 2 for usage; 4 if a run could not begin, go on or be undone, or a record is damaged; else 1."""
    if isinstance(error, UsageError):
        return 4 if isinstance(error, ChangedByOthers) else 2
    return 4 if isinstance(error, EnvironmentFailure | ModelFailure | LimitReached | JournalError) else 1


def print_error(error: DeskcrewError) -> None:
    """Print an error's message and hint on standard error."""
    from rich.text import Text

    from deskcrew.ways_in.cli.console import console

    out = console(stderr=True)
    out.print(Text.assemble(("Error: ", "bold red"), clean(str(error))), soft_wrap=True)
    if error.hint:
        out.print(Text.assemble(("Hint: ", "bold"), clean(error.hint)), soft_wrap=True)


class Failure(NamedTuple):
    """An error as programs get it. ``outcome``, ``reason``: as in ``deskcrew run --json``; ``reason`` may also be
    ``usage``, ``journal`` or ``bug``."""

    outcome: str
    reason: str
    error: str
    hint: str
    exit_code: int

    @staticmethod
    def of(error: BaseException) -> Failure | None:
        """The failure for an error; None if the command simply ended with its own exit code."""
        if isinstance(error, DeskcrewError):
            kinds = (
                ("changed", ChangedByOthers),
                ("usage", UsageError),
                ("model", ModelFailure),
                ("environment", EnvironmentFailure),
                ("journal", JournalError),
            )
            reason = next((word for word, kind in kinds if isinstance(error, kind)), "")
            return Failure("failed", reason, str(error), error.hint, exit_code(error))
        if isinstance(error, SystemExit):
            # What the parser of the command line found wrong it has printed, and then ends the program.
            if (words := getattr(error.__context__, "format_message", None)) is not None:
                return Failure("failed", "usage", words(), "--help shows how it is used.", 2)
            return Failure("stopped", "", "Stopped.", "", INTERRUPTED) if error.code == INTERRUPTED else None
        return Failure("interrupted", "bug", f"{type(error).__name__}: {error}", "It is a bug in Deskcrew.", 1)

    def told(self) -> dict[str, Any]:
        return self._asdict() | {"why": self.error}


class Promised:
    """Standard output while a command with ``--json`` runs. If the command fails before it has printed anything, prints the
    error as one JSON object; the error is still raised."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._used = False

    def write(self, text: str) -> int:
        self._used = self._used or bool(text)
        return self._out.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)

    def __enter__(self) -> None:
        sys.stdout = cast(TextIO, self)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        sys.stdout = self._out
        if error is not None and not self._used and (failure := Failure.of(error)) is not None:
            from deskcrew.ways_in.cli.console import print_json

            print_json({"run": None} | failure.told())


def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of a bug, then how to report it. The exit code is 1."""
    sys.__excepthook__(kind, error, trace)
    if issubclass(kind, Exception):
        sys.stderr.write(BUG)
