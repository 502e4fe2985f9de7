"""``deskcrew remove RUN...``: delete runs from the journal, and free their space."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, must_agree, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, existing_journal, run_named, settings_with
from deskcrew.ways_in.report.text import clean, counted, moment, one_line, size

if TYPE_CHECKING:
    from deskcrew.journal.store import RunRow, Store

EPILOG = """Examples: deskcrew remove 0317-1405 | deskcrew remove --older-than 30 --yes

The runs' workspace folders are left alone, and so are skills made from them. What they taught is deleted with them, unless
--keep-learned is given. To keep a copy of a run first: `deskcrew export RUN FILE`."""

DAY = 24 * 60 * 60

RunsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[RUN...]", help="Ids of runs, or the start of them.", show_default=False),
]
OlderOption = Annotated[
    float | None,
    typer.Option(
        "--older-than",
        min=0,
        metavar="DAYS",
        help="Also every run that began more than this many days ago.",
        show_default=False,
    ),
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")]
KeepOption = Annotated[
    bool, typer.Option("--keep-learned", help="Keep what these runs added to memory and to the scores of skills.")
]


def remove(
    runs: RunsArgument = None,
    older_than: OlderOption = None,
    keep_learned: KeepOption = False,
    yes: YesOption = False,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Delete runs for good, with everything recorded of them and learned only from them, and shrink the journal.

    Anything that other runs need is kept. A run in progress is not deleted.
    """
    from deskcrew.journal import removing
    from deskcrew.ways_in.running.removing import Learned, forget, made_from

    if not runs and older_than is None:
        raise UsageError("Say which runs: RUN or --older-than DAYS.", hint="`deskcrew runs` lists them.")
    out = console(stderr=json)
    store = existing_journal(data)
    try:
        chosen = _chosen(store, runs or [], older_than, unasked=yes)
        for row in chosen:
            out.print(f"{row.id}  {moment(row.created)}  {one_line(row.task, 60)}", soft_wrap=True)
        if chosen and not yes:
            these = "this run" if len(chosen) == 1 else f"these {len(chosen)} runs"
            instead = "To remove them without asking: --yes."
            must_agree(f"Remove {these} for good?", about="whether to remove runs", instead=instead, json=json)
        gone = removing.remove(store, [row.id for row in chosen])
    finally:
        store.close()
    settings, ids = settings_with(data), {*gone.runs}
    learned = Learned(skills=made_from(ids, settings)) if keep_learned else forget(ids, settings)
    if json:
        print_json(asdict(gone) | asdict(learned))
        return
    said = f"Removed {counted(len(gone.runs), 'run')} with {counted(gone.events, 'event')}"
    if gone.going:
        out.print(f"{said}. Run {gone.going} is in progress: the next `deskcrew remove` after it frees the space.")
    else:
        out.print(f"{said} and {counted(gone.blobs, 'blob')}: {size(gone.freed)} freed.")
    if learned.memories or learned.trials:
        told = f"{counted(learned.memories, 'lesson')} of memory, {counted(learned.trials, 'result')} of skills"
        out.print(f"Also removed what they taught: {told}.")
    for name in learned.skills:
        out.print(f"A skill made from it is still there: deskcrew skill remove {clean(name)}", soft_wrap=True)
    for folder in gone.workspaces:
        out.print(f"Its folder is still there: {clean(folder)}", soft_wrap=True)


def _chosen(store: Store, names: list[str], older_than: float | None, *, unasked: bool) -> list[RunRow]:
    """The rows of the runs to delete, oldest first. Runs in progress are included only if named."""
    rows = store.runs(limit=-1)
    meant = {store.unread(run_named(store, name, unasked=unasked)).run for name in names}
    if older_than is not None:
        limit = time.time() - older_than * DAY
        meant |= {row.id for row in rows if row.created < limit and not store.busy(row.id)}
    return [row for row in reversed(rows) if row.id in meant]
