"""``deskcrew undo RUN``: the workspace as it was before the run."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, RunArgument, open_run
from deskcrew.ways_in.cli.rewind import confirm, preview, save_points

EPILOG = """Examples:

deskcrew undo last

deskcrew undo last --yes

A file that somebody else or another run changed, during the run or since, is left as it is, unless you say --all. What was
sent or bought stays so. `deskcrew rewind RUN --undo` takes the undoing back."""

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before files are changed.")]


AllOption = Annotated[bool, typer.Option("--all", help="Put back also what somebody else changed.")]


def undo(
    run: RunArgument, yes: YesOption = False, all: AllOption = False, json: JsonOption = False, data: DataOption = None
) -> None:
    """Put everything in the workspace back as it was before a run. Shows first what that undoes."""
    from deskcrew.engine.rewind import go_back, leaving, to_start, undoable
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.cli.options import existing_journal
    from deskcrew.ways_in.report.text import clean, counted

    journal = open_run(data, run)
    out = console(stderr=json)
    undoable(journal)
    with journal.claimed():
        points = save_points(journal, data)
        back = to_start(journal, points, keep=() if all else None)
        back = leaving(journal, back, points, existing_journal(data), everything=all)
        for piece in preview(journal, back, keep_files=False, hint=" --all puts that back, too."):
            out.print(piece, soft_wrap=True)
        if back.files is not None and back.files.work and not yes:
            confirm("--yes.", json=json)
        made, lost = go_back(journal, back, points)
        journal.close()
    for each in lost:
        out.print(f"Not as it was: {clean(each)}", style="yellow", soft_wrap=True)
    if json:
        print_json({"run": journal.run, "event": made.number, "lost": [*back.lost, *lost], "kept": back.kept})
    else:
        but = f", but for {counted(len(back.kept), 'path')} that somebody else or another run changed" if back.kept else ""
        started = journal.state.started
        folder = clean(started.workspace) if started is not None else "The folder"
        out.print(f"{folder} is as it was before run {journal.run}{but}.", soft_wrap=True)
        out.print(f"Undo this: deskcrew rewind {journal.run} --undo", soft_wrap=True)
