"""What the commands over others' tasks share: a series that goes on where it stopped, told task by task, and its table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from deskcrew.models.client import Model
    from deskcrew.settings import Settings
    from deskcrew_bench.suites.others import OthersTrial

T = TypeVar("T", bound="OthersTrial")
Task = TypeVar("Task")
Key = tuple[str, str]
"""A task's name, and what is wrong with what is done."""


def perform(
    wanted: Sequence[Key],
    known: Mapping[Key, T],
    attempt: Callable[[Key, Model | None], Awaitable[T]],
    settings: Settings,
    *,
    model: str,
    loads: bool,
    jsonl: Path | None,
    json: bool,
) -> None:
    """Do the trials that are not ``known``, tell of each, and show the table of all. ``loads``: the model is a real one,
    which is then one for all of them."""
    import anyio

    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions
    from deskcrew_bench.series import go_on

    async def all_of_them() -> list[T]:
        loaded = create(model, options=ModelOptions.of(settings)) if loads else None

        async def one(key: Key) -> T:
            return await attempt(key, loaded)

        try:
            return await go_on(wanted, known, one, path=jsonl, told=lambda trial: tell(trial, json=json))
        finally:
            if loaded is not None:
                await loaded.close()

    show(anyio.run(all_of_them), json=json)


def over(
    tasks: Mapping[str, Task],
    attempt: Callable[[Task, str, str, Model | None], Awaitable[OthersTrial]],
    settings: Settings,
    *,
    command: str,
    controls: Collection[str],
    model: str | None,
    crew: str | None,
    jsonl: Path | None,
    json: bool,
) -> None:
    """As :func:`perform`, each task once. ``attempt`` is given it, the names of model and crew, and the model, unless that
    is one of ``controls``; ``command``: what makes such files as ``jsonl``."""
    from deskcrew_bench.suites.others import OthersTrial, finished

    name, by = model or settings.model, crew or settings.crew
    known = finished(jsonl, OthersTrial, name, by, command=command)

    async def one(key: Key, loaded: Model | None) -> OthersTrial:
        return await attempt(tasks[key[0]], name, by, loaded)

    wanted = [(each, "") for each in tasks]
    perform(wanted, known, one, settings, model=name, loads=name not in controls, jsonl=jsonl, json=json)


def tell(trial: OthersTrial, *, json: bool) -> None:
    """A trial, on a line."""
    from deskcrew.ways_in.cli.console import console
    from deskcrew_bench.suites.others import line

    console(stderr=json).print(line(trial), soft_wrap=True, markup=False, highlight=False)


def show(trials: Sequence[OthersTrial], *, json: bool, failed: Mapping[str, str] | None = None) -> None:
    """The table, and with ``json`` everything. ``failed``: why there is no result, by names of tasks."""
    from deskcrew.ways_in.cli.console import console, print_json
    from deskcrew_bench.suites.others import lines, table

    rows = table(trials)
    for text in lines(rows):
        console(stderr=json).print(text, soft_wrap=True, markup=False, highlight=False)
    if json:
        listed = {"trials": [each.model_dump(mode="json") for each in trials], "table": [row.model_dump() for row in rows]}
        print_json(listed | ({"failed": failed} if failed else {}))
