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
    from deskcrew_bench.commands.others import over
    from deskcrew_bench.officebench.right import make_right
    from deskcrew_bench.officebench.tasks import Task, tasks_of
    from deskcrew_bench.suites import folders

    settings = settings_with(data)

    async def attempt(task: Task, name: str, by: str, loaded: Model | None) -> OthersTrial:
        return await folders.trial(task, settings, model=name, crew=by, loaded=loaded, make_right=make_right)

    over(
        {task.name: task for task in tasks_of(apps, only or ())}, attempt, settings, command="deskcrew bench officebench",
        controls=folders.CONTROLS, model=model, crew=crew, jsonl=jsonl, json=json,
    )  # fmt: skip
