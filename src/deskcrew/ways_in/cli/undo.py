"""``deskcrew undo RUN``: restore the workspace as it was before the run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli import completing
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, existing_journal, settings_with
from deskcrew.ways_in.cli.rewind import SHOWN, confirm, preview, settled
from deskcrew.ways_in.cli.secret import passphrase
from deskcrew.ways_in.report.text import clean, counted, one_line, some

if TYPE_CHECKING:
    from deskcrew.engine.rewind import Return
    from deskcrew.environments.save_point import SavePoints
    from deskcrew.journal.journal import Journal
    from deskcrew.journal.store import Store
    from deskcrew.settings import Settings

EPILOG = """Examples:

deskcrew undo last

deskcrew undo last --yes

`last` is the last run that worked in this folder, inside it or around it, and has something to restore.

Files that you, another program or another run changed, during the run or since, are left as they are unless you give
--all, now or later. What was sent or bought cannot be undone. `deskcrew rewind RUN --undo` reverses the undo."""

RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Id of the run, the start of it, or 'last': the last run in this folder.",
        show_default=False,
        autocompletion=completing.runs,
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before files are changed.")]
AllOption = Annotated[bool, typer.Option("--all", help="Also restore files that the run was not the last to change.")]


def undo(
    run: RunArgument, yes: YesOption = False, all: AllOption = False, json: JsonOption = False, data: DataOption = None
) -> None:
    """Restore the workspace as it was before a run. First shows what that undoes."""
    from deskcrew.engine.rewind import go_back, undoable
    from deskcrew.journal.branches import undoing
    from deskcrew.ways_in.running.rewinding import points_again

    store, settings = existing_journal(data), settings_with(data)
    journal = _last_here(store, settings, everything=all) if run == "last" else store.journal(run)
    out = console(stderr=json)
    undoable(journal)
    started = journal.state.started
    assert started is not None
    folder = clean(started.workspace)
    if run == "last":
        out.print(f"The last run here: {journal.run}, {one_line(started.task, 80)}", soft_wrap=True, markup=False)
    with journal.claimed():
        undone, points = undoing(journal.events), points_again(journal, settings, passphrase)
        back = _back(journal, points, store, everything=all)
        for piece in preview(journal, back, keep_files=False, hint=" --all restores them, too."):
            out.print(piece, soft_wrap=True)
        if undone is not None:
            out.print(f"Already restored: all but {clean(some(undone.kept, SHOWN))}", soft_wrap=True, markup=False)
        if back.files is not None and back.files.work and not yes:
            confirm("--yes.", json=json)
        made, lost = go_back(journal, back, points)
        journal.close()
        settled(journal, settings)
    for each in lost:
        out.print(f"Not restored: {clean(each)}", style="yellow", soft_wrap=True)
    if json:
        print_json({"run": journal.run, "event": made.number, "lost": [*back.lost, *lost], "kept": back.kept})
    else:
        by = "you, another program or another run changed"
        but = f", except {counted(len(back.kept), 'path')} that {by}" if back.kept else ""
        told = f"{folder} is as it was before run {journal.run}{but}."
        if back.barred:
            told = f"Nothing was put back: {by} {clean(some(back.kept, SHOWN))}."
        out.print(told, soft_wrap=True, markup=False)
        out.print(f"Undo this: deskcrew rewind {journal.run} --undo", soft_wrap=True)


def _back(journal: Journal, points: SavePoints, store: Store, *, everything: bool) -> Return:
    from deskcrew.engine.rewind import leaving, to_start

    return leaving(journal, to_start(journal, points, keep=() if everything else None), points, store, everything=everything)


def _last_here(store: Store, settings: Settings, *, everything: bool) -> Journal:
    """The last run in this folder that has something to restore, else the last run. Raises UsageError if there is none."""
    from deskcrew.engine.rewind import can_undo, undoable
    from deskcrew.journal.store import Sought
    from deskcrew.ways_in.running.rewinding import points_again

    here = Path.cwd()
    rows = store.runs(limit=-1, sought=Sought(place=here))
    for row in rows:
        journal = store.journal(row.id)
        undoable(journal)
        if can_undo(journal, everything=everything):
            back = _back(journal, points_again(journal, settings, passphrase), store, everything=everything)
            if back.kept or (back.files is not None and back.files.work):
                return journal
    if rows:
        return store.journal(rows[0].id)  # what is wrong with it is said as of any other
    last = store.journal("last").run
    raise UsageError(
        f"No run worked in {here}, in a folder inside it or in one around it.",
        hint=f"Go to its folder, or name the run: the last run anywhere is {last}. `deskcrew runs` lists them.",
    )
