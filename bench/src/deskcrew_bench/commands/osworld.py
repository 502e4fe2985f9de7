"""``deskcrew bench osworld``: tasks on a desktop that others made."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deskcrew.ways_in.cli.options import DataOption, JsonOption, settings_with
from deskcrew_bench.commands.series import CrewOption, JsonlOption, ModelOption
from deskcrew_bench.commands.suite import OnlyOption

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deskcrew.models.client import Model
    from deskcrew_bench.osworld.suite import Begun
    from deskcrew_bench.osworld.tasks import Task
    from deskcrew_bench.suites.others import OthersTrial

HERE = Path("bench/osworld")
CloneOption = Annotated[Path, typer.Option("--tasks", metavar="DIR", help="A clone of OSWorld or WindowsAgentArena.")]
FilesOption = Annotated[
    Path | None, typer.Option("--files", metavar="DIR", help="A copy of the files that its tasks fetch, by path.")
]
PythonOption = Annotated[
    Path, typer.Option("--python", metavar="FILE", help="Has what its evaluators need.", show_default="this one")
]


def osworld(
    tasks: CloneOption,
    only: OnlyOption = None,
    domain: Annotated[str, typer.Option("--domain", metavar="NAME", help="Tasks of this domain only.")] = "",
    files: FilesOption = None,
    python: PythonOption = Path(sys.executable),
    by_hand: Annotated[Path, typer.Option("--by-hand", metavar="DIR", help="Right results, ID.py.")] = HERE / "right",
    listed: Annotated[bool, typer.Option("--list", help="Do nothing: count what can be had here, and say why not.")] = False,
    model: ModelOption = None,
    crew: CrewOption = None,
    jsonl: JsonlOption = None,
    json: JsonOption = False,
    data: DataOption = None,
) -> None:
    """OSWorld's tasks, as far as they can be had offline: right by its own evaluators, and said to be done? A model may also
    be no-op or right (nothing done, and a result made by hand), the controls.

    Exit code 0 when every trial ran, whatever came of it. With --jsonl a series that was interrupted goes on.
    """
    from deskcrew.errors import UsageError
    from deskcrew_bench.commands.others import over
    from deskcrew_bench.osworld.suite import Begun, Place
    from deskcrew_bench.osworld.tasks import tasks_of
    from deskcrew_bench.suites import folders

    settings = settings_with(data)
    place = Place(tasks, files, python, by_hand)
    found = tasks_of(tasks, only or (), domain)
    reasons = place.reasons(found)
    if listed:
        _count(found, reasons, json=json)
        return
    if only and (refused := next((task.name for task in found if reasons[task.name]), "")):
        raise UsageError(f"{refused} cannot be had here: {reasons[refused]}.", hint="--list says it of all.")
    there = {task.name: Begun(task, place) for task in found if not reasons[task.name]}
    if model == folders.RIGHT and not only:
        there = {name: task for name, task in there.items() if task.has_right()}
    if not there:
        raise UsageError("None of these tasks can be had here.", hint="--list says why not.")

    async def attempt(task: Begun, name: str, by: str, loaded: Model | None) -> OthersTrial:
        return await folders.trial(task, settings, model=name, crew=by, loaded=loaded, make_right=Begun.make_right)

    over(
        there, attempt, settings, command="deskcrew bench osworld",
        controls=folders.CONTROLS, model=model, crew=crew, jsonl=jsonl, json=json,
    )  # fmt: skip


def _count(tasks: Sequence[Task], reasons: Mapping[str, str], *, json: bool) -> None:
    from deskcrew.ways_in.cli.console import console, print_json

    if json:
        print_json({task.name: {"domain": task.kind, "why_not": reasons[task.name]} for task in tasks})
        return
    for kind in sorted({task.kind for task in tasks}):
        of = [task for task in tasks if task.kind == kind]
        here = sum(not reasons[task.name] for task in of)
        offline = sum(not task.why_not() for task in of)
        text = [f"{kind}: {len(of)} tasks, {offline} can be had offline with their files and programs, {here} of them here"]
        text += [f"    {task.name}: {reasons[task.name]}" for task in of if reasons[task.name]]
        console().print("\n".join(text), soft_wrap=True, markup=False, highlight=False)
