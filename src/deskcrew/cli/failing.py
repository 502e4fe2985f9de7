"""Error messages for people, and the exit code of each error."""

from __future__ import annotations

import sys
from types import TracebackType

from deskcrew.errors import (
    DeskcrewError,
    EnvironmentFailure,
    JournalError,
    LimitReached,
    ModelFailure,
    UsageError,
)
from deskcrew.report.text import clean

BUG = """
This is a bug in Deskcrew, not something you did. What the run did so far is kept: deskcrew log last
Please report it with the lines above and the output of `deskcrew doctor --json`. Look through both first:
they can hold names of your files.
"""


def exit_code(error: DeskcrewError) -> int:
    """2 for usage; 4 if a run could not begin or continue, as its outcome would say, or a record is damaged; else 1."""
    if isinstance(error, UsageError):
        return 2
    return 4 if isinstance(error, EnvironmentFailure | ModelFailure | LimitReached | JournalError) else 1


def print_error(error: DeskcrewError) -> None:
    """The message and what to do next, on standard error."""
    from rich.text import Text

    from deskcrew.cli.console import console

    out = console(stderr=True)
    out.print(Text.assemble(("Error: ", "bold red"), clean(str(error))), soft_wrap=True)
    if error.hint:
        out.print(Text.assemble(("Try: ", "bold"), clean(error.hint)), soft_wrap=True)


def print_error_json(error: DeskcrewError) -> None:
    """The same for programs: one object on standard output."""
    from deskcrew.cli.console import print_json

    print_json({"error": str(error), "hint": error.hint})


def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback, then how to report it. The exit code is 1."""
    sys.__excepthook__(kind, error, trace)
    if issubclass(kind, Exception):
        sys.stderr.write(BUG)
