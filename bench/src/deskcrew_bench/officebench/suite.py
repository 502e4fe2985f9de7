"""Trials of OfficeBench: a task done in a copy of its folder, by a model or by a control, and checked."""

from __future__ import annotations

import time

import anyio.to_thread

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.officebench.right import make_right
from deskcrew_bench.officebench.tasks import Task
from deskcrew_bench.suites.controls import IDLE
from deskcrew_bench.suites.others import OthersTrial, told_by, workspace
from deskcrew_bench.suites.trial import run_of

COMMAND = "deskcrew bench officebench"
RIGHT = "right"
CONTROLS = (IDLE, RIGHT)
"""Names of models that are none: a folder in which nothing was done, and one made to fit the checks. No run makes them."""
SECONDS = 900.0
"""Of a run where no limit is set."""
HELD = "held before"
"""The kind of tasks whose checker is satisfied with what they begin with: they measure nothing."""


def control(task: Task, settings: Settings, model: str, crew: str) -> OthersTrial:
    """What the checker says of a result that no run made. Blocking."""
    began = time.perf_counter()
    with workspace(settings, "officebench") as folder:
        task.begin(folder)
        if model == RIGHT:
            make_right(task, folder)
        right, said = task.checked(folder)
    return OthersTrial(
        task=task.name, kind=task.kind, model=model, crew=crew, right=right, said=said,
        seconds=round(time.perf_counter() - began, 1),
    )  # fmt: skip


async def attempt(
    task: Task,
    settings: Settings,
    *,
    model: str,
    crew: str,
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> OthersTrial:
    """Do one task. ``loaded``: answers in place of the model. Raises what the session raises."""
    with workspace(settings, "officebench") as folder:
        task.begin(folder)
        held, _ = await anyio.to_thread.run_sync(task.checked, folder)
        limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or SECONDS})
        request = RunRequest(task=task.instruction, model=model, crew=crew, workspace=folder, limits=limits)
        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch)
        seconds = time.perf_counter() - began
        told = told_by(journal)
        right, said = await anyio.to_thread.run_sync(task.checked, folder, told["answer"])
    return OthersTrial(
        task=task.name, kind=HELD if held else task.kind, model=model, crew=crew, right=right, said=said,
        seconds=round(seconds, 1), **told,
    )  # fmt: skip
