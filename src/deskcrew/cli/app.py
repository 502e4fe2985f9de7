"""The commands, put together, and the boundary between an error and an exit code."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Annotated

import typer
from typer.main import get_command

from deskcrew.cli import (
    audit,
    bench,
    branch,
    demo,
    doctor,
    export,
    log,
    models,
    policy,
    replay,
    resume,
    rewind,
    run,
    runs,
    secret,
    show,
    verify,
)
from deskcrew.cli.text import clean
from deskcrew.errors import DeskcrewError, EnvironmentFailure, LimitReached, ModelFailure, UsageError

EPILOG = """Start with: deskcrew demo, then: deskcrew run "Count the lines of notes.txt" --attach notes.txt

Every command has --help; most have --json. Nothing is ever sent anywhere but to the model you chose."""

BUG = """
This is a bug in Deskcrew, not something you did. What the run did so far is kept: deskcrew log last
Please report it with the lines above and the output of `deskcrew doctor --json`. Look through both first:
they can hold names of your files.
"""


def _version(asked: bool) -> None:
    if asked:
        import importlib.metadata

        typer.echo(f"deskcrew {importlib.metadata.version('deskcrew')}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """A crew of LLM agents that operates a computer. Every run can be inspected, and "done" needs evidence."""


def build() -> typer.Typer:
    """The whole command line. A new command is a module of its own and one line here."""
    app = typer.Typer(
        name="deskcrew",
        no_args_is_help=True,
        rich_markup_mode="rich",
        add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=EPILOG,
        callback=_root,
    )
    app.command(epilog=demo.EPILOG)(demo.demo)
    app.command(epilog=run.EPILOG)(run.run)
    app.command(epilog=runs.EPILOG)(runs.runs)
    app.command(epilog=log.EPILOG)(log.log)
    app.command(epilog=show.EPILOG)(show.show)
    app.command(epilog=resume.EPILOG)(resume.resume)
    app.command(epilog=rewind.EPILOG)(rewind.rewind)
    app.command(epilog=branch.EPILOG)(branch.branch)
    app.command(epilog=branch.DIFF_EPILOG)(branch.diff)
    app.command(epilog=verify.EPILOG)(verify.verify)
    app.command(epilog=replay.EPILOG)(replay.replay)
    app.command(epilog=export.EPILOG)(export.export)
    app.command(name="import", epilog=export.IMPORT_EPILOG)(export.import_)
    app.command(epilog=audit.EPILOG)(audit.audit)
    app.add_typer(policy.build(), name="policy")
    app.add_typer(models.build(), name="models")
    app.add_typer(secret.build(), name="secret")
    app.command(epilog=doctor.EPILOG)(doctor.doctor)
    app.add_typer(bench.build(), name="bench")
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code. A bug keeps its traceback and says how to report it."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):  # a stream that a test or an embedder put there
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.excepthook = report_bug
    try:
        get_command(build())(args=arguments, prog_name="deskcrew")
    except DeskcrewError as error:
        print_error(error)
        raise SystemExit(exit_code(error)) from None


def exit_code(error: DeskcrewError) -> int:
    """2 for usage; 4 where a run could not begin or go on, as its outcome would say; else 1."""
    if isinstance(error, UsageError):
        return 2
    return 4 if isinstance(error, EnvironmentFailure | ModelFailure | LimitReached) else 1


def print_error(error: DeskcrewError) -> None:
    """The message and what to do next, on standard error."""
    from rich.text import Text

    from deskcrew.cli.console import console

    out = console(stderr=True)
    out.print(Text.assemble(("Error: ", "bold red"), clean(str(error))), soft_wrap=True)
    if error.hint:
        out.print(Text.assemble(("Try: ", "bold"), clean(error.hint)), soft_wrap=True)


def report_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What Python prints, then how to report it. The exit code is 1."""
    sys.__excepthook__(kind, error, trace)
    if issubclass(kind, Exception):
        sys.stderr.write(BUG)
