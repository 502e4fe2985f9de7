"""``deskcrew log RUN``: a run as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deskcrew.cli.options import DataOption, JsonOption, RunArgument, open_run

if TYPE_CHECKING:
    from deskcrew.journal.store import Journal

EPILOG = "Examples: deskcrew log last | deskcrew log 0317 --json"


def log(run: RunArgument, json: JsonOption = False, data: DataOption = None) -> None:
    """Show everything a run did: plan, replies, operations, verdicts, what it cost.

    The number before each line is the event: `deskcrew show RUN NUMBER` has all of it.
    """
    from deskcrew.cli.console import console, print_json

    journal = open_run(data, run)
    if json:
        print_json(as_json(journal))
        return
    from deskcrew.cli.ending import panel
    from deskcrew.cli.text import moment
    from deskcrew.cli.tree import tree

    out = console()
    out.print(tree(journal.run, journal.events, when=moment(journal.events[0].header.time)))
    out.print(panel(journal.run, journal.events, again=False))


def as_json(journal: Journal) -> dict[str, object]:
    """The whole run: what ``run --json`` prints, and every event."""
    from deskcrew.cli.ending import outcome_of, result

    return {
        **result(journal.run, journal.events, outcome_of(journal.events)),
        "task": journal.state.task,
        "events": [event.model_dump(mode="json") for event in journal.events],
        "problems": journal.verify(),
    }
