"""``deskcrew log RUN``: a run as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.cli.options import DataOption, JsonOption, RunArgument, open_run

if TYPE_CHECKING:
    from deskcrew.journal.store import Journal

EPILOG = "Examples: deskcrew log last | deskcrew log 0317 --json"


AllOption = Annotated[bool, typer.Option("--all", help="Also branches that were hidden.")]


def log(run: RunArgument, all: AllOption = False, json: JsonOption = False, data: DataOption = None) -> None:
    """Show everything a run did: plan, replies, operations, verdicts, what it cost.

    The number before each line is the event: `deskcrew show RUN NUMBER` has all of it. A run that was rewound has a branch
    for each time, with how it ended and what it cost.
    """
    from deskcrew.cli.console import console, print_json

    journal = open_run(data, run)
    if json:
        print_json(as_json(journal))
        return
    from deskcrew.cli.ending import panel
    from deskcrew.cli.text import moment
    from deskcrew.cli.tree import tree
    from deskcrew.journal.branches import branches

    out = console()
    found = branches(journal)
    out.print(tree(journal.run, found, when=moment(journal.events[0].header.time), hidden=all))
    out.print(panel(journal.run, journal.events, again=False))


def as_json(journal: Journal) -> dict[str, object]:
    """The whole run: what ``run --json`` prints, and every event."""
    from deskcrew.cli.branch import as_data
    from deskcrew.cli.ending import outcome_of, result
    from deskcrew.journal.branches import branches

    return {
        **result(journal.run, journal.events, outcome_of(journal.events)),
        "task": journal.state.task,
        "branches": [as_data(branch) for branch in branches(journal)],
        "events": [event.model_dump(mode="json") for event in journal.all],
        "problems": journal.verify(),
    }
