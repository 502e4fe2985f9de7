"""``deskcrew bench miniwob``: MiniWoB++ in Deskcrew's own browser, done by a crew; the pages say what came of it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import HtmlOption, Key, OnlyOption, OnOption, SeedsOption, on_fleet, perform

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew_bench.suites.trial import By, Trial

HERE = Path("bench/miniwob")
SplitOption = Annotated[
    Literal["train"], typer.Option("--split", help="BrowserGym's split; the other one is held out, and not to be had here.")
]
ListOption = Annotated[
    Path | None, typer.Option("--tasks", metavar="FILE", help="Names of tasks, one a line.", show_default="the split")
]
PagesOption = Annotated[
    Path | None,
    typer.Option("--pages", metavar="DIR", help="Folder html of MiniWoB++.", show_default="the installed package's"),
]


@takes_less("checker", "planner")
def miniwob(
    split: SplitOption = "train",
    tasks: ListOption = None,
    model: ModelOption = None,
    crew: CrewOption = None,
    less: Less = WITH_ALL,
    seeds: SeedsOption = "1,2",
    only: OnlyOption = None,
    pages: PagesOption = None,
    on: OnOption = "",
    jsonl: JsonlOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Small web tasks that nobody here wrote: 10 operations and 180 seconds each. A model may also be no-op or
    random, the controls.

    Exit code 0 when every trial ran, whatever came of it; 1 when a bug of deskcrew ended one, or one lost its browser, which
    is no result. With --jsonl a series that was interrupted goes on, and does again what lost its browser.
    """
    from deskcrew.errors import UsageError
    from deskcrew_bench.miniwob import suite
    from deskcrew_bench.miniwob.pages import Pages, folder_of_pages, names_in, parts_of
    from deskcrew_bench.series import seeds_of
    from deskcrew_bench.suites.trial import finished

    settings = settings_with(data)
    file = tasks or HERE / f"{split}.txt"
    names = names_in(file)
    if unknown := [name for name in only or () if name not in names]:
        raise UsageError(f"There is no task {unknown[0]!r} in {file}.", hint=f"There are: {', '.join(names)}.")
    by: By = (
        model or settings.model,
        crew or settings.crew,
        less.pool,
        less.without,
    )
    wanted = [(name, seed) for seed in seeds_of(seeds) for name in only or names]
    known = finished(jsonl, by, "miniwob") if jsonl else {}
    with ExitStack() as open_:
        served = open_.enter_context(Pages(folder_of_pages(pages), names))
        asked = open_.enter_context(suite.Instructions(served, settings.data / "workspaces/miniwob"))

        async def attempt(key: Key, loaded: Model | None) -> Trial:
            return await suite.attempt(key, served, asked.of, settings, by=by, loaded=loaded)

        loads, tried = by[0] not in suite.CONTROLS, tuple(only or names)
        fleet = on_fleet(on, suite.Episodes(by, tried), parts_of(served.folder, tried), settings)
        perform(wanted, by, known, attempt, settings, loads=loads, jsonl=jsonl, html=html, json=json, fleet=fleet)
