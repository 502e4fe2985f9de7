"""``deskcrew undo RUN``: the workspace as it was before the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.cli.options import DataOption, JsonOption, RunArgument, open_run
from deskcrew.cli.rewind import confirm, preview, save_points

if TYPE_CHECKING:
    from deskcrew.environments.save_point import SavePoints
    from deskcrew.journal.journal import Journal

EPILOG = """Examples:

deskcrew undo last

deskcrew undo last --yes

Files are put back; what was sent or bought stays so, and is listed. `deskcrew rewind RUN --undo` takes the undoing back."""

SHOWN = 8
"""The maximum number of paths that are listed."""

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
        for line in told(journal, points, data):
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


def told(journal: Journal, points: SavePoints, data: DataOption = None) -> list[str]:
    """What else goes with it: the work of runs that followed, and whatever was changed in the folder since."""
    from deskcrew.cli.options import existing_journal
    from deskcrew.report.text import some
    from deskcrew.rewind import besides

    found = besides(journal, points, existing_journal(data))
    lines = [f"Undone with it: what run {each.id} did afterwards ({each.task})" for each in found.followers]
    if found.changed:
        lines.append(f"Changed since the run ended, and put back too: {some(found.changed, SHOWN)}")
    return lines
