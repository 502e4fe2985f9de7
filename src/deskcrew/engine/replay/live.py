"""Repeats a recorded run on a live desktop, without a model: composition root of ``deskcrew replay --live``.

The repetition is a run of its own, with its own guard, limits and sandbox. See docs/design/repair.md.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn, Unpack

import anyio.to_thread

from deskcrew.engine import session
from deskcrew.engine.context import Run
from deskcrew.engine.human.responder import Nobody, Responder
from deskcrew.engine.notifying import pushing
from deskcrew.engine.programs import programs_of
from deskcrew.engine.replay.doing import PATIENCE, Doing, Mismatch, done_so_far
from deskcrew.engine.replay.picture import side_by_side
from deskcrew.engine.request import (
    RunRequest,
    able_again,
    prepare,
    removed_unless_begun,
    request_of,
    secrets_of,
    settings_of,
    usual,
    workspace_of,
)
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.recorded import recorded_crew
from deskcrew.engine.session import Beside
from deskcrew.engine.steps.ending import finish
from deskcrew.engine.surroundings import Surroundings
from deskcrew.environments.manifest import Manifest
from deskcrew.environments.pointing import POINTING
from deskcrew.environments.restoring import restore
from deskcrew.environments.save_point import SavePoints
from deskcrew.errors import EnvironmentFailure, UsageError
from deskcrew.facts.events import Earlier, Event, RunResumed, RunStarted
from deskcrew.facts.no_file import no_file
from deskcrew.facts.run_settings import Repetition
from deskcrew.facts.verdict import Outcome, Verdict
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import REPLAY
from deskcrew.learning.repeating.recording import Recording, recording
from deskcrew.learning.repeating.values import Replacing, Value, find_values, read_sets
from deskcrew.models.client import Answer, Call, Profile, T
from deskcrew.settings import Settings

HANDED = "handed over"
"""The key of the crew's model until the crew takes over: nobody may call it before."""
PICTURES = "pictures"


class NoModel:
    """Stands in for a model where none may be called."""

    name = "none"
    profile = Profile(name="none")

    async def answer(self, call: Call, type: type[T]) -> Answer[T]:
        self._refuse()

    async def close(self) -> None:
        """Nothing to release."""

    def _refuse(self) -> NoReturn:
        raise AssertionError("a live replay asked a model")


@dataclass(frozen=True, slots=True)
class LiveRequest:
    """How a recorded run is to be repeated. ``run``: what :func:`request_again` returns, with a person's changes.

    ``sets``: new values as typed, ``name=value``. ``picture``: where the picture of a mismatch goes; None: beside the
    journal. ``hand_over``: the crew takes over at a mismatch. ``patience``: seconds to wait for the screen.
    """

    run: RunRequest
    sets: tuple[str, ...] = ()
    hand_over: bool = False
    picture: Path | None = None
    patience: float = PATIENCE


@dataclass(slots=True)
class Live:
    """The result of a live replay. ``mismatch``: None if all was as recorded. ``picture``: the file with a picture of it."""

    journal: Journal
    mismatch: Mismatch | None = None
    picture: Path | None = None
    set: dict[str, str] = field(default_factory=dict[str, str])


def request_again(journal: Journal, settings: Settings) -> RunRequest:
    """The request of a recorded run, for repeating it.

    What a person had allowed for that run alone is left out: network, hosts, secrets, no sandbox; so is its workspace.
    From an imported run only the task is taken: the model, the desktop, the sign-in and the page are chosen by whoever
    repeats it here, not by whoever made the file.
    """
    request = request_of(journal)
    if journal.imported():
        return replace(usual(settings), task=request.task)
    return replace(
        request, workspace=None, attachments=(), network=False, hosts=(), unsafe_host=False, secrets=(), memory="off"
    )


def values_of(journal: Journal, head: Event | None = None) -> tuple[Value, ...]:
    """The values of a recorded branch that can be replaced. Raises UsageError if the branch cannot be repeated."""
    found = recording(journal, head)
    return find_values(found.started.task, found.started.attachments, found.steps, found.program)


