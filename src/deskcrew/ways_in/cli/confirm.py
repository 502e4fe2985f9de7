"""``deskcrew confirm RUN [REQUIREMENT] --yes|--no``: a person's judgement of what a run could not prove."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.errors import UsageError
from deskcrew.ways_in.cli.console import console, print_json
from deskcrew.ways_in.cli.failing import print_error
from deskcrew.ways_in.cli.options import DataOption, JsonOption, RunArgument, open_run, settings_with

EPILOG = """Examples: deskcrew confirm last --yes | deskcrew confirm 0317 3 --no "two rows are missing"

`deskcrew log RUN` shows the numbers of the requirements at its end.

Exit codes: 0 the run is done now, 3 something is still open, 4 it does not hold."""
RequirementArgument = Annotated[
    str, typer.Argument(metavar="[REQUIREMENT]", help="Its number; without one, the whole task.", show_default=False)
]
HoldsOption = Annotated[
    bool | None, typer.Option("--yes/--no", help="Whether it holds, as far as you can see.", show_default=False)
]
WhyArgument = Annotated[str, typer.Argument(metavar="[WHY]", help="What you saw, in a few words.", show_default=False)]


def confirm(
    run: RunArgument,
    requirement: RequirementArgument = "",
    why: WhyArgument = "",
    holds: HoldsOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Say whether a requirement of a finished run holds. Your answer is recorded, and changes the outcome, what is
    remembered of the run, and the score of a skill that was made from it or tried in it."""
    from deskcrew.learning.memory.store import MemoryFailure
    from deskcrew.ways_in.cli import ending
    from deskcrew.ways_in.running.runs import Runs

    if holds is None:
        raise UsageError("Say whether it holds: --yes or --no.", hint=f"`deskcrew log {run}` shows what is open.")
    if requirement and not requirement.isdigit():
        # One word too few before it: `confirm last "looks right" --yes` is about the whole task.
        requirement, why = "", " ".join(each for each in (requirement, why) if each)
    name, settings = open_run(data, run).run, settings_with(data)
    try:
        Runs(settings).confirm(name, holds=holds, requirement=requirement, why=why)
    except MemoryFailure as error:
        print_error(error)  # the word stands all the same
    journal = open_run(data, name)
    outcome = journal.state.outcome
    assert outcome is not None
    if json:
        print_json({"run": journal.run, "outcome": outcome.model_dump(mode="json", exclude={"checks", "sources"})})
    else:
        ending.print_end(journal, console())
    raise typer.Exit(outcome.exit_code)
