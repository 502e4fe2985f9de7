"""``deskcrew undo RUN``: restore the workspace as it was before the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, RunArgument, existing_journal, run_named, settings_with
from deskcrew.ways_in.cli.rewind import SHOWN, confirm, preview, settled
from deskcrew.ways_in.cli.secret import passphrase
from deskcrew.ways_in.report.text import clean, counted, one_line, some

if TYPE_CHECKING:
    from deskcrew.engine.rewind import Return
    from deskcrew.environments.save_point import SavePoints
    from deskcrew.journal.journal import Journal
    from deskcrew.journal.store import Store

EPILOG = """Examples:

deskcrew undo last

deskcrew undo last --yes

Files that you, another program or another run changed, during the run or since, are left as they are unless you give
--all, now or later. What was sent or bought cannot be undone. `deskcrew rewind RUN --undo` reverses the undo."""

YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before files are changed.")]
AllOption = Annotated[bool, typer.Option("--all", help="Also restore files that the run was not the last to change.")]


def undo(
    run: RunArgument, yes: YesOption = False, all: AllOption = False, json: JsonOption = False, data: DataOption = None
) -> None:
    """Restore the workspace as it was before a run. First shows what that undoes."""
    from deskcrew.engine.rewind import BY_OTHERS, go_back, last_changing, undoable
    from deskcrew.journal.branches import undoing
    from deskcrew.ways_in.running.rewinding import points_again

    store, settings = existing_journal(data), settings_with(data)
    journal = store.journal(run_named(store, run, unasked=yes))
    out = console(stderr=json)
    if not yes and (changing := last_changing(journal, store)).run != journal.run:
        out.print(f"Run {journal.run} changed no files. It continues this run:", soft_wrap=True)
        journal = changing
    undoable(journal)
    started = journal.state.started
    assert started is not None
    folder = clean(started.workspace)
    out.print(f"Run {journal.run}: {one_line(started.task, 80)}", soft_wrap=True, markup=False)
    with journal.claimed():
        undone, points = undoing(journal.events), points_again(journal, settings, passphrase)
        back = _back(journal, points, store, everything=all)
        own = back.own(journal)
        for piece in preview(journal, back, keep_files=False, hint=" --all restores them, too."):
            out.print(piece, soft_wrap=True)
        if undone is not None:
            out.print(f"Already restored: all but {clean(some(undone.kept, SHOWN))}", soft_wrap=True, markup=False)
        if not (back.empty or yes):
            confirm("--yes.", json=json)
        made, lost = go_back(journal, back, points)
        journal.close()
        settled(journal, settings)
    for each in lost:
        out.print(f"Not restored: {clean(each)}", style="yellow", soft_wrap=True)
    if json:
        print_json({"run": journal.run, "event": made.number, "lost": [*back.lost, *lost], "kept": back.kept})
    else:
        but = f", except {counted(len(own), 'path')} that {BY_OTHERS}" if own else ""
        out.print(f"What run {journal.run} changed in {folder} was put back{but}.", soft_wrap=True, markup=False)
        out.print(f"Undo this: deskcrew rewind {journal.run} --undo", soft_wrap=True)


def _back(journal: Journal, points: SavePoints, store: Store, *, everything: bool) -> Return:
    from deskcrew.engine.rewind import leaving, to_start

    return leaving(journal, to_start(journal, points, keep=() if everything else None), points, store, everything=everything)
