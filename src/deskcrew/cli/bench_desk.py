"""``deskcrew bench desk``: a folder of chores over real programs, done by a crew and checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.cli.bench_series import CrewOption, JsonlOption, ModelOption
from deskcrew.cli.options import DataOption, JsonOption, settings_with

if TYPE_CHECKING:
    from deskcrew.bench.desk import Trial

HERE = Path("bench/desk")
TasksOption = Annotated[Path, typer.Option("--tasks", metavar="DIR", help="Folder of tasks; bench/desk/README.md says how.")]
SeedsOption = Annotated[str, typer.Option("--seeds", metavar="SEEDS", help="1..3, or 1,4,7.")]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", metavar="NAME", help="This task; may be given more than once.")
]
PoolOption = Annotated[bool, typer.Option("--no-pool", help="One agent with every action instead of the pool.")]
RepliesOption = Annotated[
    Path | None,
    typer.Option(
        "--replies-of", metavar="FILE", help="Instead of asking the model, give its replies of this earlier --jsonl again."
    ),
]
HtmlOption = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a report with plots.")]


def desk(
    tasks: TasksOption = HERE,
    model: ModelOption = None,
    crew: CrewOption = None,
    no_pool: PoolOption = False,
    seeds: SeedsOption = "1",
    only: OnlyOption = None,
    replies_of: RepliesOption = None,
    jsonl: JsonlOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Everyday chores over real programs: right, and said to be done? A model may also be oracle or no-op, the controls.

    Exit code 0 when every trial ran, whatever came of it. With --jsonl a series that was interrupted goes on.
    """
    import anyio

    from deskcrew.bench import desk as suite
    from deskcrew.bench.demo import seeds_of
    from deskcrew.bench.desk_recorded import AGAIN, again, earlier_of
    from deskcrew.bench.desk_report import write_report
    from deskcrew.bench.desk_targets import reached
    from deskcrew.bench.desk_task import tasks_of
    from deskcrew.bench.desk_text import line, named, standing, summary
    from deskcrew.bench.desk_totals import totals
    from deskcrew.bench.series import go_on
    from deskcrew.cli.console import console, print_json
    from deskcrew.models.factory import ModelOptions, create

    settings = settings_with(data)
    asked = by = model or settings.model, crew or settings.crew, not no_pool
    wanted = suite.wanted(tasks_of(tasks, only or ()), seeds_of(seeds))
    earlier = earlier_of(replies_of, asked, wanted) if replies_of else {}
    if replies_of:
        by = (f"{AGAIN}{asked[0]}", *asked[1:])
    known = suite.finished(jsonl, by) if jsonl else {}
    out = console(stderr=json)

    async def all_of_them() -> list[Trial]:
        # One model for all, so that its server is not started again for each.
        loaded = None
        if not earlier and by[0] not in suite.CONTROLS:
            loaded = create(by[0], options=ModelOptions(store_folder=settings.models))

        async def attempt(key: tuple[str, int]) -> Trial:
            if earlier:
                return await again(wanted[key], earlier[key], settings)
            return await suite.attempt(wanted[key], key[1], settings, model=by[0], crew=by[1], pool=by[2], loaded=loaded)

        try:
            return await go_on(wanted, known, attempt, path=jsonl, told=lambda trial: out.print(line(trial), soft_wrap=True))
        finally:
            if loaded is not None:
                await loaded.close()

    trials = anyio.run(all_of_them)
    summed = totals(trials)
    out.print(summary(summed), soft_wrap=True)
    out.print(standing(reached(trials)), soft_wrap=True)
    if html:
        write_report(html, {named(by): trials})
    if json:
        listed = [trial.model_dump(mode="json") | {"success": trial.success} for trial in trials]
        print_json(
            {
                "trials": listed,
                "totals": summed.model_dump(mode="json"),
                "targets": [each.model_dump(mode="json") for each in reached(trials)],
            }
        )
