"""``deskcrew bench vib``: chores in games and drawing programs, worked through their windows and checked in their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from deskcrew.ways_in.cli.ablations import WITH_ALL, Less, takes_less
from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.desk import TasksOption
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import HtmlOption, Key, OnlyOption, SeedsOption, perform

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew_bench.suites.trial import By, Trial

HERE = Path("bench/vib")


@takes_less()
def vib(
    tasks: TasksOption = HERE,
    model: ModelOption = None,
    crew: CrewOption = None,
    less: Less = WITH_ALL,
    seeds: SeedsOption = "1",
    only: OnlyOption = None,
    jsonl: JsonlOption = None,
    html: HtmlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """Chores in programs that are worked only through their windows: games, a music player, drawing programs. A model may
    also be oracle or no-op, the controls.

    The programs are not part of the set-up: where some are missing, it says what to install and begins nothing. A trial
    succeeds if the files that the program left are right, whatever the run says. With --jsonl a series that was interrupted
    goes on.
    """
    from deskcrew_bench.desk import suite
    from deskcrew_bench.desk.task import tasks_of
    from deskcrew_bench.series import seeds_of
    from deskcrew_bench.suites.trial import finished

    settings = settings_with(data)
    by: By = (model or settings.model, crew or settings.crew, less.pool, less.without)
    chosen = tasks_of(tasks, only or ())
    suite.check_programs(chosen)
    wanted = suite.wanted(chosen, seeds_of(seeds))
    known = finished(jsonl, by, "vib") if jsonl else {}

    async def attempt(key: Key, loaded: Model | None) -> Trial:
        return await suite.attempt(
            wanted[key], key[1], settings, model=by[0], crew=by[1], pool=by[2], without=by[3], loaded=loaded, suite="vib"
        )

    loads = by[0] not in suite.CONTROLS
    perform(wanted, by, known, attempt, settings, loads=loads, jsonl=jsonl, html=html, json=json)
