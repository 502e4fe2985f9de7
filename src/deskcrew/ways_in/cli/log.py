"""``deskcrew log RUN``: a run as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.ways_in.cli.branch import as_data
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.options import DataOption, JsonOption, RawOption, RunArgument, open_run
from deskcrew.ways_in.report.text import moment

if TYPE_CHECKING:
    from deskcrew.journal.journal import Journal

EPILOG = "Examples: deskcrew log last | deskcrew log 0317 --json. Exit code 4: the record is not what was written."


AllOption = Annotated[bool, typer.Option("--all", help="Show hidden branches, too.")]


def log(
    run: RunArgument, all: AllOption = False, raw: RawOption = False, json: JsonOption = False, data: DataOption = None
) -> None:
    """Show everything a run did: plan, replies, operations, verdicts, and what it cost.

    The number before each line is the event's: `deskcrew show RUN NUMBER` shows all of it. A run that was rewound has a
    branch for each time, with how it ended and what it cost.
    """
    journal = open_run(data, run)
    problems = journal.verify()
    code = 4 if problems else 0
    if json:
        print_json(as_json(journal) | {"problems": problems})
        raise typer.Exit(code)
    from deskcrew.journal.branches import branches
    from deskcrew.journal.later import changed_after
    from deskcrew.journal.leases import at_work
    from deskcrew.ways_in.cli.ending import LoggedRun, panel
    from deskcrew.ways_in.cli.tree import tree
    from deskcrew.ways_in.report.operations import Looks

    out = console()
    doubt = doubt_of(journal, problems)
    if doubt is not None:
        out.print(doubt, soft_wrap=True)
    found = branches(journal)
    when = moment(journal.events[0].header.time)
    looks = Looks(journal)
    out.print(tree(journal.run, found, when=when, hidden=all, look=looks.before, raw=raw))
    out.print(
        panel(
            journal.run,
            journal.events,
            logged=LoggedRun(doubt, not journal.imported(), changed_after(journal), at_work(journal.database, journal.run)),
            look=looks.before,
            everything=journal.all,
        )
    )
    raise typer.Exit(code)


def doubt_of(journal: Journal, problems: list[str]) -> Text | None:
    """A warning that the record was altered or is redacted, so that not all is proven; None if there is no doubt."""
    from deskcrew.ways_in.report.inspection import altered, unproven

    if problems:
        return Text(altered(journal.run, problems), style="bold red")
    told = unproven(journal)
    return Text(told, style="yellow") if told else None


def as_json(journal: Journal) -> dict[str, object]:
    """The whole run: what ``run --json`` prints, and every event. ``redacted``: the number of events without their texts."""
    from deskcrew.journal.branches import branches
    from deskcrew.ways_in.report.result import result_of

    return {
        **result_of(journal.run, journal.events, everything=journal.all).model_dump(mode="json"),
        "task": journal.state.task,
        "branches": [as_data(branch) for branch in branches(journal)],
        "events": [event.model_dump(mode="json") for event in journal.all],
        "redacted": len(journal.redacted),
    }