async def replay_live(
    source: Journal, head: Event | None, live: LiveRequest, settings: Settings, **beside: Unpack[Beside]
) -> Live:
    """Repeat a recorded branch (``head``: its last event, None: that of the run's current branch) as a new run.

    ``model`` replaces the one that a hand-over uses; nothing else calls one. Raises
    UsageError before anything is started, EnvironmentFailure if a part cannot be started; once the run has begun,
    failures become its outcome.
    """
    found = recording(source, head)
    chore = RepeatedTask(
        recording=found,
        values=find_values(found.started.task, found.started.attachments, found.steps, found.program),
        crew=prepare(live.run, settings) if source.imported() else able_again(recorded_crew(source), settings),
        secrets=frozenset(secrets_of(source)),
        files=frozenset(Manifest.from_bytes(source.read_blob(found.files)).by_path if found.files else ()),
        # Of a run from elsewhere that would be the words of whoever made the file.
        earlier=() if source.imported() else found.started.earlier,
    )
    return await repeat(chore, live, settings, **beside)


@dataclass(frozen=True, slots=True)
class RepeatedTask:
    """What is to be repeated, and what that needs. ``crew``: the crew whose rules apply, and that goes on after a hand-over;
    ``secrets``: names of the secrets that were typed; ``files``: files that existed at the beginning; ``of``: what else the
    new run's first event says about the repetition."""

    recording: Recording
    values: tuple[Value, ...]
    crew: Crew
    secrets: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    earlier: tuple[Earlier, ...] = ()
    of: Repetition = field(default_factory=Repetition)


async def repeat(chore: RepeatedTask, live: LiveRequest, settings: Settings, **beside: Unpack[Beside]) -> Live:
    """Repeat a task as a run of its own, with notifications as for any run; see :func:`replay_live`."""
    async with pushing(settings, live.run.task, beside) as told:
        return await _repeated(chore, live, settings, told)


async def _repeated(chore: RepeatedTask, live: LiveRequest, settings: Settings, beside: Beside) -> Live:
    from deskcrew.models.factory import create
    from deskcrew.models.options import ModelOptions

    found, crew = chore.recording, chore.crew
    sets = read_sets(live.sets, chore.values)
    request = _checked(live.run, chore)
    request, policy = session.ruled(request, settings, crew)
    _needs(chore, request, sets)
    place = await anyio.to_thread.run_sync(_workspace, found, request, settings, sets)
    replacing = Replacing(chore.values, sets, paths={found.started.workspace: str(place[0])})
    request = replace(request, task=replacing.text(request.task))
    points = any(step.operation.function in POINTING for step in found.steps)
    events = tuple(step.number for step in found.steps)
    repeated = chore.of.model_copy(update={"run": found.run, "events": events, "set": sets})

    def first(started: RunStarted) -> RunStarted:
        told = started.settings.model_copy(update={"replay": repeated})
        return started.model_copy(update={"crew": REPLAY, "profile": {}, "settings": told, "earlier": chore.earlier})

    alone: Beside = {**beside, "model": NoModel()}
    begun = session.beginning(request, settings, crew, place, alone, first, policy, points=points)
    async with begun as (journal, parts):
        if live.hand_over:
            parts.models[HANDED] = beside.get("model") or create(request.model, options=ModelOptions.of(settings))
        result, human = Live(journal, set=sets), beside.get("human") or Nobody()
        handing = _Handing(live, settings, found, request, crew, parts, human, result)
        doing = Doing(found, replacing, handing.mismatched, patience=live.patience)
        await session.go_on(journal, lambda: handing.assembled(alone=True), doing.until_done)
    return result


