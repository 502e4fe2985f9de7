"""``deskcrew bench cache``: what of a run's prompts a provider has in its cache, and what verifying costs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption
from deskcrew_bench.commands.strong import FOLDER, TasksOption
from deskcrew_bench.commands.suite import OnlyOption


def cache(
    tasks: TasksOption = FOLDER,
    only: OnlyOption = None,
    language: Annotated[str, typer.Option("--language", metavar="CODE", help="The chores as they are worded in it.")] = "en",
    provider: Annotated[Literal["openai", "anthropic"], typer.Option("--provider", help="Whose caching.")] = "openai",
    crew: CrewOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """How much of a run's prompts comes from a provider's cache? The chores of `bench strong` by their kept replies, sent to
    a server on loopback that caches as the provider says it does. No model needed.

    Of each chore: a run by itself, and with the runs before it just before; and what of it is spent on saying what must hold
    (the contract), and whether it does, in tokens and in their price where what is cached costs a tenth. Chores of which no
    replies are kept are left out."""
    import anyio

    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.caching import measure
    from deskcrew_bench.caching.provider import Provider
    from deskcrew_bench.desk.strong import replies_of
    from deskcrew_bench.desk.task import tasks_of

    settings = settings_with(data)
    out = console(stderr=json)
    by = crew or settings.crew
    trials: list[measure.Trial] = []
    with Provider(provider) as server:
        for task in tasks_of(tasks, only or (), language):
            if not replies_of(task, by).exists():
                continue
            trials.append(anyio.run(lambda t=task: measure.attempt(t, settings, server, crew=by)))
            out.print(measure.line(trials[-1]), soft_wrap=True, markup=False)
    found = measure.totals(trials)
    out.print(measure.summary(found), soft_wrap=True)
    if json:
        print_json({"trials": [each.model_dump(mode="json") for each in trials], "totals": found.model_dump(mode="json")})
