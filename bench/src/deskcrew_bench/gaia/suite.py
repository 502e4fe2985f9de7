"""Questions of GAIA's form, asked: each with each seed in a folder of its own, its answer compared by GAIA's scorer."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from deskcrew.engine import session
from deskcrew.engine.human.questions import Mode
from deskcrew.engine.human.responder import Responder
from deskcrew.engine.request import MemoryUse, RunRequest
from deskcrew.errors import UsageError
from deskcrew.facts.contract import Contract
from deskcrew.facts.events import DesktopKind
from deskcrew.journal.store import Store
from deskcrew.learning.memory.keeping import memory_of
from deskcrew.models.client import Model
from deskcrew.settings import Settings
from deskcrew_bench.gaia.questions import Question
from deskcrew_bench.gaia.scorer import right
from deskcrew_bench.lies.believer import Believer
from deskcrew_bench.lies.situation import Part
from deskcrew_bench.suites.controls import IDLE, Idle, as_control
from deskcrew_bench.suites.trial import By, Trial, ended, run_of

ORACLE = "oracle"
CONTROLS = (ORACLE, IDLE)
"""Names of models that are none: one is told the answer, one does nothing. Both work in the crew ``solo`` without a
desktop."""
SECONDS = 600.0
"""Of a run where no limit is set."""

Regime = Literal["alone", "active", "recalling"]
REGIMES: dict[Regime, tuple[Mode, MemoryUse]] = {
    "alone": ("automatic", "off"),
    "active": ("active", "on"),
    "recalling": ("automatic", "read"),
}
"""How much of a person and of earlier runs is in a run. COLA's figures are those of ``recalling`` after a person had taken
part in all decisions of other questions, ``active`` (C35)."""


@dataclass(frozen=True)
class Setting:
    """How questions are asked. ``folder``: of their files; ``web``: whether runs reach the network, and the search service
    of the settings."""

    folder: Path
    regime: Regime = "alone"
    desktop: DesktopKind = "virtual"
    web: bool = False

    @property
    def name(self) -> str:
        """What a figure says of it."""
        desktop = [] if self.desktop == "virtual" else [f"desktop {self.desktop}"]
        return ", ".join((self.regime, *desktop, *(["web"] if self.web else [])))


def wanted(questions: Iterable[Question], seeds: Iterable[int]) -> dict[tuple[str, int], Question]:
    """Every question with every seed, seed by seed: a series that is interrupted has seen each question."""
    questions = tuple(questions)
    return {(question.task_id, seed): question for seed in seeds for question in questions}


def check_memory(questions: Collection[Question], settings: Settings) -> None:
    """Raises UsageError where runs that recall would recall nothing, or what was learnt from these very questions."""
    taught = _taught(settings) if settings.remembered.is_file() else set[str]()
    if not taught:
        hint = "First ask other questions with --regime active and the same --data."
        raise UsageError(f"Nothing is remembered in {settings.data}.", hint=hint)
    if known := [question.task_id for question in questions if question.task.strip() in taught]:
        hint = "Ask the others: --level or --only, or another folder."
        raise UsageError(f"The memory in {settings.data} is of these very questions: {', '.join(known)}.", hint=hint)


def _taught(settings: Settings) -> set[str]:
    """The tasks of the runs from which something is remembered."""
    memory = memory_of(settings)
    try:
        runs = {entry.run for entry in memory.all() if entry.run}
    finally:
        memory.close()
    store = Store.of(settings)
    try:
        return {store.row(run).task for run in runs if store.has(run)}
    finally:
        store.close()


async def attempt(
    question: Question,
    seed: int,
    setting: Setting,
    settings: Settings,
    *,
    by: By,
    loaded: Model | None = None,
    human: Responder | None = None,
    watch: session.Watch | None = None,
) -> Trial:
    """Ask a question. ``loaded``: answers in place of the model; ``human``: who takes part where the regime says so. Raises
    what the session raises."""
    model, crew, pool, without = by
    folder = settings.data / "workspaces" / f"gaia-{question.task_id}-{seed}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    mode, memory = REGIMES[setting.regime]
    request = RunRequest(
        task=question.task, model=model, crew=crew, workspace=folder, pool=pool, without=without, seed=seed,
        attachments=(setting.folder / question.file_name,) if question.file_name else (),
        required=Contract(by="human").asking(question.task),
        desktop=setting.desktop, mode=mode, memory=memory, network=setting.web,
        limits=settings.limits.model_copy(update={"seconds": settings.limits.seconds or SECONDS}),
    )  # fmt: skip
    if model in CONTROLS:
        request = replace(as_control(request, settings), desktop="none")
        told = Part((), says=question.answer, answer=question.answer)
        loaded = Believer(told, name=ORACLE) if model == ORACLE else Idle()
    try:
        began = time.perf_counter()
        journal = await run_of(request, settings, loaded, watch, human, search=setting.web)
        seconds = time.perf_counter() - began
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    what = ended(journal)
    good = right(what["answer"], question.answer)
    return Trial(
        suite="gaia", task=question.task_id, seed=seed, model=model, crew=crew, pool=pool, without=without,
        level=question.level, regime=setting.name, agents=1, infeasible=False,
        # Not what it should have been: the answers are their owner's, and files of trials are handed around.
        right=good, said="" if good else f"{what['answer']!r} is not the answer", seconds=round(seconds, 1),
        lost=what["reason"] == "environment",
        **what,
    )  # fmt: skip
