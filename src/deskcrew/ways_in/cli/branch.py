"""``deskcrew branch`` and ``deskcrew diff``: list, name, hide and compare the branches of a run."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, print_json, tell
from deskcrew.ways_in.cli.options import DataOption, JsonOption, RunArgument, open_run
from deskcrew.ways_in.cli.verify import told_first
from deskcrew.ways_in.report.text import one_line

if TYPE_CHECKING:
    from deskcrew.facts import events as e
    from deskcrew.facts.json_values import JsonObject
    from deskcrew.journal.branches import JournalBranch
    from deskcrew.ways_in.report.operations import Looks

EPILOG = """Examples: deskcrew branch last | deskcrew branch last 2 --label "right file" | deskcrew branch last 1 --hide"""

DIFF_EPILOG = """Example: deskcrew diff last 1 2

First comes the last event that both branches share, then what each did on its own, side by side."""

BranchArgument = Annotated[
    str | None, typer.Argument(metavar="BRANCH", help="Number or label of a branch.", show_default="list them all")
]


def branch(
    run: RunArgument,
    name: BranchArgument = None,
    label: Annotated[
        str | None, typer.Option("--label", metavar="TEXT", help="Name the branch; '' removes the name.")
    ] = None,
    hide: Annotated[bool | None, typer.Option("--hide/--unhide", help="Hide it from `log`, or show it again.")] = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """List the branches of a run; name one or hide it.

    `deskcrew rewind` begins a branch; branches are never deleted.
    """
    from deskcrew.journal.branches import branch_named, branches, name_branch
    from deskcrew.ways_in.cli.tree import heading

    journal = open_run(data, run)
    if name is not None:
        name_branch(journal, branch_named(journal, name), label=label, hidden=hide)
    elif label is not None or hide is not None:
        raise UsageError("Which branch?", hint=f"deskcrew branch {run} 1 --label TEXT")
    found, problems = branches(journal), told_first(journal)
    said = [heading(each).append("  hidden" if each.hidden else "", style="dim") for each in found]
    tell(said, {"run": journal.run, "branches": [as_data(each) for each in found]}, json=json)
    raise typer.Exit(4 if problems else 0)


def diff(
    run: RunArgument,
    first: Annotated[str, typer.Argument(metavar="A", help="Number or label of a branch.", show_default=False)],
    second: Annotated[str, typer.Argument(metavar="B", help="Number or label of another branch.", show_default=False)],
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Compare two branches of a run: where they diverge, what each did, how each ended, and which files it left."""
    from deskcrew.journal.branches import branch_named
    from deskcrew.ways_in.report.comparing import apart, file_differences
    from deskcrew.ways_in.report.operations import Looks

    journal = open_run(data, run)
    sides = branch_named(journal, first), branch_named(journal, second)
    same = sides[0].number == sides[1].number
    paths = [journal.lineage(side.head.number) for side in sides]
    own = apart(paths[0], paths[1])
    shared = len(paths[0]) - len(own[0])
    files = file_differences(journal, paths[0], paths[1])
    if json:
        numbers = [[event.number for event in events] for events in own]
        value = {"run": journal.run, "branches": [as_data(side) for side in sides], "shared": shared, "events": numbers}
        print_json(value | {"files": files})
        return
    out = console()
    if same:
        out.print(f"{first} and {second} are the same branch.")
        return
    looks = Looks(journal)
    for piece in _shown(looks, sides, paths[0][shared - 1].number if shared else 0, own, files):
        out.print(piece)


def as_data(each: JournalBranch) -> JsonObject:
    """A branch as ``--json`` prints it."""
    outcome, spent = each.outcome, each.spent
    return {
        "number": each.number,
        "label": each.label,
        "hidden": each.hidden,
        "current": each.current,
        "after": each.left,
        "first": each.start,
        "last": each.head.number,
        "outcome": outcome.status if outcome else None,
        "calls": spent.calls,
        "tokens": spent.tokens,
        "cost": spent.cost,
        "model_seconds": round(spent.seconds, 3),
    }


def _shown(
    looks: Looks,
    sides: tuple[JournalBranch, JournalBranch],
    shared: int,
    own: tuple[list[e.Event], list[e.Event]],
    files: list[str],
) -> list[Any]:
    from deskcrew.ways_in.cli.tree import heading
    from deskcrew.ways_in.report import render

    table = Table(expand=True, show_lines=False, header_style="")
    for side in sides:
        # A short name: with what it cost, it would take more lines here than some branches have events.
        table.add_column(Text.assemble((f"branch {side.number}", "bold")), ratio=1, overflow="fold")
    columns = [
        [
            Text.assemble((f"#{event.number} ", "dim"), lines[0])
            for event in events
            if (lines := render.lines(event, looks.before(event)))
        ]
        for events in own
    ]
    for left, right in zip_longest(*columns, fillvalue=Text()):
        table.add_row(left, right)
    told: list[Any] = [
        Text(f"Both share everything up to event #{shared}." if shared else "They share nothing."),
        *(heading(side) for side in sides),
        table,
    ]
    if files:
        told.append(Text(f"Files, from {sides[0].number} to {sides[1].number}:", style="bold"))
        told += [Text(f"  {one_line(line, 200)}") for line in files]
    return told
