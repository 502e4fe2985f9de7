"""``deskcrew bench webgames``: small pages that others made, of what is hard in a browser."""

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

CloneOption = Annotated[Path, typer.Option("--apps", metavar="DIR", help="A clone of WebGames, built.")]


def webgames(
    apps: CloneOption,
    only: OnlyOption = None,
    model: ModelOption = None,
    crew: CrewOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """WebGames' pages: is the password that each gives told, and said to be done? A model may also be no-op or right
    (nothing is done, and the password is known), the controls.

    Exit code 0 when every trial ran, whatever came of it. With --jsonl a series that was interrupted goes on.
    """
    from deskcrew_bench import webgames as suite
    from deskcrew_bench.commands.others import over

    settings = settings_with(data)

    async def attempt(task: suite.Task, name: str, by: str, loaded: Model | None) -> OthersTrial:
        return await suite.attempt(apps, task, settings, model=name, crew=by, loaded=loaded)

    over(
        {task.id: task for task in suite.tasks_of(apps, only or ())}, attempt, settings, command="deskcrew bench webgames",
        controls=suite.CONTROLS, model=model, crew=crew, jsonl=jsonl, json=json,
    )  # fmt: skip