@dataclass(frozen=True, slots=True)
class _Handing:
    """The parts of one live replay, and what is done with them when the screen is not as recorded."""

    live: LiveRequest
    settings: Settings
    recording: Recording
    request: RunRequest
    crew: Crew
    parts: session.Parts
    human: Responder
    result: Live

    def assembled(self, *, alone: bool) -> Run:
        """The run, put together. ``alone``: no role is asked anything, not even to review."""
        nobody = {"reviewer": "", "checker": "", "appeals": False, "collation": False, "viewer": ""}
        crew = self.crew.model_copy(update=nobody) if alone else self.crew
        return session.assemble(self.request, self.result.journal, crew, self.parts, self.human)

    async def mismatched(self, run: Run, mismatch: Mismatch) -> Outcome | None:
        """Write a picture; then end, or hand over to the crew."""
        record = run.record
        self.result.mismatch = mismatch
        self.result.picture = await anyio.to_thread.run_sync(self._pictured, run.surroundings, mismatch)
        words = mismatch.words(self.recording)
        if self.live.hand_over:
            return await self._hand_over(run.surroundings, mismatch)
        record.stop(Verdict(kind="stop", reason=mismatch.reason, why=words))
        await finish(run)
        assert record.state.outcome is not None
        return record.state.outcome

    async def _hand_over(self, surroundings: Surroundings, mismatch: Mismatch) -> Outcome | None:
        """Go on with the crew that began the recorded run, with its model."""
        record = surroundings.record
        model = self.parts.models[""] = self.parts.models.pop(HANDED)
        journal = record.journal
        journal.append(
            RunResumed(
                version=importlib.metadata.version("deskcrew"),
                model=model.name,
                applications=programs_of(self.parts.desk),
                settings=settings_of(self.request, self.parts.desk),
                profile=model.profile.model_dump(mode="json"),
            )
        )
        if record.lane:
            record.judge(record.lane, "continue", done_so_far(self.recording, mismatch))
        journal.commit()
        crew = self.assembled(alone=False)
        crew.surroundings.continue_from(surroundings)
        return await session.loop(crew)

    def _pictured(self, surroundings: Surroundings, mismatch: Mismatch) -> Path | None:
        if mismatch.step is None or surroundings.seen is None:
            return None
        look = mismatch.step.after if mismatch.after else mismatch.step.before
        then = self.recording.observation(look).model_copy(update={"screenshot": self.recording.picture(look)})
        data = side_by_side((then, mismatch.label, mismatch.expected), (surroundings.now, mismatch.found))
        if data is None:
            return None
        file = self.live.picture or self.settings.data / PICTURES / f"{surroundings.record.journal.run}.png"
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        except OSError as error:
            raise EnvironmentFailure(f"The picture {file} cannot be written: {error.strerror}.") from error
        return file


def _checked(request: RunRequest, chore: RepeatedTask) -> RunRequest:
    """The request. Raises UsageError if it cannot be carried out."""
    for file in request.attachments:
        if not file.is_file():
            raise UsageError(f"There is no file {file} to attach.")
    if request.hosts and request.unsafe_host:
        raise UsageError("Without a sandbox programs reach every host, so hosts cannot be restricted.")
    if missing := chore.secrets - {secret.name for secret in request.secrets}:
        told = f"The {chore.recording.named} typed secrets: {', '.join(sorted(missing))}."
        raise UsageError(told, hint="Allow them again with --secret NAME.")
    return request


def _workspace(found: Recording, request: RunRequest, settings: Settings, sets: dict[str, str]) -> tuple[Path, str | None]:
    """The folder and, if it was made for the run, the run's name. A new one contains what the recorded one did at the
    start, except for files that are replaced now."""
    if request.workspace is not None:
        return workspace_of(request, settings)
    folder, name = workspace_of(replace(request, attachments=()), settings)
    with removed_unless_begun(folder, name) as made:
        if found.files:
            instead = {file.name for file in request.attachments} | set(sets)
            manifest = Manifest.from_bytes(found.read_blob(found.files))
            kept = Manifest(tuple(entry for entry in manifest.entries if entry.path not in instead))
            restore(SavePoints(folder, _digest, found.read_blob), kept)
        workspace_of(replace(request, workspace=folder), settings)
        made.pop_all()
    return folder, name


def _digest(data: bytes) -> str:
    """The digest of a file; its content need not be stored."""
    return hashlib.sha256(data).hexdigest()


def _no_file(name: str, folder: Path | None) -> UsageError:
    """The error for a file that is needed but missing."""
    if folder is None:
        return UsageError(f"There is no file named {name} in the workspace.", hint=f"Put it there: --attach={name}")
    return UsageError(no_file(name, sorted(each.name for each in folder.iterdir() if each.is_file()), folder))


def check_path(path: str) -> None:
    """Raise UsageError for a path that leads out of the workspace."""
    if Path(path).is_absolute() or ".." in Path(path).parts:
        hint = "Give its path relative to the workspace; --workspace names the folder, and --attach copies a file into it."
        raise UsageError(f"{path} is not a path in the workspace.", hint=hint)


def _needs(chore: RepeatedTask, request: RunRequest, sets: Mapping[str, str]) -> None:
    """Raise UsageError for a file that the task names and the run began with, but that will be missing now, and for
    one that is not in the workspace."""
    restored = chore.files if chore.recording.files else frozenset[str]()
    attached = {file.name for file in request.attachments}
    for value in chore.values:
        new = sets.get(value.value, value.value)
        if value.kind == "file":
            check_path(new)
        kept = new in restored - set(sets) if request.workspace is None else (request.workspace / new).is_file()
        if value.kind == "file" and value.value in chore.files and not kept and new not in attached:
            raise _no_file(new, request.workspace)
