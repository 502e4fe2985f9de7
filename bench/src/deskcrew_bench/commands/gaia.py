"""``deskcrew bench gaia``: questions of GAIA's form, answered by a crew and compared by GAIA's scorer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import HtmlOption, Key, OnlyOption, SeedsOption, perform

if TYPE_CHECKING:
    from rich.console import Console

    from deskcrew.engine.human.responder import Responder
    from deskcrew.engine.session import Watch
    from deskcrew.models.client import Model
    from deskcrew_bench.suites.trial import By, Trial

QuestionsOption = Annotated[
    Path, typer.Option("--questions", metavar="DIR", help="Folder with metadata.jsonl and the files that belong to it.")
]
LevelOption = Annotated[int | None, typer.Option("--level", min=1, max=3, help="Only questions of this level: 1, 2 or 3.")]
RegimeOption = Annotated[
    Literal["alone", "active", "recalling"],
    typer.Option(
        "--regime",
        help="alone: nobody is there, nothing is remembered; active: you take part in every decision, and runs are "
        "remembered; recalling: nobody is there, and what active runs of other questions taught is recalled.",
    ),
]
DesktopOption = Annotated[
    Literal["virtual", "browser", "none"], typer.Option("--desktop", help="What runs work on, besides files.")
]
WebOption = Annotated[bool, typer.Option("--web", help="Runs reach the network, and the search service of your settings.")]


@takes_less()
def gaia(
    questions: QuestionsOption,
    level: LevelOption = None,
    only: OnlyOption = None,
    seeds: SeedsOption = "1",
    regime: RegimeOption = "alone",
    desktop: DesktopOption = "virtual",
    web: WebOption = False,
    model: ModelOption = None,
    crew: CrewOption = None,
    less: Less = WITH_ALL,
    jsonl: JsonlOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Questions that have one short answer: is it right by GAIA's scorer? A model may also be oracle or no-op, the controls.

    The regime of COLA's paper is two commands with one --data: first some questions with --regime active, then others with
    --regime recalling. Exit code 0 when every trial ran, whatever came of it; 1 when a bug of deskcrew ended one, or one was
    lost, which is no result. With --jsonl a series that was interrupted goes on.
    """
    from deskcrew.errors import UsageError
    from deskcrew.ways_in.cli.console import console
    from deskcrew.ways_in.cli.terminal import Terminal
    from deskcrew_bench.gaia import suite
    from deskcrew_bench.gaia.questions import questions_in
    from deskcrew_bench.series import seeds_of
    from deskcrew_bench.suites.trial import finished

    settings = settings_with(data)
    chosen = questions_in(questions, level, only or ())
    setting = suite.Setting(questions, regime, desktop, web)
    by: By = (model or settings.model, crew or settings.crew, less.pool, less.without)
    wanted = suite.wanted(chosen, seeds_of(seeds))
    known = finished(jsonl, by, "gaia", setting.name) if jsonl else {}
    if regime != "alone":
        if data is None:
            hint = "Name a folder of its own, the same for both regimes: --data DIR."
            raise UsageError(
                "What is remembered of these questions is kept apart from what your own runs taught.", hint=hint
            )
        if "memory" in less.without:
            raise UsageError("A crew without memory has this regime's name only.", hint="Leave out --no-memory.")
    if regime == "recalling":
        suite.check_memory(chosen, settings)
    if regime == "active" and not Terminal.there():
        raise UsageError("This regime asks you, but standard input is not a terminal.", hint="Leave out --regime active.")
    out = console(stderr=json)

    async def attempt(key: Key, loaded: Model | None) -> Trial:
        if regime != "active":
            return await suite.attempt(wanted[key], key[1], setting, settings, by=by, loaded=loaded)
        async with _at_terminal(out) as (human, watch):
            return await suite.attempt(
                wanted[key], key[1], setting, settings, by=by, loaded=loaded, human=human, watch=watch
            )

    loads = by[0] not in suite.CONTROLS
    shown = setting.name
    perform(wanted, by, known, attempt, settings, loads=loads, jsonl=jsonl, html=html, json=json, regime=shown)


@asynccontextmanager
async def _at_terminal(out: Console) -> AsyncGenerator[tuple[Responder, Watch]]:
    """The person at this terminal, who sees and takes part in one run."""
    from deskcrew.ways_in.cli.live import LiveView
    from deskcrew.ways_in.cli.person import Person
    from deskcrew.ways_in.cli.terminal import Terminal
    from deskcrew.ways_in.running.reachable import meanwhile

    terminal, view = Terminal(), LiveView(out, spinner=out.is_terminal)
    person = Person(out, view.paused, terminal, lambda: view.journal)
    with view, terminal:
        async with meanwhile(person.listen()):
            yield person, view
