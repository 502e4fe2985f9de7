"""``deskcrew replay RUN``: repeat a run, from its record alone or on a live desktop."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli import replay_live
from deskcrew.ways_in.cli.console import tell
from deskcrew.ways_in.cli.grouped import given, grouped
from deskcrew.ways_in.cli.options import DataOption, OutputOptions, RunArgument, open_run
from deskcrew.ways_in.cli.replay_live import LiveOptions
from deskcrew.ways_in.report.text import clean, counted

if TYPE_CHECKING:
    from deskcrew.engine.replay.compare import Difference
    from deskcrew.engine.replay.replay import Replayed

EPILOG = """Examples:

deskcrew replay last

deskcrew replay 0317 --list

deskcrew replay 0317 --live --attach june.csv --set may.csv=june.csv --set text1="Total in June:"

deskcrew replay 0317 --live --workspace ./papers --hand-over --json

Exit codes: 0 if it is the same, or done (--live); 4 if it differs; else those of `run`."""

_how = partial(typer.Option, rich_help_panel="Which kind")

CassetteOption = Annotated[
    bool,
    _how(
        "--cassette",
        help="The default: run the engine on the record, with everything outside it answering as recorded, and compare.",
    ),
]
LiveOption = Annotated[bool, _how("--live", help="Repeat its operations on a live desktop, in a new run, without a model.")]
BranchOption = Annotated[
    str | None, typer.Option("--branch", metavar="BRANCH", help="Number or label.", show_default="the current branch")
]


@grouped
def replay(
    *,
    run: RunArgument,
    cassette: CassetteOption = False,
    live: LiveOption = False,
    branch: BranchOption = None,
    options: LiveOptions,
    output: OutputOptions,
) -> None:
    """Repeat a run: from its record alone, or on a live desktop with other values.

    Without --live the engine runs on the record, on any machine, and nothing is changed: every prompt, decision, verdict and
    approval must come out as recorded.

    --live repeats the operations, each on the control that it was aimed at, and runs programs again for new results.
    Nothing is allowed because it was allowed then. It stops where the screen is not as recorded, with a picture.
    """
    json, data = output.json, output.data
    live = live or (options.list_ and not cassette)
    if cassette and live:
        raise UsageError("A replay is either from the record (--cassette) or --live.", hint="Leave out one of the two.")
    if not live:
        if ignored := [*given(options)]:
            raise UsageError(
                f"{', '.join(ignored)}: cannot be used without --live, since the record is followed exactly.",
                hint=f"deskcrew replay {run} --live {ignored[0]} ...",
            )
        raise typer.Exit(from_record(run, branch, json=json, data=data))
    for text in options.set_ or []:
        if "=" not in text:
            raise UsageError(f"--set {text!r} is not NAME=VALUE.", hint=f"deskcrew replay {run} --list shows the names.")
    if options.list_:
        replay_live.listed(run, branch, json=json, data=data)
        return
    raise typer.Exit(replay_live.do(run, branch, options, json=json, data=data))


def from_record(run: str, branch: str | None, *, json: bool, data: DataOption) -> int:
    """Replay a run from its record (``--cassette``), and print the result. Returns the exit code."""
    import anyio

    from deskcrew.engine.replay.replay import replay as again
    from deskcrew.journal.branches import branch_named

    journal = open_run(data, run)
    head = branch_named(journal, branch).head if branch is not None else None
    found = anyio.run(again, journal, head)
    tell(lines(found), as_data(found), json=json)
    return 0 if found.equal else 4


def as_data(found: Replayed) -> dict[str, object]:
    """The result as ``--json`` prints it."""
    different = found.difference
    told = None
    if different is not None:
        told = {"event": different.event, "what": different.what, "recorded": different.recorded}
        told |= {"instead": different.instead, "lines": list(different.lines)}
    counts = {"run": found.run, "equal": found.equal, "events": found.events, "prompts": found.prompts}
    return {**counts, "seconds": found.seconds, "difference": told}


def lines(found: Replayed) -> list[Text]:
    """The result in words."""
    counts = f"{counted(found.events, 'event')}, {counted(found.prompts, 'prompt')}"
    if found.difference is None:
        return [Text(f"✓ Run {found.run} is the same again: {counts} equal, in {found.seconds:g} s.", style="green")]
    head = f"✗ Run {found.run} differs at event #{found.difference.event}; {counts} before it are equal."
    return [Text(head, style="red"), *_difference(found.difference)]


def _difference(different: Difference) -> list[Text]:
    told = [Text.assemble(("What: ", "bold"), clean(different.what))]
    if not different.lines:
        told += [Text.assemble(("Recorded: ", "bold"), clean(different.recorded))]
        told += [Text.assemble(("Instead: ", "bold"), clean(different.instead))]
    styles = {"+": "green", "-": "red", "@": "cyan"}
    return told + [Text(clean(line), style=styles.get(line[:1], "")) for line in different.lines]
