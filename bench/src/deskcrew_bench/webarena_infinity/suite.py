"""Episodes: an application that has just been started, a task done in it, and its verifier's word on what came of it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import anyio.to_thread

from deskcrew.engine import session
from deskcrew.engine.request import RunRequest
from deskcrew.facts.events import DesktopKind
from deskcrew.facts.observation import Frozen
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.suites.controls import IDLE, Idle, as_control
from deskcrew_bench.suites.others import OWN_SERVER, OthersTrial, told_by, workspace
from deskcrew_bench.suites.playing import Replies, keep_replies, kept_replies
from deskcrew_bench.suites.trial import run_of
from deskcrew_bench.webarena_infinity.apps import Task, served, tasks_of, verified
from deskcrew_bench.webarena_infinity.mutants import mutants
from deskcrew_bench.webarena_infinity.oracles import Oracle, Solution

ORACLE, MUTANTS = "oracle", "mutants"
CONTROLS = (IDLE, ORACLE, MUTANTS)
"""Names of models that are none."""
SITE = "http://application.test"
"""The application's address in kept replies."""
SECONDS, JUDGED_SECONDS = 900.0, 14_400.0
"""Seconds of a run; and of one of which a model says what must hold that may be a person."""
STEPS = 150
"""Operations of a run."""
PLANNED = "planned"
"""The crew of oracles: that a plan is made again tells them that their claim was rejected."""
COMMAND = "deskcrew bench webarena-infinity"


class Trial(OthersTrial):
    """How one episode went; ``task``: application and id. ``missing``: a control that an oracle looked for in vain;
    ``asked``: roles for which no reply was kept."""

    missing: str = ""
    verified_by: str = ""
    asked: tuple[str, ...] = ()


class Judging(Frozen):
    """Who says what must hold in the run of an oracle. ``folder``: of kept replies; ``model``: who is asked instead, '' for
    nobody; ``keep``: whether its replies are kept there."""

    folder: Path
    model: str = ""
    keep: bool = False

    def file(self, task: Task) -> Path:
        """Where a task's replies are."""
        return self.folder / task.app / f"{task.id}.json"


def wanted(
    tasks: Sequence[Task], solutions: dict[str, dict[str, Solution]], model: str, most: int
) -> list[tuple[Task, str, Solution | None]]:
    """What is to be tried: each task with what is wrong with its operations, and these, where they are written down.
    ``most``: mutants of a task, 0 for all."""
    if model not in (ORACLE, MUTANTS):
        return [(task, "", None) for task in tasks]
    chosen: list[tuple[Task, str, Solution | None]] = []
    for task in tasks:
        of_app = solutions.get(task.app, {})
        solution = of_app.get(task.id)
        if solution is None:
            continue
        if model == ORACLE:
            chosen.append((task, "", solution))
        else:
            others = [other for name, other in of_app.items() if name != task.id]
            chosen += [(task, what, wrong) for what, wrong in mutants(solution, others, most)]
    return chosen


async def attempt(
    task: Task,
    settings: Settings,
    *,
    model: str,
    crew: str,
    mutant: str = "",
    solution: Solution | None = None,
    judging: Judging | None = None,
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> Trial:
    """One episode. ``solution``: the operations, where the model is none; ``judging``: whose word counts in it; ``loaded``:
    answers in place of the model. Raises what the session raises, and EnvironmentFailure where the application does not
    start."""
    player: Oracle | None = None
    asks = judging is not None and bool(judging.model)
    limits = settings.limits.model_copy(
        update={
            "seconds": settings.limits.seconds or (JUDGED_SECONDS if asks else SECONDS),
            "operations": STEPS,
            "replies": STEPS + 20,
        }
    )
    with ExitStack() as around:
        address = await anyio.to_thread.run_sync(around.enter_context, served(task.folder))
        folder = around.enter_context(workspace(settings, f"webarena-{task.id}"))
        if solution is not None:
            player = _player(task, solution, judging, address)
            loaded = player
        elif model == IDLE:
            loaded = Idle()
        request = RunRequest(
            task=task.instruction, model=model, crew=crew, workspace=folder, desktop="browser", url=f"{address}/",
            policy=OWN_SERVER, limits=limits,
        )  # fmt: skip
        if model in CONTROLS:
            request = (
                as_control(request, settings) if model == IDLE else replace(request, model=f"scripted:{model}", crew=PLANNED)
            )
        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch)
        seconds = time.perf_counter() - began
        right, said = await anyio.to_thread.run_sync(verified, task, address)
    if player is not None and judging is not None and judging.keep and not mutant:
        keep_replies(judging.file(task), _at(player.said, address, SITE))
    outcome = journal.state.outcome
    return Trial(
        task=task.name, kind=task.kind, model=model, crew=crew, mutant=mutant,
        right=right, said=said, missing=player.missing if player is not None else "",
        verified_by=(outcome.verified_by or "") if outcome is not None else "",
        asked=tuple(player.asked) if player is not None else (), seconds=round(seconds, 1),
        **told_by(journal),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Episodes:
    """Trials on the nodes of a fleet, which are sent the applications in ``apps``, and kept replies in ``replies``.
    ``solutions``: by key, where the model is none."""

    model: str
    crew: str
    solutions: Mapping[tuple[str, str], Solution]
    judged_by: str = ""
    desktop: DesktopKind = "browser"

    @staticmethod
    def files(tasks: Sequence[Task], judging: Judging) -> dict[str, Path]:
        """What goes along for some tasks."""
        replies = {f"replies/{task.app}/{task.id}.json": judging.file(task) for task in tasks}
        return {f"apps/{task.app}": task.folder for task in tasks} | {
            name: file for name, file in replies.items() if file.exists()
        }

    async def attempt(self, key: tuple[str, str], files: Path, settings: Settings, loaded: Model | None) -> Trial:
        """One of them; raises what :func:`attempt` raises."""
        app, _, name = key[0].partition("/")
        (task,) = tasks_of(files / "apps", [app], only=[name])
        return await attempt(
            task, settings, model=self.model, crew=self.crew, mutant=key[1], solution=self.solutions.get(key),
            judging=Judging(folder=files / "replies", model=self.judged_by), loaded=loaded,
        )  # fmt: skip


def _player(task: Task, solution: Solution, judging: Judging | None, address: str) -> Oracle:
    from deskcrew.models import factory

    if judging is None:
        return Oracle(solution, {})
    if judging.model:
        return Oracle(solution, {}, factory.create(judging.model))
    return Oracle(solution, _at(kept_replies(judging.file(task)), SITE, address))


def _at(replies: Replies, place: str, other: str) -> Replies:
    """The replies with another address of the application, which differs from run to run."""
    return {role: [text.replace(place, other) for text in said] for role, said in replies.items()}
