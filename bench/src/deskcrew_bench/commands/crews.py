"""``deskcrew bench crews``: the crews that come with Deskcrew, and each without what its paper shows the worth of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, settings_with
from deskcrew_bench.commands.compare import compare
from deskcrew_bench.commands.desk import HERE, TasksOption
from deskcrew_bench.commands.series import ModelOption
from deskcrew_bench.commands.strong import FOLDER as STRONG
from deskcrew_bench.commands.suite import HtmlOption, Key, OnlyOption, SeedsOption, perform

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from deskcrew.engine.roles.crew import Switch
    from deskcrew.models.client import Model
    from deskcrew_bench.desk.task import Task
    from deskcrew_bench.suites.trial import By, Trial

WITHOUT: dict[str, tuple[tuple[Switch, ...], ...]] = {
    "default": (),
    "planned": (),
    "solo": (),
    "cola": (("reviewer",), ("memory",)),
    "mmac": (("checker",),),
    "friday": (("checker",), ("skills",)),
    "coact": (("planner",), ("checker",), ("force-stop",)),
}
"""The crews, each with what it is also measured without: reviewer and memory of COLA, the mentor of MMAC-Copilot, the critic
and the tools of FRIDAY, the global planner, the checks and the force stop of CoAct. COLA's pool is left out as well."""
POOLED = "cola"
CrewsOption = Annotated[
    list[str] | None, typer.Option("--crew", metavar="CREW", help="Only this crew, and it with less; repeatable.")
]
SeriesOption = Annotated[
    Path, typer.Option("--jsonl", metavar="FILE", help="Keep each trial here, and do not repeat those that it holds.")
]
StrongOption = Annotated[
    bool,
    typer.Option(
        "--strong",
        help="By the kept replies of a strong model: those chores of bench/strong, in English, that each crew has some to.",
    ),
]


def crews(
    jsonl: SeriesOption,
    tasks: TasksOption = HERE,
    model: ModelOption = None,
    crew: CrewsOption = None,
    seeds: SeedsOption = "1",
    only: OnlyOption = None,
    strong: StrongOption = False,
    html: HtmlOption = None,
    data: DataOption = None,
) -> None:
    """The same chores by every crew, and by each without a part of its paper's: one table, differences with intervals.

    A series that was interrupted goes on; `deskcrew bench compare FILE --json` prints the table for programs. Exit code 1
    where a bug of deskcrew ended a trial, or one was lost.
    """
    from deskcrew.errors import UsageError
    from deskcrew_bench.desk import suite
    from deskcrew_bench.desk.strong import MODEL, Player, replies_to
    from deskcrew_bench.desk.task import tasks_of
    from deskcrew_bench.series import seeds_of
    from deskcrew_bench.suites.trial import finished

    settings = settings_with(data)
    if unknown := sorted(set(crew or ()) - set(WITHOUT)):
        raise UsageError(f"There is no crew {unknown[0]!r} to compare.", hint=f"There are: {', '.join(WITHOUT)}.")
    names = crew or tuple(WITHOUT)
    if strong:
        if model or seeds != "1":
            raise UsageError("--strong goes by replies that were kept, of seed 1.", hint="Leave out --model and --seeds.")
        series = variants(MODEL, names)
        wanted = suite.wanted(answered(STRONG if tasks == HERE else tasks, series, only or ()), (1,))
    else:
        wanted = suite.wanted(tasks_of(tasks, only or ()), seeds_of(seeds))
        series = variants(model or settings.model, names)
    for by in series:

        async def attempt(key: Key, loaded: Model | None, by: By = by) -> Trial:
            answers = Player(replies_to(wanted[key], *by[1:]), None) if strong else loaded
            return await suite.attempt(
                wanted[key], key[1], settings, model=by[0], crew=by[1], pool=by[2], without=by[3], loaded=answers
            )

        known = finished(jsonl, by, "desk")
        loads = by[0] not in (*suite.CONTROLS, MODEL)
        perform(wanted, by, known, attempt, settings, loads=loads, jsonl=jsonl, html=None, json=False)
    if len(series) > 1:
        compare([jsonl], html=html)


def variants(model: str, crews: tuple[str, ...] | list[str]) -> list[By]:
    """Which series there are: each crew whole, then with less."""
    found: list[By] = []
    for crew in crews:
        found.append((model, crew, True, ()))
        if crew == POOLED:
            found.append((model, crew, False, ()))
        found += [(model, crew, True, without) for without in WITHOUT[crew]]
    return found


def answered(folder: Path, series: Sequence[By], only: Collection[str] = ()) -> tuple[Task, ...]:
    """The chores, in English, to which all of these series have replies of a strong model. Raises UsageError."""
    from deskcrew.errors import UsageError
    from deskcrew_bench.desk.strong import replies_to
    from deskcrew_bench.desk.task import tasks_of
    from deskcrew_bench.suites.text import named

    tasks = tasks_of(folder, tuple(only), "en")
    common = tuple(task for task in tasks if all(replies_to(task, *by[1:]) for by in series))
    if not common:
        hint = "`deskcrew bench strong --model MODEL --language en --crew CREW` keeps those of a model, also with --no-pool."
        names = "; ".join(named(by) for by in series)
        raise UsageError(f"No chore has kept replies to all of these: {names}.", hint=hint)
    return common
