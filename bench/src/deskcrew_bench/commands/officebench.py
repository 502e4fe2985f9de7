"""``deskcrew bench officebench``: tasks over workbooks, documents, mail and calendars that others made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import OnlyOption

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew_bench.suites.others import OthersTrial

CloneOption = Annotated[Path, typer.Option("--apps", metavar="DIR", help="A clone of OfficeBench.")]


def officebench(
    apps: CloneOption,
    only: OnlyOption = None,
    model: ModelOption = None,
    crew: CrewOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """OfficeBench's tasks: right by its own checker, and said to be done? A model may also be no-op or right (nothing done,
    and a result made to fit the checks), the controls.

    Exit code 0 when every trial ran, whatever came of it. With --jsonl a series that was interrupted goes on.
    """
    import anyio

    from deskcrew_bench.commands.others import Key, perform
    from deskcrew_bench.officebench import suite
    from deskcrew_bench.officebench.tasks import tasks_of
    from deskcrew_bench.suites.others import OthersTrial, finished

    settings = settings_with(data)
    name, by = model or settings.model, crew or settings.crew
    wanted = {(task.name, ""): task for task in tasks_of(apps, only or ())}
    known = finished(jsonl, OthersTrial, name, by, command=suite.COMMAND)
    loads = name not in suite.CONTROLS

    async def attempt(key: Key, loaded: Model | None) -> OthersTrial:
        if not loads:
            return await anyio.to_thread.run_sync(suite.control, wanted[key], settings, name, by)
        return await suite.attempt(wanted[key], settings, model=name, crew=by, loaded=loaded)

    perform(tuple(wanted), known, attempt, settings, model=name, loads=loads, jsonl=jsonl, json=json)
