"""``deskcrew bench sheets``: instructions about workbooks that others made, compared with their reference results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import OnlyOption

SheetsOption = Annotated[
    Path,
    typer.Option("--sheets", metavar="DIR", help="SheetCopilot's twenty: sheet_task.jsonl, sheets/ and sheets_ans/."),
]


def sheets(
    sheets: SheetsOption,
    only: OnlyOption = None,
    model: ModelOption = None,
    crew: CrewOption = None,
    memory: Annotated[
        bool,
        typer.Option("--memory", help="With what earlier runs in this data folder have taught."),
    ] = False,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Instructions about workbooks that others made: right, and said to be done? A model may also be gold, start or mutants
    (the reference results, the workbooks as they were, and reference results with one thing wrong), the controls.

    Exit code 0 when every trial ran, whatever came of it. With --jsonl a series that was interrupted goes on.
    """
    import anyio

    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.series import go_on
    from deskcrew_bench.sheets import suite

    settings = settings_with(data)
    name, by = model or settings.model, crew or settings.crew
    wanted = suite.wanted(suite.tasks_of(sheets, only or ()), name)
    known = suite.finished(jsonl, name, by, memory=memory) if jsonl else {}
    out = console(stderr=json)

    def told(trial: suite.Trial) -> None:
        out.print(suite.line(trial), soft_wrap=True, markup=False, highlight=False)

    async def all_of_them() -> list[suite.Trial]:
        options = ModelOptions.of(settings)
        loaded = create(name, options=options) if name not in suite.CONTROLS else None

        async def one(key: tuple[str, str]) -> suite.Trial:
            if loaded is None:
                return await anyio.to_thread.run_sync(suite.control, wanted[key], name, by, key[1])
            return await suite.attempt(wanted[key], settings, model=name, crew=by, memory=memory, loaded=loaded)

        try:
            return await go_on(wanted, known, one, path=jsonl, told=told)
        finally:
            if loaded is not None:
                await loaded.close()

    trials = anyio.run(all_of_them)
    summed = suite.totals(trials)
    out.print(suite.summary(summed), soft_wrap=True, markup=False, highlight=False)
    if json:
        print_json({"trials": [each.model_dump(mode="json") for each in trials], "totals": summed.model_dump()})
