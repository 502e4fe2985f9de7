"""``deskcrew export`` and ``deskcrew import``: write a run into one file, and add it to any journal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli import secret
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import DataOption, JsonOption, OutputOptions, RunArgument, open_run, settings_with
from deskcrew.ways_in.cli.verify import told_first
from deskcrew.ways_in.report.text import clean, counted, size

if TYPE_CHECKING:
    from deskcrew.journal.journal import Journal

EPILOG = """Examples: deskcrew export last | deskcrew export 0317 run.zip | deskcrew export last --redact-text |
deskcrew export last --replies replies.json

The file holds prompts, replies, pictures and the files of the workspace's save points. With --redact-text it holds none of
them, only what was done when, by whom, with what verdict and at what cost. The chain of hashes still verifies, so order,
kinds and times of the events are proven; anything else that is left is not, and whoever imports the file is told so.
Exit code 4: the record is not what was written; the file is written all the same."""

IMPORT_EPILOG = """Example: deskcrew import run.zip, then deskcrew log, verify, replay with the run's id.

The file may come from anybody: sizes, hashes and events are checked, and no path in it is used."""

BranchOption = Annotated[
    str | None,
    typer.Option(
        "--branch", metavar="BRANCH", help="Keep the texts of this branch only; redact the others as with --redact-text."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """How much of a run is exported."""

    redact_text: Annotated[bool, typer.Option("--redact-text", help="Leave out every text and picture.")] = False
    branch: BranchOption = None
    all: Annotated[bool, typer.Option("--all", help="All branches; the default.")] = False
    replies: Annotated[
        bool, typer.Option("--replies", help="Only the replies of its models, for `run --model recorded:FILE`.")
    ] = False
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite FILE even if it is not an earlier export of this run.")
    ] = False


@grouped
def export(
    *,
    run: RunArgument,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="Where to write it.", show_default="RUN.deskcrew.zip, here")
    ] = None,
    options: ExportOptions,
    output: OutputOptions,
) -> None:
    """Write a run into one file, to keep it, send it, or attach it to a bug report. Any zip tool opens it."""
    from deskcrew.engine.request import sieve
    from deskcrew.journal.branches import branch_named
    from deskcrew.journal.exporting import export as write
    from deskcrew.journal.journal import path_to

    branch, data = options.branch, output.data
    if branch is not None and options.all:
        raise UsageError("--branch and --all exclude each other.", hint="Leave out one of the two.")
    journal = open_run(data, run)
    problems = told_first(journal)
    code = 4 if problems else 0
    if options.replies:
        _replies(journal, file or Path(f"{journal.run}.replies.json"), force=options.force)
        raise typer.Exit(code)
    target = file or Path(f"{journal.run}.deskcrew.zip")
    only = None
    if branch is not None:
        only = {event.id for event in path_to(journal.all, branch_named(journal, branch).head)}
    holds = None if options.redact_text else sieve(journal, lambda: secret.store_of(settings_with(data)))
    done = write(journal, target, redact=options.redact_text, only=only, holds=holds, force=options.force)
    if output.json:
        bare = {"run": done.run, "file": str(target), "events": done.events, "blobs": done.blobs}
        print_json(bare | {"redacted": done.redacted, "bytes": done.bytes, "problems": problems})
        raise typer.Exit(code)
    without = f", {done.redacted} of them without texts" if done.redacted else ""
    out = console()
    out.print(
        f"Run {done.run}: {counted(done.events, 'event')}{without}, {size(done.bytes)}, in {clean(str(target))}",
        soft_wrap=True,
    )
    if done.redacted < done.events:
        out.print(
            "It holds prompts, replies and files of the run. To send less: --redact-text.", style="dim", soft_wrap=True
        )
    raise typer.Exit(code)


def _replies(journal: Journal, target: Path, *, force: bool) -> None:
    """Write the replies of the run's models. Raises UsageError if ``target`` exists, unless ``force``."""
    from deskcrew.engine.replay.replies import replies_of
    from deskcrew.models.recorded import keep

    if target.exists() and not force:
        raise UsageError(f"{clean(str(target))} already exists.", hint="Give another name, or --force.")
    found = replies_of(journal)
    keep(target, found)
    console().print(f"{'1 reply' if len(found) == 1 else f'{len(found)} replies'}, in {clean(str(target))}", soft_wrap=True)


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that `deskcrew export` wrote.", show_default=False)],
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Add an exported run to the journal of this machine. A run that is already there is left alone."""
    from deskcrew.journal.importing import read_export
    from deskcrew.journal.store import Store

    found = read_export(file, Store.of(settings_with(data)))
    if json:
        value = {"run": found.run, "was": found.was, "events": found.events, "redacted": found.redacted, "new": found.new}
        print_json(value)
        return
    out = console()
    if not found.new:
        out.print(f"Run {found.run} is already here; nothing was changed.")
        return
    without = f", {found.redacted} of them without texts" if found.redacted else ""
    out.print(f"Run {found.run}: {counted(found.events, 'event')}{without}. See it: deskcrew log {found.run}")
    if found.redacted:
        out.print(
            "The contents shown for those are not proven: `deskcrew verify` says what is.", style="yellow", soft_wrap=True
        )
    if found.run != found.was:
        out.print(f"Another run here is called {found.was}, so this one got a new id, and with it a new chain of hashes.")
