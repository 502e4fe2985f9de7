"""``deskcrew bench desk``: a folder of chores over real programs, done by a crew and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.options import MOST_ATTEMPTS, DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import HtmlOption, Key, OnlyOption, OnOption, SeedsOption, on_fleet, perform

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew_bench.suites.trial import By, Trial

HERE = Path("bench/desk")
TasksOption = Annotated[Path, typer.Option("--tasks", metavar="DIR", help="Folder of tasks; bench/desk/README.md says how.")]
RepliesOption = Annotated[
    Path | None,
    typer.Option(
        "--replies-of", metavar="FILE", help="Instead of asking the model, give its replies of this earlier --jsonl again."
    ),
]
AttemptsOption = Annotated[
    int, typer.Option("--attempts", metavar="N", min=1, max=MOST_ATTEMPTS, help="As for run: attempts until it is proven.")
]


@takes_less()
def desk(
    tasks: TasksOption = HERE,
    model: ModelOption = None,
    crew: CrewOption = None,
    less: Less = WITH_ALL,
    attempts: AttemptsOption = 1,
    seeds: SeedsOption = "1",
    only: OnlyOption = None,
    replies_of: RepliesOption = None,
    on: OnOption = "",
    jsonl: JsonlOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Everyday chores over real programs: right, and said to be done? A model may also be oracle or no-op, the controls.

    Exit code 0 when every trial ran, whatever came of it; 1 when a bug of deskcrew ended one. With --jsonl a series that was
    interrupted goes on.
    """
    from deskcrew.errors import UsageError
    from deskcrew_bench.desk import suite
    from deskcrew_bench.desk.recorded import AGAIN, again, earlier_of
    from deskcrew_bench.desk.task import tasks_of
    from deskcrew_bench.series import seeds_of
    from deskcrew_bench.suites.trial import finished

    if on and replies_of:
        raise UsageError("Replies that are given again need no fleet.", hint="Leave out --on or --replies-of.")
    if attempts > 1 and replies_of:
        raise UsageError("Replies that are given again are those of one attempt.", hint="Leave out --attempts.")
    settings = settings_with(data)
    regime = suite.regime_of(attempts)
    asked: By = (
        model or settings.model,
        crew or settings.crew,
        less.pool,
        less.without,
    )
    chosen = tasks_of(tasks, only or ())
    if not on:
        suite.check_programs(chosen)
    wanted = suite.wanted(chosen, seeds_of(seeds))
    earlier = earlier_of(replies_of, asked, wanted) if replies_of else {}
    by = (f"{AGAIN}{asked[0]}", *asked[1:]) if replies_of else asked
    known = finished(jsonl, by, "desk", regime) if jsonl else {}

    async def attempt(key: Key, loaded: Model | None) -> Trial:
        if earlier:
            return await again(wanted[key], earlier[key], settings)
        return await suite.attempt(
            wanted[key], key[1], settings,
            model=by[0], crew=by[1], pool=by[2], without=by[3], attempts=attempts, loaded=loaded,
        )  # fmt: skip

    loads = not earlier and by[0] not in suite.CONTROLS
    files = {task.name: task.folder for task in wanted.values()}
    fleet = on_fleet(on, suite.Episodes(by, attempts), files, settings)
    perform(
        wanted, by, known, attempt, settings,
        loads=loads, jsonl=jsonl, html=html, json=json, regime=regime, ours=attempts == 1, fleet=fleet,
    )  # fmt: skip
