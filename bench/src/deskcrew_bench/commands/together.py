"""``deskcrew bench together``: several series over a folder of chores at once, and whether they disturb each other."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.desk import HERE, TasksOption
from deskcrew_bench.commands.series import CrewOption
from deskcrew_bench.commands.suite import OnlyOption, SeedsOption

CountOption = Annotated[int, typer.Option("--count", min=2, max=16, help="How many series at once.")]
MadeByOption = Annotated[str, typer.Option("--model", metavar="MODEL", help="Whose replies: as for bench desk.")]


def together(
    tasks: TasksOption = HERE,
    model: MadeByOption = "oracle",
    crew: CrewOption = None,
    seeds: SeedsOption = "1",
    only: OnlyOption = None,
    count: CountOption = 2,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Several series of bench desk at once, each on desktops of its own: do they do the same as one by itself?

    A series is run first; its replies are given again to one series by itself, and to several at once, in a process each.
    Exit code 0 only when each task of those has the same operations, outcome, answer and result as in the first.
    """
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.desk.together import disturbed, measure

    settings = settings_with(data)
    folder = settings.data / "together" / secrets.token_hex(4)
    folder.mkdir(parents=True)
    chosen = [option for name in only or () for option in ("--only", name)]
    suite = (
        "--tasks",
        str(tasks),
        "--model",
        model,
        "--crew",
        crew or settings.crew,
        "--seeds",
        seeds,
        *chosen,
    )
    out = console(stderr=json)
    found = measure(
        suite,
        model=model,
        data=settings.data,
        journal=settings.journal,
        folder=folder,
        count=count,
        told=lambda text: out.print(text),
    )
    out.print(disturbed(found), soft_wrap=True)
    if json:
        alone, at_once = found.equal(alone=True), found.equal(alone=False)
        print_json(
            {"equal": at_once[0], "of": at_once[1], "alone": {"equal": alone[0], "of": alone[1]}}
            | found.model_dump(mode="json")
        )
    raise typer.Exit(0 if found.good else 1)
