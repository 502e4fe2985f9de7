"""Puts the commands together, and turns errors into exit codes (failing.py)."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.main import get_command

from deskcrew.errors import DeskcrewError, EnvironmentFailure, UsageError
from deskcrew.ways_in.cli.failing import Promised, exit_code, print_error, report_bug
from deskcrew.ways_in.cli.flags import HELP, plain_flags
from deskcrew.ways_in.cli.listed import COMMANDS
from deskcrew.ways_in.cli.plugins import Commands
from deskcrew.ways_in.report.text import EXAMPLE

EPILOG = f"""Start with: deskcrew demo

Then, with or without a model of yours: deskcrew "{EXAMPLE}" --workspace .

deskcrew alone, at a terminal, is a session that you can talk to.

Every command has --help; most have --json. No telemetry: nothing is sent except to the model and services you choose."""

FULL = (errno.ENOSPC, errno.EDQUOT)
"""System errors that mean the disk is full."""
READING = frozenset({"doctor", "log", "runs", "show"})
"""The commands that work on Windows."""
YOUNG = 50_000
"""The number of new objects after which Python collects garbage. A command loads thousands that stay: at the default of
700, scanning them again and again would take an eighth of the time until it does anything."""


def _version(asked: bool) -> None:
    if asked:
        from deskcrew.ways_in.cli.version import told

        typer.echo(f"deskcrew {told()}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print version and commit, and exit.")
    ] = False,
) -> None:
    """A crew of LLM agents that operates a computer. Every run can be inspected, and "done" needs evidence."""


def build(wanted: str | None = None) -> typer.Typer:
    """The command line, with the commands of plugins. ``wanted``: the only command to load, None for all; the others are
    only listed, which is enough for the help."""
    app = typer.Typer(
        name="deskcrew",
        cls=Commands,
        no_args_is_help=True,
        rich_markup_mode="rich",
        add_completion=True,
        context_settings={"help_option_names": HELP},
        epilog=EPILOG,
        callback=_root,
    )
    for each in COMMANDS:
        each.load(app) if wanted in (None, each.name) else each.mention(app)
    return app


def _perform(words: Sequence[str]) -> None:
    """Carry out a command line."""
    # A shell that asks for completions says in a variable what was typed.
    typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    wanted = next((word for word in typed.split()[1:] or words if not word.startswith("-")), "")
    command = plain_flags(get_command(build(wanted)))
    command.wanted = wanted
    command(args=list(words), prog_name="deskcrew")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code. A bug keeps its traceback and says how to report it.

    With ``--json`` an error is one JSON object on standard output, too, whatever the error is.
    """
    gc.set_threshold(YOUNG)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a stream that a test or an embedder put there
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.excepthook = report_bug
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and (is_task(given[0]) or _task_after_options(given)):
        given.insert(0, "run")
    told = given[: given.index("--")] if "--" in given else given
    try:
        with Promised(sys.stdout) if "--json" in told else contextlib.nullcontext():
            if sys.platform == "win32":
                refuse_runs(given)
            if not given and sys.stdin.isatty() and sys.stdout.isatty() and sys.platform != "win32":
                from deskcrew.ways_in.cli.talk import talk

                talk(_perform)
            else:
                # Nothing at all is no mistake: it asks what there is.
                _perform(given or ["--help"])
    except DeskcrewError as error:
        print_error(error)
        raise SystemExit(exit_code(error)) from None
    except OSError as error:
        if isinstance(error, FileNotFoundError) and _nowhere():
            print_error(UsageError("The folder that you are in no longer exists.", hint="Go to another one: cd FOLDER"))
            raise SystemExit(2) from None
        if error.errno not in FULL:
            raise
        _give_up_printing()
        print_error(DeskcrewError(f"The output cannot be written: {error.strerror}."))
        raise SystemExit(1) from None


def is_task(word: str) -> bool:
    """Whether the first argument is a task (it may be empty) and not a command: commands are one plain word."""
    return not word.startswith("-") and (not word.strip() or any(map(str.isspace, word.strip())) or not word.isascii())


def _task_after_options(words: Sequence[str]) -> bool:
    """Whether options of a run come before its task."""
    names = {each.name for each in COMMANDS}
    return words[0].startswith("-") and names.isdisjoint(words) and any(map(is_task, words))


def refuse_runs(given: Sequence[str]) -> None:
    """Raise EnvironmentFailure for a command that does not work on Windows."""
    command = next((word for word in given if not word.startswith("-")), "")
    if command and command not in READING and not {"--help", "-h"} & {*given}:
        raise EnvironmentFailure(
            f"deskcrew {command} does not work on Windows yet: a run needs a sandbox, and folders that are held open.",
            hint="Use WSL 2 or a Linux virtual machine. Here, runs can be read: " + ", ".join(sorted(READING)) + ".",
        )


def _nowhere() -> bool:
    """Whether the current folder was removed."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


def _give_up_printing() -> None:
    """Discard what is still buffered: Python would try to write it once more at exit, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
