"""Replaying a run: the real engine over recorded parts, on any machine, without a model and without a desktop.

Every event that the engine produces must equal the recorded one: docs/design/repair.md says what is compared. Nothing
is written.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from deskcrew.actions.added import by_name
from deskcrew.actions.sandbox import Sandbox
from deskcrew.engine import session, steps
from deskcrew.engine.context import Run
from deskcrew.engine.replay.cassette import (
    RecordedDesk,
    RecordedFiles,
    RecordedMemory,
    RecordedPoints,
    RecordedPreview,
    TapedModel,
    recorded_actions,
)
from deskcrew.engine.replay.compare import Difference
from deskcrew.engine.replay.person import RecordedPerson
from deskcrew.engine.replay.tape import Differs, ProcessEnded, Tape, TapedJournal
from deskcrew.engine.request import request_of
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.errors import UsageError
from deskcrew.facts.events import AttemptsShown, CandidatesTried, Event, GoalSet, RunResumed, newest_first
from deskcrew.journal.journal import Journal, path_to
from deskcrew.learning.repeating.demonstration import TAUGHT
from deskcrew.models.client import Profile
from deskcrew.settings import Limits


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay. ``events`` and ``prompts``: how many were equal; ``seconds``: how long it took."""

    run: str
    events: int
    prompts: int
    seconds: float
    difference: Difference | None = None

    @property
    def equal(self) -> bool:
        return self.difference is None


async def replay(journal: Journal, head: Event | None = None) -> Replayed:
    """Run a recorded branch again. ``head``: the branch's last event; None: that of the run's current branch.

    Raises UsageError if the journal lacks what a replay needs: texts were redacted, or it is too old.
    """
    path = path_to(journal.all, head) if head is not None else list(journal.events)
    started = journal.state.started
    if redacted := [event.number for event in path if event.id in journal.redacted]:
        told = f"Run {journal.run} cannot be replayed: its texts were removed (event {redacted[0]})."
        raise UsageError(told, hint="Ask for an export without --redact-text.")
    if started is not None and (did := started.settings.replay) is not None:
        told = f"Run {journal.run} is a live replay, made without the parts that a replay of its record needs."
        hint = f"Try the skill again: {did.skill}." if did.skill else f"Replay the run that it repeated: {did.run}."
        raise UsageError(told, hint=hint)
    if started is not None and started.settings.making is not None:
        told = f"Run {journal.run} made a skill: it has no task that could be replayed."
        raise UsageError(told, hint="Make the skill again: deskcrew skill make")
    if started is not None and started.crew == TAUGHT:
        told = f"Run {journal.run} was demonstrated by a person, so there is no crew whose replies could be replayed."
        raise UsageError(told, hint=f"Keep it as a skill, and try that: deskcrew skill keep {journal.run}")
    if started is None or not started.profile:
        raise UsageError(
            f"Run {journal.run} cannot be replayed: the version of Deskcrew that made it did not record enough."
        )
    by_rules = started.profile.get("free_text") == "none" or any(
        isinstance(event.body, GoalSet) and event.body.checks for event in path
    )
    if by_rules:
        told = f"Run {journal.run} cannot be replayed: rules of an earlier version read its task, and this one has none."
        raise UsageError(told, hint="You can still use deskcrew log, show, verify and export.")
    if any(isinstance(event.body, CandidatesTried) for event in path):
        told = f"Run {journal.run} cannot be replayed: several candidate programs were tried for a step, now one is."
        raise UsageError(told, hint="You can still use deskcrew log, show, verify and export.")
    crew = recorded_crew(journal)
    again = TapedJournal(journal, Tape(path))
    began = time.perf_counter()
    difference: Difference | None = None
    try:
        await _all_processes(again, crew)
    except Differs as differs:
        difference = differs.difference
    seconds = round(time.perf_counter() - began, 3)
    return Replayed(journal.run, again.tape.at, again.prompts, seconds, difference)


async def _all_processes(journal: TapedJournal, crew: Crew) -> None:
    """Run one loop for each recorded process, one after another."""
    tape = journal.tape
    while tape.left:
        journal.take_ends()
        if not tape.left:
            return
        comparing = journal.state.comparing is not None
        if journal.state.outcome is not None and not comparing:
            raise tape.missing("nothing: the run has ended")
        try:
            await session.go_on(journal, lambda: _assembled(journal, crew), steps.compare if comparing else session.loop)
        except ProcessEnded:
            continue
        if not tape.ended():
            raise tape.missing("nothing: the run has ended")


def _assembled(journal: TapedJournal, crew: Crew) -> Run:
    """The run's parts as :func:`deskcrew.engine.session.assemble` wires them; what reaches outside is replaced by a recorded
    part."""
    begun = journal.state.started
    assert begun is not None
    request = request_of(journal)
    later = list(newest_first(journal.events, RunResumed, AttemptsShown))
    settings = next((body.settings for body in later if isinstance(body, RunResumed) and body.profile), begun.settings)
    asked = next((body for body in later if body.profile), begun)
    limits, network, unsafe = Limits.model_validate(settings.limits), settings.network, settings.unsafe_host
    request = replace(request, limits=limits, network=network, unsafe_host=unsafe)
    workspace = request.workspace
    assert workspace is not None
    desk = RecordedDesk(journal, workspace, settings, desktop=begun.desktop != "none")
    sandbox = Sandbox(workspace, network=network, unsafe_host=unsafe, hosts=settings.hosts)
    models = {"": TapedModel(journal, asked.model, Profile.model_validate(asked.profile))}
    run = session.assemble(
        request, journal, crew, session.Parts(desk, sandbox, dict(models)), RecordedPerson(journal), RecordedMemory(journal)
    )
    run.record.began = math.inf  # how long it took is recorded as the verdict that came of it
    files = RecordedFiles(journal)
    run.surroundings.actions = recorded_actions(run.surroundings.actions, journal, by_name(crew.added))
    run.surroundings.preview = RecordedPreview(journal)
    run.surroundings.saves.points = RecordedPoints(journal, workspace)
    run.record.read, run.record.picture = files.text, files.picture
    return run
