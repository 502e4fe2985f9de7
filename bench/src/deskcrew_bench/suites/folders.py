"""Tasks over files that others made: begun in a folder, done there by a crew or made right, and checked by their checker."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import anyio.to_thread

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.suites.controls import IDLE
from deskcrew_bench.suites.others import OthersTrial, told_by, workspace
from deskcrew_bench.suites.trial import run_of

RIGHT = "right"
CONTROLS = (IDLE, RIGHT)
"""Names of models that are none: a folder in which nothing was done, and one with a result made to be right. No run makes
them."""
SECONDS = 900.0
"""Of a run where no limit is set."""
HELD = "held before"
"""The kind of tasks whose checker is satisfied with what they begin with: they measure nothing."""
NOTHING: Mapping[str, Any] = {"answer": "", "outcome": "", "reason": ""}
"""What is told of a run where there was none."""


class FolderTask(Protocol):
    """A task over files. ``kind``: a row of the table."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    def request(self, folder: Path) -> RunRequest:
        """What a run in ``folder`` is asked."""
        ...

    def begin(self, folder: Path) -> None:
        """Fill ``folder`` with what the task begins with."""
        ...

    def checked(self, folder: Path, told: Mapping[str, Any]) -> tuple[bool, str]:
        """Whether the checker takes ``folder`` for right, and what it says. ``told``: of the run. Blocking."""
        ...


T = TypeVar("T", bound=FolderTask)
MakeRight = Callable[[T, Path], Mapping[str, Any] | None]
"""Makes in a folder a result that is right, and says what a run would have told where that is not in files."""


async def trial(
    task: T, settings: Settings, *, model: str, crew: str, loaded: Model | None, make_right: MakeRight[T]
) -> OthersTrial:
    """One task, by a model or a control. Raises what the session raises."""
    if model not in CONTROLS:
        return await attempt(task, settings, model=model, crew=crew, loaded=loaded)
    return await anyio.to_thread.run_sync(partial(control, task, settings, model=model, crew=crew, make_right=make_right))


def control(task: T, settings: Settings, *, model: str, crew: str, make_right: MakeRight[T]) -> OthersTrial:
    """What the checker says of a result that no run made. Blocking."""
    began = time.perf_counter()
    with workspace(settings, "others") as folder:
        task.begin(folder)
        told = make_right(task, folder) if model == RIGHT else None
        right, said = task.checked(folder, told or NOTHING)
    return OthersTrial(
        task=task.name, kind=task.kind, model=model, crew=crew, right=right, said=said,
        seconds=round(time.perf_counter() - began, 1),
    )  # fmt: skip


async def attempt(
    task: FolderTask,
    settings: Settings,
    *,
    model: str,
    crew: str,
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> OthersTrial:
    """Do one task. ``loaded``: answers in place of the model. Raises what the session raises."""
    with workspace(settings, "others") as folder:
        await anyio.to_thread.run_sync(task.begin, folder)
        held, _ = await anyio.to_thread.run_sync(task.checked, folder, NOTHING)
        limits = settings.limits.model_copy(update={"seconds": settings.limits.seconds or SECONDS})
        request = replace(task.request(folder), model=model, crew=crew, workspace=folder, limits=limits)
        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch)
        seconds = time.perf_counter() - began
        told = told_by(journal)
        right, said = await anyio.to_thread.run_sync(task.checked, folder, told)
    return OthersTrial(
        task=task.name, kind=HELD if held else task.kind, model=model, crew=crew, right=right, said=said,
        seconds=round(seconds, 1), **told,
    )  # fmt: skip
