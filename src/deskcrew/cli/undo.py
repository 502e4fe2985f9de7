"""``deskcrew undo RUN``: the workspace as it was before the run."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.cli.options import DataOption, JsonOption, RunArgument, open_run
from deskcrew.cli.rewind import beside, confirm, preview, save_points

EPILOG = """Examples:

deskcrew undo last

deskcrew undo last --yes

Files are put back; what was sent or bought stays so, and is listed. `deskcrew rewind RUN --undo` takes the undoing back."""

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before files are changed.")]


def undo(run: RunArgument, yes: YesOption = False, json: JsonOption = False, data: DataOption = None) -> None:
    """Put everything in the workspace back as it was before a run. Shows first what that undoes."""
    from deskcrew.cli.console import console, print_json
    from deskcrew.report.text import clean
    from deskcrew.rewind import go_back, to_start

    journal = open_run(data, run)
    out = console(stderr=json)
    with journal.claimed():
        points = save_points(journal, data)
        back = to_start(journal, points)
        for piece in preview(journal, back, keep_files=False):
            out.print(piece)
        for line in beside(journal, points, data):
            out.print(clean(line), style="yellow", soft_wrap=True)
        if back.files is not None and back.files.work and not yes:
            confirm(json=json)
        made, lost = go_back(journal, back, points)
        journal.close()
    for each in lost:
        out.print(f"Not as it was: {clean(each)}", style="yellow", soft_wrap=True)
    if json:
        print_json({"run": journal.run, "event": made.number, "lost": [*back.lost, *lost]})
    else:
        out.print(f"The folder is as it was before run {journal.run}. Undo this: deskcrew rewind {journal.run} --undo")
