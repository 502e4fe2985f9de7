"""Output of the command line: two consoles and one JSON line."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.report.text import clean

PIPE_WIDTH = 160
"""The width in columns when output is not a terminal: enough that a path or a task is rarely broken."""


class SafeConsole(Console):
    """A console that survives a broken pipe or a closed window: it then stays silent, and the run continues."""

    def _check_buffer(self) -> None:
        try:
            super()._check_buffer()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            self.on_broken_pipe()

    def on_broken_pipe(self) -> None:
        self.quiet = True
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, self.file.fileno())
        os.close(devnull)


def console(*, stderr: bool = False) -> SafeConsole:
    """A console without markup, on standard output or standard error."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else PIPE_WIDTH
    return SafeConsole(file=stream, width=width, highlight=False, markup=False, emoji=False)


def print_json(value: Mapping[str, Any]) -> None:
    """Print a JSON object on one line of standard output. ASCII only: safe for any terminal and any encoding."""
    out = console()
    out.print(Text(json.dumps(value, ensure_ascii=True)), soft_wrap=True)


def tell(text: str | Iterable[RenderableType], told: Mapping[str, Any], *, json: bool) -> None:
    """Print the result of a command: ``told`` on one line for programs, else ``text`` for people."""
    if json:
        print_json(told)
        return
    out = console()
    for piece in [clean(text)] if isinstance(text, str) else text:
        out.print(piece, soft_wrap=True)


def must_agree(question: str, *, about: str, instead: str, json: bool, default: bool = False) -> None:
    """Ask the person at the terminal. Raises Exit (6) on no, UsageError if there is nobody to ask. ``about``: what is asked,
    as "whether ..."; ``instead``: the hint that says how not to be asked; ``default``: the answer of a bare Enter."""
    if not sys.stdin.isatty():
        raise UsageError(f"There is nobody to ask {about}.", hint=instead)
    suffix, usual = (" [Y/n]: ", "y") if default else (" [y/N]: ", "n")
    if not typer.prompt(question, usual, show_default=False, prompt_suffix=suffix, value_proc=_agreed, err=json):
        raise typer.Exit(6)


def _agreed(answer: str) -> bool:
    """Whether an answer is a yes. Raises BadParameter if it is no clear yes or no: it is then asked again."""
    if (word := answer.strip().casefold()) not in ("y", "yes", "n", "no"):
        raise typer.BadParameter("Type y or n.")
    return word[0] == "y"


def plain_table(*titles: str, whole: int = 0) -> Table:
    """An empty table without lines. ``whole``: how many of the first columns are not broken into lines."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, title in enumerate(titles):
        table.add_column(title, no_wrap=number < whole, overflow="fold" if number >= whole else "ellipsis")
    return table
