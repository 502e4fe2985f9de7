"""``deskcrew bench peer NAME``: another agent on the pages that `bench miniwob` serves, with the same limits and model."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, not_empty, settings_with
from deskcrew_bench.commands.miniwob import HERE, PagesOption
from deskcrew_bench.commands.series import JsonlOption
from deskcrew_bench.commands.suite import HtmlOption, Key, OnlyOption, SeedsOption, perform

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew_bench.suites.trial import By, Trial

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A folder of --peers, such as browser-use.")]
PeersOption = Annotated[Path, typer.Option("--peers", metavar="DIR", help="Where the peers are.")]
ListOption = Annotated[Path, typer.Option("--tasks", metavar="FILE", help="Names of tasks, one a line.")]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        parser=not_empty,
        metavar="MODEL",
        help="local, local:NAME or http://HOST/v1#NAME.",
        show_default="your setting, else local",
    ),
]


def peer(
    name: NameArgument,
    peers: PeersOption = Path("bench/peers"),
    tasks: ListOption = HERE / "twenty.txt",
    model: ModelOption = None,
    seeds: SeedsOption = "1",
    only: OnlyOption = None,
    pages: PagesOption = None,
    jsonl: JsonlOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Another agent on small web tasks: the pages, seeds, limits and model of `bench miniwob`, in its own environment.

    Its lines are compared with ours by `bench compare`, where its name stands for the crew. With --jsonl a series that was
    interrupted goes on.
    """
    from deskcrew.errors import UsageError
    from deskcrew.models.reference import parse
    from deskcrew_bench.miniwob.pages import Pages, folder_of_pages, names_in
    from deskcrew_bench.miniwob.suite import Instructions
    from deskcrew_bench.peers import suite as running
    from deskcrew_bench.series import seeds_of
    from deskcrew_bench.suites.trial import finished

    settings = settings_with(data)
    found = running.peer(peers, name)
    names = names_in(tasks)
    if unknown := [each for each in only or () if each not in names]:
        raise UsageError(f"There is no task {unknown[0]!r} in {tasks}.", hint=f"There are: {', '.join(names)}.")
    by: By = (model or settings.model, name, True, ())
    wanted = [(each, seed) for seed in seeds_of(seeds) for each in only or names]
    known = finished(jsonl, by, "miniwob") if jsonl else {}
    with ExitStack() as open_:
        served = open_.enter_context(Pages(folder_of_pages(pages), names))
        goals = open_.enter_context(Instructions(served, settings.data / "workspaces/miniwob"))

        async def attempt(key: Key, loaded: Model | None) -> Trial:
            asked = await running.upstream(by[0], loaded)
            return await running.attempt(key, served, goals.of, settings, peer=found, by=by, asked=asked)

        loads = parse(by[0]).kind == "local"
        perform(wanted, by, known, attempt, settings, loads=loads, jsonl=jsonl, html=html, json=json, ours=False)
