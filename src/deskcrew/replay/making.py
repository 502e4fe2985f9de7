"""Makes a skill: a run of its own, journaled and bounded as any, whose crew writes a function and proves it on two inputs.

Composition root of ``deskcrew skill make``; whatever wants skills made calls :func:`make`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import anyio.to_thread

from deskcrew import session
from deskcrew.environments.claiming import claimed
from deskcrew.environments.manifest import Manifest
from deskcrew.errors import ConfigError, UsageError
from deskcrew.events import ActionFinished, Saved
from deskcrew.goals.states import States
from deskcrew.human.responder import Nobody, Responder
from deskcrew.journal.journal import Journal
from deskcrew.journal.records import ending
from deskcrew.models.client import Model
from deskcrew.replay.keeping import check_proven, words_of
from deskcrew.request import RunRequest, own_skills, prepare, removed_unless_begun, workspace_of
from deskcrew.roles import recorded as crews
from deskcrew.roles.crew import Crew
from deskcrew.settings import Settings
from deskcrew.skills import folders
from deskcrew.skills.made import MAKING
from deskcrew.skills.skill import Provenance, Skill
from deskcrew.skills.trials import Trial, Trials, input_of
from deskcrew.steps.making import Accepted, Making, Recorded

CREW = "solo"
"""Whose roles make it, where no other crew is asked for."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be made. ``what``: what it must do, in words; ``source``: a proven run of code that it is made from;
    ``name``: what to call it, '' for the name of its function; ``folder``: where skills are kept, None: among the user's."""

    what: str
    source: Journal | None = None
    name: str = ""
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """What came of it. ``skill`` None: nothing was kept, and the outcome of ``journal`` says why."""

    journal: Journal
    skill: Skill | None = None
    folder: Path | None = None
    score: int = 0


async def make(
    wish: Wish,
    request: RunRequest,
    settings: Settings,
    *,
    model: Model | None = None,
    watch: session.Watch | None = None,
    human: Responder | None = None,
    notice: Callable[[str], None] = lambda _: None,
) -> Made:
    """Have a crew make a skill, and keep it where it passed. ``request``: model, limits (the budget), crew and workspace of
    the run that makes it; its task is the wish.

    Raises UsageError and ConfigError before anything is started: for a run that is not proven or ran no code, a name that is
    taken, a crew without the roles; and what :func:`deskcrew.session.run` raises.
    """
    recorded = recorded_of(wish.source) if wish.source is not None else None
    if wish.name:
        folders.check_name(wish.name)
        _free(wish, wish.name, settings)
    request = replace(request, task=wish.what, desktop="none", memory="off", hosts=(), network=False, secrets=())
    crew = prepare(request, settings)
    _check_roles(crew)
    workspace, name = await anyio.to_thread.run_sync(workspace_of, request, settings)
    making = Making(recorded)
    with removed_unless_begun(workspace, name) as own, claimed(workspace) as claim:
        async with session.parts(request, settings, workspace, model, notice) as (desk, sandbox, models):
            started = session.started(request, crew, desk, models[""])
            told = started.settings | {MAKING: wish.source.run if wish.source is not None else ""}
            first = started.model_copy(update={"settings": told})
            with session.begun(first, settings, name, own, claim, texts=crews.texts(crew), watch=watch) as journal:
                session.set_modes(journal, request)
                await session.go_on(
                    journal,
                    lambda: session.assemble(request, journal, crew, desk, sandbox, models, human or Nobody()),
                    making.until_done,
                )
    if making.accepted is None:
        return Made(journal)
    return await anyio.to_thread.run_sync(_keep, wish, making.accepted, journal, settings)


def recorded_of(source: Journal) -> Recorded:
    """A run as a skill can be made from it. Raises UsageError unless it is proven, was done here, and code did it."""
    if source.imported():
        raise UsageError(f"Run {source.run} was imported: what it proves was seen elsewhere.", hint="Do it here first.")
    check_proven(source.run, ending(list(source.events)))
    ended = [event.body for event in source.events if isinstance(event.body, ActionFinished) and event.body.ok]
    code = [str(body.operation.params["code"]) for body in ended if body.operation.function == "run_python_code"]
    if not code:
        raise UsageError(f"Run {source.run} ran no Python code.", hint=f"Keep its steps: deskcrew skill keep {source.run}")
    saved = [event.body.manifest for event in source.events if isinstance(event.body, Saved)]
    start, end = (Manifest.from_bytes(source.read_blob(digest)) for digest in (saved[0], saved[-1]))
    return Recorded("\n\n".join(code), States(start, end, source.read_blob))


def files_of(name: str, accepted: Accepted, provenance: Provenance) -> dict[str, bytes]:
    """The files of a made skill: its script is the very bytes that were run (W17)."""
    draft = accepted.draft
    method = draft.method(provenance, accepted.score, accepted.reasons)
    assert method.function is not None
    files = folders.files_of(name, draft.description, method, words_of(name, draft.description, method))
    return files | {method.function.script: draft.code.encode()}


def _keep(wish: Wish, accepted: Accepted, journal: Journal, settings: Settings) -> Made:
    """Write it, with its two examples as its first trials."""
    draft = accepted.draft
    name = wish.name or _unused(wish, draft.called, settings)
    started = journal.state.started
    assert started is not None
    provenance = Provenance(
        run=journal.run,
        task=wish.what,
        model=started.model,
        version=started.version,
        day=datetime.now(UTC).date().isoformat(),
    )
    files = files_of(name, accepted, provenance)
    folder = _place(wish, settings) / name
    skill = folders.parse(name, files, str(folder))
    folders.write(folder, files)
    trials = Trials(settings.config)
    for example, manifest in zip(draft.examples, accepted.inputs, strict=True):
        values: Mapping[str, str] = example.values
        trials.add(skill.digest, Trial(run=journal.run, input=input_of(draft.parameters, values, manifest), done=True))
    return Made(journal, skill, folder, trials.score(skill.digest))


def _place(wish: Wish, settings: Settings) -> Path:
    return wish.folder or own_skills(settings)


def _free(wish: Wish, name: str, settings: Settings) -> None:
    folder = _place(wish, settings) / name
    if folder.exists():
        raise UsageError(f"There is a skill {name!r} already: {folder}.", hint="Give this one another --name.")


def _unused(wish: Wish, name: str, settings: Settings) -> str:
    """A name that no skill has yet: one that is there is never written over (F14)."""
    place = _place(wish, settings)
    return next(each for each in (name, *(f"{name}-{number}" for number in range(2, 1000))) if not (place / each).exists())


def _check_roles(crew: Crew) -> None:
    for field, kind in (("maker", "make"), ("critic", "criticize"), ("refiner", "refine")):
        name = getattr(crew, field)
        if name not in crew.roles or crew.roles[name].kind != kind:
            raise ConfigError(f"The crew {crew.name!r} has no {field}: {name!r} is no role of kind {kind}.")
