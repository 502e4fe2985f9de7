"""``deskcrew bench worth``: what the parts of crews catch, and what they cost."""

from __future__ import annotations

from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, not_empty, settings_with
from deskcrew_bench.commands.series import JsonlOption
from deskcrew_bench.commands.strong import FOLDER, LanguageOption, TasksOption
from deskcrew_bench.commands.suite import OnlyOption


def worth(
    model: Annotated[str, typer.Option("--model", parser=not_empty, metavar="MODEL", help="Who goes on, as for run.")],
    part: Annotated[
        list[str] | None, typer.Option("--part", metavar="PART", help="Only this one; may be given more than once.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this fault; may be given more than once.")
    ] = None,
    crew: Annotated[
        list[str] | None, typer.Option("--crew", metavar="CREW", help="Only this one; may be given more than once.")
    ] = None,
    tasks: TasksOption = FOLDER,
    only: OnlyOption = None,
    language: LanguageOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """What a part of a crew is worth: kept runs with one reply altered by a program, gone on with by a model, with the part
    and without it. Caught, calls to recover, false alarms, done and wrong."""
    import anyio

    from deskcrew.models import factory
    from deskcrew.models.options import ModelOptions
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench import worth as suite
    from deskcrew_bench.desk.strong import LANGUAGES
    from deskcrew_bench.desk.task import tasks_of
    from deskcrew_bench.series import go_on

    settings, out = settings_with(data), console(stderr=json)
    parts, kinds = suite.named(part or (), suite.PARTS, "--part"), suite.named(kind or (), suite.KINDS, "--kind")
    crews = suite.named(crew or (), ("default", "planned", "solo", "cola", "mmac", "friday", "coact"), "--crew")
    chores = [task for code in language or LANGUAGES for task in tasks_of(tasks, only or (), code)]
    wanted = {case.key: (case, consents) for case, consents in suite.cases(chores, crews, parts, kinds)}
    known = suite.finished(jsonl) if jsonl else {}
    asked = factory.create(model, options=ModelOptions.of(settings))

    async def all_of_them() -> list[suite.Trial]:
        try:
            return await go_on(
                wanted,
                known,
                lambda key: suite.attempt(*wanted[key], settings, asked),
                path=jsonl,
                told=lambda trial: out.print(suite.line(trial), soft_wrap=True, markup=False),
            )
        finally:
            await asked.close()

    trials = anyio.run(all_of_them)
    found = suite.totals(trials)
    out.print(suite.summary(found), soft_wrap=True, markup=False)
    if json:
        print_json({"trials": [each.model_dump(mode="json") for each in trials], "totals": found.model_dump(mode="json")})
