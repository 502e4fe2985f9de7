"""The commands, put together, and the boundary between an error and an exit code (failing.py)."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer
from typer.main import get_command

from deskcrew.errors import DeskcrewError, EnvironmentFailure
from deskcrew.ways_in.cli import (
    a2a,
    actions,
    attach,
    audit,
    branch,
    configured,
    confirm,
    demo,
    doctor,
    every,
    export,
    fleet,
    learn,
    log,
    mcp,
    memory,
    models,
    notes,
    policy,
    remove,
    replay,
    resume,
    rewind,
    role,
    run,
    runs,
    secret,
    serve,
    show,
    skill,
    teach,
    undo,
    verify,
)
from deskcrew.ways_in.cli.failing import Promised, exit_code, print_error, report_bug
from deskcrew.ways_in.cli.flags import HELP, plain_flags
from deskcrew.ways_in.cli.plugins import Commands
from deskcrew.ways_in.report.text import EXAMPLE

EPILOG = f"""Start with: deskcrew demo

Then, with or without a model of yours: deskcrew "{EXAMPLE}" --attach sales.csv

deskcrew alone, at a terminal, is a session that you can talk to.

Every command has --help; most have --json. No telemetry: nothing is sent except to the model and services that you chose."""

FULL = (errno.ENOSPC, errno.EDQUOT)
"""System errors that mean the disk is full."""
READING = frozenset({"doctor", "log", "runs", "show"})
"""The commands that work on Windows."""
YOUNG = 50_000
"""New objects after which Python collects garbage. A command loads thousands that stay: at the default of 700 they
would be scanned again and again, an eighth of the time until it does anything."""


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


def build() -> typer.Typer:
    """The whole command line. A new command is a module and one line here; plugins add theirs."""
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
    work, look, mend, manage = "Work", "Look", "Repair", "Manage"
    app.command(epilog=demo.EPILOG, rich_help_panel=work)(demo.demo)
    app.command(epilog=run.EPILOG, rich_help_panel=work)(run.run)
    app.command(epilog=every.EPILOG, rich_help_panel=work)(every.every)
    app.add_typer(fleet.build(), name="fleet", rich_help_panel=work)
    app.command(epilog=learn.EPILOG, rich_help_panel=work)(learn.learn)
    app.command(epilog=resume.EPILOG, rich_help_panel=work)(resume.resume)
    app.command(epilog=attach.EPILOG, rich_help_panel=work)(attach.attach)
    app.command(epilog=attach.ANSWER_EPILOG, rich_help_panel=work)(attach.answer)
    app.command(epilog=attach.STOP_EPILOG, rich_help_panel=work)(attach.stop)
    app.command(epilog=teach.EPILOG, rich_help_panel=work)(teach.teach)
    app.command(epilog=serve.EPILOG, rich_help_panel=work)(serve.serve)
    app.command(epilog=mcp.EPILOG, rich_help_panel=work)(mcp.mcp)
    app.command(epilog=a2a.EPILOG, rich_help_panel=work)(a2a.a2a)
    app.command(epilog=runs.EPILOG, rich_help_panel=look)(runs.runs)
    app.command(epilog=log.EPILOG, rich_help_panel=look)(log.log)
    app.command(epilog=show.EPILOG, rich_help_panel=look)(show.show)
    app.command(epilog=audit.EPILOG, rich_help_panel=look)(audit.audit)
    app.command(epilog=verify.EPILOG, rich_help_panel=look)(verify.verify)
    app.command(epilog=rewind.EPILOG, rich_help_panel=mend)(rewind.rewind)
    app.command(epilog=undo.EPILOG, rich_help_panel=mend)(undo.undo)
    app.command(epilog=branch.EPILOG, rich_help_panel=mend)(branch.branch)
    app.command(epilog=branch.DIFF_EPILOG, rich_help_panel=mend)(branch.diff)
    app.command(epilog=confirm.EPILOG, rich_help_panel=mend)(confirm.confirm)
    app.command(epilog=replay.EPILOG, rich_help_panel=mend)(replay.replay)
    app.command(epilog=doctor.EPILOG, rich_help_panel=mend)(doctor.doctor)
    app.add_typer(policy.build(), name="policy", rich_help_panel=manage)
    app.add_typer(actions.build(), name="actions", rich_help_panel=manage)
    app.command(epilog=notes.EPILOG, rich_help_panel=manage)(notes.notes)
    app.add_typer(skill.build(), name="skill", rich_help_panel=manage)
    app.add_typer(role.build(), name="role", rich_help_panel=manage)
    app.add_typer(models.build(), name="models", rich_help_panel=manage)
    app.add_typer(memory.build(), name="memory", rich_help_panel=manage)
    app.add_typer(secret.build(), name="secret", rich_help_panel=manage)
    app.command(epilog=configured.EPILOG, rich_help_panel=manage)(configured.settings)
    app.command(epilog=export.EPILOG, rich_help_panel=manage)(export.export)
    app.command(name="import", epilog=export.IMPORT_EPILOG, rich_help_panel=manage)(export.import_)
    app.command(epilog=remove.EPILOG, rich_help_panel=manage)(remove.remove)
    return app


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
    if given and is_task(given[0]):
        given.insert(0, "run")
    told = given[: given.index("--")] if "--" in given else given
    try:
        with Promised(sys.stdout) if "--json" in told else contextlib.nullcontext():
            if sys.platform == "win32":
                refuse_runs(given)
            perform = partial(plain_flags(get_command(build())), prog_name="deskcrew")
            if not given and sys.stdin.isatty() and sys.stdout.isatty() and sys.platform != "win32":
                from deskcrew.ways_in.cli.talk import talk

                talk(lambda words: perform(args=list(words)))
            else:
                # Nothing at all is no mistake: it asks what there is.
                perform(args=given or ["--help"])
    except DeskcrewError as error:
        print_error(error)
        raise SystemExit(exit_code(error)) from None
    except OSError as error:
        if error.errno not in FULL:
            raise
        _give_up_printing()
        print_error(DeskcrewError(f"The output cannot be written: {error.strerror}."))
        raise SystemExit(1) from None


def is_task(word: str) -> bool:
    """Whether the first argument is a task, and not a command: commands are one plain word."""
    return not word.startswith("-") and (any(map(str.isspace, word.strip())) or not word.isascii())


def refuse_runs(given: Sequence[str]) -> None:
    """On Windows: raise EnvironmentFailure for a command that needs what it lacks."""
    command = next((word for word in given if not word.startswith("-")), "")
    if command and command not in READING and not {"--help", "-h"} & {*given}:
        raise EnvironmentFailure(
            f"deskcrew {command} does not work on Windows yet: a run needs a sandbox, and folders that are held open.",
            hint="Use WSL 2 or a Linux virtual machine. Here, runs can be read: " + ", ".join(sorted(READING)) + ".",
        )


def _give_up_printing() -> None:
    """Discard what is still buffered: Python would try to write it once more at exit, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
