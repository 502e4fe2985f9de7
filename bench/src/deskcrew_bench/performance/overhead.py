"""What the engine itself costs a turn: everything but model, application, perception and sandbox.

A turn is from one judgement of a subtask to the next: commit, prompt, schema, reply, guard, one file written, a look at
the workspace, two judgements. The model answers from a script, and what model, action and look take is measured and
taken off; what is left is the engine's. Thread changes, events, hashes, blobs and commits are all in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio

from deskcrew.actions import builtin
from deskcrew.actions.action import Action
from deskcrew.engine import session
from deskcrew.engine.context import Run
from deskcrew.engine.human.responder import Nobody
from deskcrew.engine.request import RunRequest, prepare
from deskcrew.environments.desk import Desk
from deskcrew.evidence.required import check_of, contract_of
from deskcrew.facts.events import Event, Judged
from deskcrew.facts.observation import Observation
from deskcrew.journal.store import Store
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew.settings import Limits, Settings
from deskcrew_bench.figure import Figure, summarise

TURNS_PER_RUN = 8
"""A chore's worth: a plan may hold eight subtasks, each done in one turn here."""
ALTERNATIVE = "the same turns, journal not synchronous"


@dataclass
class Clock:
    """What was spent outside the engine, and when each turn ended."""

    outside: float = 0.0
    turns: list[float] = field(default_factory=list[float])
    """Seconds of each turn that were the engine's."""
    actions: dict[str, Action] = field(default_factory=dict[str, Action])
    _began: float | None = None
    _before: float = 0.0

    def __post_init__(self) -> None:
        # Made once: the engine keeps what it made of an action, as long as it is the same one.
        self.actions = {name: replace(action, run=self.timed(action.run)) for name, action in builtin().items()}

    def begin(self) -> None:
        """Count no turn across two runs."""
        self._began = None

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """``function``, its time counted as spent outside."""

        def call(*arguments: Any) -> Any:
            started = time.perf_counter()
            try:
                return function(*arguments)
            finally:
                self.outside += time.perf_counter() - started

        call.__doc__ = function.__doc__  # prompts are made from it
        return call

    def watch(self, event: Event) -> None:
        """Called for each event as it is appended, before it is committed: the commit belongs to the turn begun here."""
        if not isinstance(event.body, Judged) or event.body.scope != "subtask":
            return
        now = time.perf_counter()
        if self._began is not None:
            self.turns.append(now - self._began - (self.outside - self._before))
        self._began, self._before = now, self.outside


class _TimedDesk(Desk):
    """A desk whose looks are timed."""

    def __init__(self, desk: Desk, clock: Clock) -> None:
        super().__init__(desk.workspace, desk.desktop)
        self._look = clock.timed(desk.observe)

    def observe(self, beside: Observation | None = None) -> Observation:
        return self._look(beside)


class _TimedModel(ScriptedModel):
    """A scripted model whose time is counted as spent outside."""

    def __init__(self, replies: Sequence[Reply], clock: Clock) -> None:
        profile = Profile(name="scripted", schema_mode="grammar", free_text="short", scripted=True)
        super().__init__(replies, profile=profile)
        self._clock = clock

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        started = time.perf_counter()
        try:
            return await super().answer(call, type)
        finally:
            self._clock.outside += time.perf_counter() - started


def measure(folder: Path, *, turns: int = 64) -> Figure:
    """Milliseconds of overhead a turn, journal and workspace in ``folder``. Blocking. ``folder`` must exist.

    Runs with a synchronous journal and runs without take turns, so that both see the same machine.
    """
    durable, relaxed = Clock(), Clock()
    number = 0
    while len(durable.turns) < turns:
        for clock in (durable, relaxed):
            anyio.run(_one_run, folder, f"r{number}", clock, clock is durable)
            number += 1
    return summarise(
        [seconds * 1000 for seconds in durable.turns],
        "ms a turn",
        alternative=ALTERNATIVE,
        against=[seconds * 1000 for seconds in relaxed.turns],
    )


async def _one_run(folder: Path, name: str, clock: Clock, durable: bool) -> None:
    """One run of :data:`TURNS_PER_RUN` turns. The first is not counted: it makes what later ones find."""
    clock.begin()
    settings = Settings(data=folder, models=folder, config=folder)
    workspace = folder / name
    workspace.mkdir()
    texts = [f"line {number} of {TURNS_PER_RUN}" for number in range(1, TURNS_PER_RUN + 1)]
    files = [f"part-{number}.txt" for number in range(1, TURNS_PER_RUN + 1)]
    request = RunRequest(
        task=". ".join(f'Write "{text}" into {file}' for text, file in zip(texts, files, strict=True)) + ".",
        crew="planned",
        workspace=workspace,
        desktop="none",
        required=contract_of([check_of(f"file_contains {file} {text!r}") for text, file in zip(texts, files, strict=True)]),
        limits=Limits(operations=1000, replies=1000),
    )
    crew = prepare(request, settings)
    model = _TimedModel(_replies(texts, files), clock)
    async with session.parts(request, settings, workspace, model, lambda _: None) as (desk, sandbox, models):
        store = Store(settings.journal, durable=durable)
        journal = store.create(session.started(request, crew, desk, model), run=name)
        journal.watchers.append(clock.watch)

        def assembled() -> Run:
            run = session.assemble(request, journal, crew, session.Parts(_TimedDesk(desk, clock), sandbox, models), Nobody())
            run.surroundings.actions = {
                name: clock.actions.get(name, action) for name, action in run.surroundings.actions.items()
            }
            return run

        outcome = await session.go_on(journal, assembled)
        store.close()
        if outcome is None or outcome.status != "done":  # what did not happen cannot be timed
            raise AssertionError(f"the measured run did not end done: {outcome}")


def _replies(texts: Sequence[str], files: Sequence[str]) -> list[Reply]:
    """The planner gives every subtask to the FileManager, who writes one file in each turn."""
    goals = [f'write "{text}" into {file}' for text, file in zip(texts, files, strict=True)]
    plan: Reply = {"subtasks": [{"goal": goal, "role": "FileManager"} for goal in goals]}
    writes: list[Reply] = [
        {
            "operations": [{"function": "write_file", "file_path": file, "text": text}],
            "branch": "RoleTaskFinish",
        }
        for text, file in zip(texts, files, strict=True)
    ]
    return [plan, *writes]
