"""A desk suite, run: each task with each seed on a desktop of its own, checked by a program the crew knows nothing of."""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.contract import Contract
from deskcrew.facts.events import DesktopKind, Observed
from deskcrew.journal.journal import Journal
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.desk.controls import Oracle, Solution
from deskcrew_bench.desk.task import Made, Task, tasks_of
from deskcrew_bench.suites.controls import IDLE, Idle
from deskcrew_bench.suites.trial import LONGEST, By, Suite, Trial, ended, run_of

ORACLE = "oracle"
CONTROLS = (ORACLE, IDLE)
"""Names of models that are none: one does what ``oracle.json`` says, one does nothing. Both work in the crew ``solo``."""


def wanted(tasks: Iterable[Task], seeds: Iterable[int]) -> dict[tuple[str, int], Task]:
    """Every task with every seed, seed by seed: a series that is interrupted has seen each task."""
    tasks = tuple(tasks)
    return {(task.name, seed): task for seed in seeds for task in tasks}


def check_programs(tasks: Iterable[Task]) -> None:
    """Raise UsageError, with the command that installs them, if Debian packages that ``tasks`` name are missing."""
    tasks = tuple(tasks)
    missing = missing_packages(package for task in tasks for package in task.document.packages)
    if not missing:
        return
    there = [task.name for task in tasks if not missing & {*task.document.packages}]
    lacking = ", ".join(task.name for task in tasks if task.name not in there)
    only = f"    (or without these tasks: --only {' --only '.join(there)})" if there else ""
    raise UsageError(
        f"Programs of these tasks are not installed: {lacking}.",
        hint=f"sudo apt install --no-install-recommends {' '.join(sorted(missing))}{only}",
    )


def missing_packages(packages: Iterable[str]) -> set[str]:
    """Those that are not installed; all of them on a machine without ``dpkg-query``."""
    wanted = {*packages}
    command = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *sorted(wanted)]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout if wanted else ""
    except FileNotFoundError:
        told = ""
    return wanted - {
        name for name, _, status in (line.partition(" ") for line in told.splitlines()) if status == "installed"
    }


def crew_of(model: str, crew: str) -> str:
    """The crew that a trial is done by, where ``crew`` is asked for."""
    return "solo" if model in CONTROLS else crew


async def attempt(
    task: Task,
    seed: int,
    settings: Settings,
    *,
    model: str,
    crew: str,
    pool: bool = True,
    without: tuple[str, ...] = (),
    attempts: int = 1,
    loaded: Model | None = None,
    required: Contract | None = None,
    watch: session.Watch | None = None,
    suite: Suite = "desk",
) -> Trial:
    """Do one task in a fresh folder, up to ``attempts`` times until it is proven. ``loaded``: answers in place of
    ``model``; ``required``: what must hold, where somebody said it. Raises what the session raises, and ConfigError where
    the task is at fault; what a bug of ours raised is in the trial, as ``interrupted``."""
    folder = settings.data / "workspaces" / f"{suite}-{task.name}-{seed}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    made = task.make(seed, folder)
    request = RunRequest(
        task=made.instruction,
        model=model,
        crew=crew_of(model, crew),
        workspace=folder,
        pool=pool,
        without=without,
        attempts=attempts,
        seed=seed,
        network=task.document.network,
        limits=task.limited(settings.limits.model_copy(update={"seconds": settings.limits.seconds or LONGEST})),
        opened=made.apps,
        home=task.document.home,
        screen=made.screen,
        required=required,
    )
    if model in CONTROLS:
        request = replace(request, model=f"scripted:{model}")
        loaded = Idle()
    if model == ORACLE:
        solution = Solution.model_validate(task.oracle(made))
        request, loaded = replace(request, required=solution.contract(made.instruction)), Oracle(solution)
    began = time.perf_counter()
    journal = await run_of(request, settings, loaded, watch)
    seconds = time.perf_counter() - began
    series = {"suite": suite, "regime": regime_of(attempts)}
    return _trial(task, made, seed, folder, journal, (model, crew, pool, without), seconds, series)


def regime_of(attempts: int) -> str:
    """The name of a series with as many attempts at a task; '' if there is one."""
    return f"{attempts} attempts" if attempts > 1 else ""


@dataclass(frozen=True, slots=True)
class Episodes:
    """Trials on the nodes of a fleet, which are sent the folders of the tasks."""

    by: By
    attempts: int = 1
    desktop: DesktopKind = "virtual"

    @property
    def model(self) -> str:
        return self.by[0]

    async def attempt(self, key: tuple[str, int], files: Path, settings: Settings, loaded: Model | None) -> Trial:
        """One of them; raises what :func:`attempt` raises."""
        (task,) = tasks_of(files, [key[0]])
        model, crew, pool, without = self.by
        return await attempt(
            task, key[1], settings,
            model=model, crew=crew, pool=pool, without=without, attempts=self.attempts, loaded=loaded,
        )  # fmt: skip


def _trial(
    task: Task, made: Made, seed: int, folder: Path, journal: Journal, by: By, seconds: float, series: Mapping[str, Any]
) -> Trial:
    what = ended(journal)
    told = {"answer": what["answer"], "outcome": what["outcome"], "reason": what["reason"]}
    right, said = task.check(seed, folder, **told, expected=made.answer)
    if task.document.infeasible and not any(isinstance(event.body, Observed) for event in journal.events):
        right, said = False, "it was refused before anything was looked at"
    return Trial(
        task=task.name, seed=seed, model=by[0], crew=by[1], pool=by[2], without=by[3],
        agents=task.document.agents, infeasible=task.document.infeasible,
        right=right, said=said, seconds=round(seconds, 1),
        **series, **what,
    )  # fmt: skip
