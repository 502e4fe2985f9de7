"""``deskcrew bench sheets``: instructions about workbooks that others made, compared with their reference results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import OnlyOption

if TYPE_CHECKING:
    from deskcrew.models.client import Model

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

    from deskcrew_bench.commands.others import Key, perform
    from deskcrew_bench.sheets import suite
    from deskcrew_bench.suites.others import finished

    settings = settings_with(data)
    name, by = model or settings.model, crew or settings.crew
    wanted = suite.wanted(suite.tasks_of(sheets, only or ()), name)
    kept = finished(jsonl, suite.Trial, name, by, command=suite.COMMAND)
    known = {key: trial for key, trial in kept.items() if trial.memory == memory}
    loads = name not in suite.CONTROLS

    async def attempt(key: Key, loaded: Model | None) -> suite.Trial:
        if not loads:
            return await anyio.to_thread.run_sync(suite.control, wanted[key], name, by, key[1])
        return await suite.attempt(wanted[key], settings, model=name, crew=by, memory=memory, loaded=loaded)

    perform(tuple(wanted), known, attempt, settings, model=name, loads=loads, jsonl=jsonl, json=json)
