"""A desk suite, run: each task with each seed on a desktop of its own, checked by a program the crew knows nothing of."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from deskcrew import session
from deskcrew.bench.desk_controls import Idle, Oracle
from deskcrew.bench.desk_task import Made, Task
from deskcrew.bench.series import kept
from deskcrew.errors import UsageError
from deskcrew.events import Observed
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import model_replies
from deskcrew.models.client import Model
from deskcrew.observation import Frozen
from deskcrew.request import RunRequest
from deskcrew.settings import Settings

COMMAND = "deskcrew bench desk"
ORACLE, IDLE = "oracle", "no-op"
"""Names of models that are none: one does what ``oracle.json`` says, one does nothing. Both work in the crew ``solo``."""
CONTROLS = (ORACLE, IDLE)
LONGEST = 180.0
"""Seconds of a run where neither task nor settings say."""


By = tuple[str, str, bool]
"""Model, crew and whether it has its pool: trials that have them in common are one series."""


class Trial(Frozen):
    """One task with one seed. ``right``: what the check says. Token counts None: the model does not tell.

    ``agents``: how many the task needs; ``used``: how many did something.
    """

    task: str
    seed: int
    model: str
    crew: str
    pool: bool
    run: str
    agents: int
    used: int
    infeasible: bool
    right: bool
    said: str
    """What the check printed."""
    outcome: str
    reason: str
    why: str
    answer: str
    calls: int
    input: int | None
    output: int | None
    cached: int | None
    seconds: float

    @property
    def success(self) -> bool:
        """Right, and the run says so: ``done``, or refused with a reason where it cannot be done."""
        return self.right and (self.refused if self.infeasible else self.outcome == "done")

    @property
    def refused(self) -> bool:
        return self.outcome == "failed" and self.reason == "infeasible" and bool(self.why.strip())

    @property
    def unverified(self) -> bool:
        """Right, but the run does not say ``done``."""
        return self.right and not self.infeasible and self.outcome != "done"

    @property
    def false(self) -> bool:
        """The run says ``done``, and the check says no, or it cannot be done at all."""
        return self.outcome == "done" and (self.infeasible or not self.right)

    @property
    def key(self) -> tuple[str, int]:
        return self.task, self.seed

    @property
    def by(self) -> By:
        return self.model, self.crew, self.pool


def finished(path: Path, by: By) -> dict[tuple[str, int], Trial]:
    """The trials that ``path`` holds by these. Raises UsageError for a file of another kind."""
    return {trial.key: trial for trial in kept(path, Trial, command=COMMAND) if trial.by == by}


def wanted(tasks: Iterable[Task], seeds: Iterable[int]) -> dict[tuple[str, int], Task]:
    """Every task with every seed, seed by seed: a series that is interrupted has seen each task."""
    tasks = tuple(tasks)
    return {(task.name, seed): task for seed in seeds for task in tasks}


def series_of(path: Path) -> dict[By, list[Trial]]:
    """The trials in ``path`` by model, crew and pool, in the order of the file; of a trial that is there twice the last.
    Raises UsageError where there are none, or for a file of another kind."""
    series: dict[By, dict[tuple[str, int], Trial]] = {}
    for trial in kept(path, Trial, command=COMMAND):
        series.setdefault(trial.by, {})[trial.key] = trial
    if not series:
        raise UsageError(f"There are no trials in {path}.", hint=f"`{COMMAND} --jsonl FILE` makes such a file.")
    return {by: list(trials.values()) for by, trials in series.items()}


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
    loaded: Model | None = None,
    watch: session.Watch | None = None,
) -> Trial:
    """Do one task in a fresh folder. ``loaded``: answers in place of ``model``. Raises what the session raises, and
    ConfigError where the task is at fault."""
    folder = settings.data / "workspaces" / f"desk-{task.name}-{seed}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    made = task.make(seed, folder)
    request = RunRequest(
        task=made.instruction,
        model=model,
        crew=crew_of(model, crew),
        workspace=folder,
        pool=pool,
        seed=seed,
        network=task.document.network,
        limits=task.limited(settings.limits.model_copy(update={"seconds": settings.limits.seconds or LONGEST})),
        opened=made.apps,
        screen=made.screen,
    )
    if model in CONTROLS:
        request = replace(request, model=f"scripted:{model}")
        loaded = Oracle(task.oracle(made)) if model == ORACLE else Idle()
    began = time.perf_counter()
    journal = await session.run(request, settings, model=loaded, watch=watch)
    seconds = time.perf_counter() - began
    return _trial(task, made, seed, folder, journal, (model, crew, pool), seconds)


def _trial(task: Task, made: Made, seed: int, folder: Path, journal: Journal, by: By, seconds: float) -> Trial:
    state, outcome = journal.state, journal.state.outcome
    status = outcome.status if outcome else "interrupted"
    answer, reason = (outcome.answer, outcome.reason) if outcome else ("", "")
    right, said = task.check(seed, folder, answer=answer, outcome=status, reason=reason, expected=made.answer)
    if task.document.infeasible and not any(isinstance(event.body, Observed) for event in journal.events):
        right, said = False, "it was refused before anything was looked at"
    replies = model_replies(journal.events)
    spent, told = state.spent, not state.spent.untold
    return Trial(
        task=task.name, seed=seed, model=by[0], crew=by[1], pool=by[2], run=journal.run,
        agents=task.document.agents,
        used=len({turn.role for turn in state.turns if turn.done}),
        infeasible=task.document.infeasible,
        right=right, said=said,
        outcome=status, reason=reason, why=outcome.why if outcome else state.interrupted, answer=answer,
        calls=len(replies),
        input=spent.input if told else None,
        output=spent.output if told else None,
        cached=spent.cached if told else None,
        seconds=round(seconds, 1),
    )  # fmt: skip
