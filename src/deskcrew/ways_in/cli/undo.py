"""``deskcrew undo RUN``: the workspace as it was before the run."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, RunArgument, open_run
from deskcrew.ways_in.cli.rewind import SHOWN, beside, confirm, preview, save_points

EPILOG = """Examples:

deskcrew undo last

deskcrew undo last --yes

A file that somebody else changed, during the run or since, is left as it is, unless you say --all. What was sent or bought
stays so. `deskcrew rewind RUN --undo` takes the undoing back."""

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before files are changed.")]


AllOption = Annotated[bool, typer.Option("--all", help="Put back also what somebody else changed.")]


def undo(
    run: RunArgument, yes: YesOption = False, all: AllOption = False, json: JsonOption = False, data: DataOption = None
) -> None:
    """Put everything in the workspace back as it was before a run. Shows first what that undoes."""
    from deskcrew.engine.rewind import besides, go_back, to_start
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew.ways_in.cli.options import existing_journal
    from deskcrew.ways_in.report.text import clean, counted, some

    journal = open_run(data, run)
    out = console(stderr=json)
    with journal.claimed():
        points = save_points(journal, data)
        found = besides(journal, points, existing_journal(data))
        kept = () if all else found.changed
        back = to_start(journal, points, keep=kept)
        for piece in preview(journal, back, keep_files=False):
            out.print(piece)
        for line in beside(found.put_back(back)):
            out.print(clean(line), style="yellow", soft_wrap=True)
        if kept:
            told = f"Changed by somebody else, and left as it is: {some(kept, SHOWN)}. --all puts that back, too."
            out.print(clean(told), style="yellow", soft_wrap=True)
        if back.files is not None and back.files.work and not yes:
            confirm("--yes.", json=json)
        made, lost = go_back(journal, back, points)
        journal.close()
    for each in lost:
        out.print(f"Not as it was: {clean(each)}", style="yellow", soft_wrap=True)
    if json:
        print_json({"run": journal.run, "event": made.number, "lost": [*back.lost, *lost], "kept": kept})
    else:
        but = f", but for {counted(len(kept), 'path')} that somebody else changed" if kept else ""
        out.print(f"The folder is as it was before run {journal.run}{but}. Undo this: deskcrew rewind {journal.run} --undo")
