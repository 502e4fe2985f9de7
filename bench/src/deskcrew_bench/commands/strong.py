"""``deskcrew bench strong``: chores by the kept replies of a strong model, in four languages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption
from deskcrew_bench.commands.suite import OnlyOption

TasksOption = Annotated[Path, typer.Option("--tasks", metavar="DIR", help="Folder of chores; bench/strong/README.md.")]
LanguageOption = Annotated[
    list[str] | None, typer.Option("--language", metavar="CODE", help="Only in this language; may be given more than once.")
]
FOLDER = Path("bench/strong")


@takes_less()
def strong(
    tasks: TasksOption = FOLDER,
    only: OnlyOption = None,
    language: LanguageOption = None,
    model: Annotated[
        str, typer.Option("--model", help="Ask this model and keep what it replies; '': what was kept is replied again.")
    ] = "",
    crew: CrewOption = None,
    less: Less = WITH_ALL,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Chores by the kept replies of a strong model: right, and said to be done? In how many calls?

    Chores without kept replies to the crew are left out. Exit code 0 only when all others are right and said so, and there
    are any."""
    from functools import partial

    import anyio

    from deskcrew.models import factory
    from deskcrew.models.options import ModelOptions
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.desk import strong as suite
    from deskcrew_bench.desk.task import tasks_of

    settings = settings_with(data)
    out = console(stderr=json)
    by = crew or settings.crew
    trials: list[suite.Trial] = []
    for code in language or suite.LANGUAGES:
        for task in tasks_of(tasks, only or (), code):
            if not model and not suite.replies_to(task, by, *less):
                out.print(f"{task.name}: no replies to crew {by} are kept", soft_wrap=True)
                continue
            asked = factory.create(model, options=ModelOptions.of(settings)) if model else None
            trial = partial(suite.attempt, task, settings, crew=by, pool=less.pool, without=less.without, model=asked)
            trials.append(anyio.run(trial))
            out.print(suite.line(trials[-1]), soft_wrap=True, markup=False)
    found = suite.totals(trials)
    out.print(suite.summary(found), soft_wrap=True)
    if json:
        print_json({"trials": [each.model_dump(mode="json") for each in trials], "totals": found.model_dump(mode="json")})
    raise typer.Exit(0 if 0 < found.kinds.get("right and said so", 0) == found.trials else 1)
