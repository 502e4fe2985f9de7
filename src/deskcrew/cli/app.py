"""The commands, put together, and the boundary between an error and an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Annotated

import typer
from typer.main import get_command

from deskcrew.cli import (
    attach,
    audit,
    branch,
    confirm,
    demo,
    doctor,
    export,
    log,
    models,
    policy,
    remove,
    replay,
    resume,
    rewind,
    run,
    runs,
    secret,
    serve,
    show,
    verify,
)
from deskcrew.cli.flags import HELP, plain_flags
from deskcrew.cli.plugins import Commands
from deskcrew.errors import (
    DeskcrewError,
    EnvironmentFailure,
    JournalError,
    LimitReached,
    ModelFailure,
    UsageError,
)
from deskcrew.report.text import clean

EPILOG = """Start with: deskcrew demo, then: deskcrew run "Count the lines of notes.txt" --attach notes.txt

Every command has --help; most have --json. Nothing is ever sent anywhere but to the model you chose."""

BUG = """
This is a bug in Deskcrew, not something you did. What the run did so far is kept: deskcrew log last
Please report it with the lines above and the output of `deskcrew doctor --json`. Look through both first:
they can hold names of your files.
"""

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of the system that say the disk is full."""


def _version(asked: bool) -> None:
    if asked:
        import importlib.metadata

        typer.echo(f"deskcrew {importlib.metadata.version('deskcrew')}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """A crew of LLM agents that operates a computer. Every run can be inspected, and "done" needs evidence."""


def build() -> typer.Typer:
    """The whole command line. A new command is a module of its own and one line here; plugins add theirs."""
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
    work, look, mend, manage = "Work", "Look", "Mend", "Manage"
    app.command(epilog=demo.EPILOG, rich_help_panel=work)(demo.demo)
    app.command(epilog=run.EPILOG, rich_help_panel=work)(run.run)
    app.command(epilog=resume.EPILOG, rich_help_panel=work)(resume.resume)
    app.command(epilog=attach.EPILOG, rich_help_panel=work)(attach.attach)
    app.command(epilog=attach.ANSWER_EPILOG, rich_help_panel=work)(attach.answer)
    app.command(epilog=attach.STOP_EPILOG, rich_help_panel=work)(attach.stop)
    app.command(epilog=serve.EPILOG, rich_help_panel=work)(serve.serve)
    app.command(epilog=runs.EPILOG, rich_help_panel=look)(runs.runs)
    app.command(epilog=log.EPILOG, rich_help_panel=look)(log.log)
    app.command(epilog=show.EPILOG, rich_help_panel=look)(show.show)
    app.command(epilog=audit.EPILOG, rich_help_panel=look)(audit.audit)
    app.command(epilog=verify.EPILOG, rich_help_panel=look)(verify.verify)
    app.command(epilog=rewind.EPILOG, rich_help_panel=mend)(rewind.rewind)
    app.command(epilog=branch.EPILOG, rich_help_panel=mend)(branch.branch)
    app.command(epilog=branch.DIFF_EPILOG, rich_help_panel=mend)(branch.diff)
    app.command(epilog=confirm.EPILOG, rich_help_panel=mend)(confirm.confirm)
    app.command(epilog=replay.EPILOG, rich_help_panel=mend)(replay.replay)
    app.command(epilog=doctor.EPILOG, rich_help_panel=mend)(doctor.doctor)
    app.add_typer(policy.build(), name="policy", rich_help_panel=manage)
    app.add_typer(models.build(), name="models", rich_help_panel=manage)
    app.add_typer(secret.build(), name="secret", rich_help_panel=manage)
    app.command(epilog=export.EPILOG, rich_help_panel=manage)(export.export)
    app.command(name="import", epilog=export.IMPORT_EPILOG, rich_help_panel=manage)(export.import_)
    app.command(epilog=remove.EPILOG, rich_help_panel=manage)(remove.remove)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code. A bug keeps its traceback and says how to report it.

    With ``--json`` an error is one JSON object on standard output, too.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a stream that a test or an embedder put there
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.excepthook = report_bug
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        # Nothing at all is no mistake: it asks what there is.
        plain_flags(get_command(build()))(args=given or ["--help"], prog_name="deskcrew")
    except DeskcrewError as error:
        told = list(sys.argv[1:] if arguments is None else arguments)
        if "--json" in (told[: told.index("--")] if "--" in told else told):
            print_error_json(error)
        print_error(error)
        raise SystemExit(exit_code(error)) from None
    except OSError as error:
        if error.errno not in FULL:
            raise
        _give_up_printing()
        print_error(DeskcrewError(f"The output cannot be written: {error.strerror}."))
        raise SystemExit(1) from None


def _give_up_printing() -> None:
    """Discard what is still buffered: Python would try to write it once more at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def exit_code(error: DeskcrewError) -> int:
    """2 for usage; 4 where a run could not begin or go on, as its outcome would say, or a record is damaged; else 1."""
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
    """What Python prints, then how to report it. The exit code is 1."""
    sys.__excepthook__(kind, error, trace)
    if issubclass(kind, Exception):
        sys.stderr.write(BUG)
