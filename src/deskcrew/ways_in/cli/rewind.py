"""``deskcrew rewind RUN EVENT``: go back to an earlier reply, with guidance, and continue from there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, must_agree, print_json
from deskcrew.ways_in.cli.failing import print_error
from deskcrew.ways_in.cli.grouped import grouped
from deskcrew.ways_in.cli.options import (
    FurtherOptions,
    RunArgument,
    RunOutputOptions,
    existing_journal,
    open_run,
    settings_with,
)
from deskcrew.ways_in.cli.resume import changes, check, go_on
from deskcrew.ways_in.cli.secret import passphrase
from deskcrew.ways_in.cli.show import event_number
from deskcrew.ways_in.report.text import clean, one_line, some

if TYPE_CHECKING:
    from deskcrew.engine.rewind import Return
    from deskcrew.facts.events import Event
    from deskcrew.journal.journal import Journal
    from deskcrew.settings import Settings

EPILOG = """Examples:

deskcrew rewind last 17 --say "The file is called totals.csv, not total.csv"

deskcrew rewind last 17 --role Programmer --say "Compute it, do not read it off the screen"

deskcrew rewind last --undo

EVENT is any number from `deskcrew log`; the last reply (●) at or before it is rejected. The old branch is kept."""

SHOWN = 8
"""The maximum number of paths that are listed."""
LEFT = "Changed since then, but not by this run, and left as it is"
_what = partial(typer.Option, rich_help_panel="What to do differently")
_how = partial(typer.Option, rich_help_panel="How far to go")

EventArgument = Annotated[
    str | None, typer.Argument(metavar="EVENT", help="Number of an event, as `deskcrew log` shows it.", show_default=False)
]
SayOption = Annotated[str, _what("--say", metavar="TEXT", help="What to tell the role this time.", show_default="try again")]
RoleOption = Annotated[
    str | None,
    _what("--role", metavar="ROLE", help="Ask another role instead: the planner, the scheduler, or an agent of the pool."),
]
UndoOption = Annotated[bool, _what("--undo", help="Undo the last rewind: return to the end of the branch that it left.")]
BranchOption = Annotated[str | None, _what("--branch", metavar="BRANCH", help="Return to the end of this branch.")]
KeepOption = Annotated[bool, _how("--keep-files", help="Leave the workspace as it is now.")]
YesOption = Annotated[bool, _how("--yes", "-y", help="Do not ask before files are changed.")]
StayOption = Annotated[bool, _how("--stay", help="Only go back; `deskcrew resume RUN` continues later.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackOptions:
    """Options for where to go back to, what to do differently, and how far to go."""

    event: EventArgument = None
    say: SayOption = ""
    role: RoleOption = None
    undo: UndoOption = False
    branch: BranchOption = None
    keep_files: KeepOption = False
    yes: YesOption = False
    stay: StayOption = False


@grouped
def rewind(*, run: RunArgument, back: BackOptions, options: FurtherOptions, output: RunOutputOptions) -> None:
    """Go back to an earlier reply, say what was wrong, and let the crew continue from there on a new branch.

    First shows what will happen to your files and what cannot be undone. Going back costs no model call and can be undone.
    """
    from deskcrew.engine.request import request_of
    from deskcrew.engine.rewind import ended, go_back
    from deskcrew.ways_in.running.messages import RewindPlace
    from deskcrew.ways_in.running.rewinding import place_back, points_again

    event, data, json = back.event, output.data, output.json
    check_place(event, undo=back.undo, branch=back.branch)
    if event is None and (back.say or back.role):
        raise UsageError("--say and --role need an EVENT: no role is asked again at the end of a branch.")
    journal, settings = open_run(data, run), settings_with(data)
    # Before anything moves: what is typed wrong must not leave the run rewound and standing.
    going_on = changes(options, journal, settings)(request_of(journal))
    out = console(stderr=json)
    with journal.claimed():
        points, number = points_again(journal, settings, passphrase), event_number(event, journal) if event else None
        place = RewindPlace(event=number, branch=back.branch, keep_files=back.keep_files)
        found = place_back(journal, place, points, existing_journal(data))
        if not (back.stay or ended(journal, found)):
            check(journal, going_on, settings)
        for piece in preview(journal, found, keep_files=back.keep_files):
            out.print(piece, soft_wrap=True)
        if found.files is not None and found.files.work and not back.yes:
            confirm("--yes, or --keep-files.", json=json)
        made, lost = go_back(journal, found, points, say=back.say, switch=back.role)
        journal.close()
        settled(journal, settings)
    for each in lost:
        out.print(f"Not restored: {clean(each)}", style="yellow", soft_wrap=True)
    if back.stay or journal.state.outcome is not None:
        out.print(_where(journal, made, found))
        if json:
            print_json({"run": journal.run, "event": made.number, "lost": [*found.lost, *lost], "kept": found.kept})
        return
    raise typer.Exit(go_on(journal.run, options, output))


def check_place(event: str | None, *, undo: bool, branch: str | None) -> None:
    """Raise UsageError unless exactly one place to go back to is given."""
    given = [
        name for name, there in (("EVENT", event is not None), ("--undo", undo), ("--branch", branch is not None)) if there
    ]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)}: give only one of them.", hint="Leave out the others.")
    if not given:
        raise UsageError("Say where to go back to: EVENT, --undo or --branch.", hint="`deskcrew log RUN` shows the events.")


def _where(journal: Journal, made: Event, back: Return) -> str:
    """Where the run is now, in words."""
    if back.reply is None:
        from deskcrew.journal.branches import branches

        number = next(branch.number for branch in branches(journal) if branch.current)
        return f"Run {journal.run} is back on branch {number}."
    return f"Run {journal.run} is at event #{made.number} now. Undo this: deskcrew rewind {journal.run} --undo"


def settled(journal: Journal, settings: Settings) -> None:
    """Let memory keep what the run teaches where it is now; a memory that cannot be used is reported."""
    from deskcrew.learning.memory.keeping import settle_again
    from deskcrew.learning.memory.store import MemoryFailure

    try:
        settle_again(journal, settings)
    except MemoryFailure as error:
        print_error(error)  # the files are back all the same


def preview(journal: Journal, back: Return, *, keep_files: bool, hint: str = "") -> list[RenderableType]:
    """The lines that show what going back would do. Changes nothing. ``hint``: what to do about files left alone."""
    from deskcrew.ways_in.report import render

    told: list[RenderableType] = [Text.assemble(("Back to ", "bold"), f"event #{back.parent.number} of run {journal.run}")]
    if back.reply is not None:
        told += [Text("Rejected:", style="bold"), *(Text("  ").append_text(line) for line in render.lines(back.reply))]
    if back.files is not None:
        what = "nothing to put back" if back.start and back.empty else clean(back.files.summary())
        told.append(Text.assemble(("Files: ", "bold"), what))
    else:
        why = (
            "left as they are (--keep-files)" if keep_files else "left as they are: there is no save point from before that"
        )
        told.append(Text.assemble(("Files: ", "bold"), why))
    for each in back.followers:
        told.append(Text(clean(f"Also undone: what run {each.id} did afterwards ({each.task})"), style="yellow"))
    if own := back.own(journal):
        told.append(Text(f"{LEFT}: {clean(some(own, SHOWN))}.{hint}", style="yellow"))
    told += [Text(f"Cannot be undone: {one_line(lost, 300)}", style="yellow") for lost in back.lost]
    return told


def confirm(instead: str, *, json: bool) -> None:
    """Ask whether files may be changed. Raises Exit (6) on no, UsageError if nobody can be asked. ``instead``: the options
    that make asking unnecessary, for its hint."""
    instead = f"To go back without being asked: {instead}"
    must_agree("Go back?", about="whether files may be changed", instead=instead, json=json, default=True)
