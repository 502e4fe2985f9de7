"""Drafts an agent from a program's guide, tries it, and keeps it if what it did was proven (C43, M9).

Composition root of ``deskcrew role from-guide``. Drafting is a run, and so is the trial, in which the agent alone does
a small task in a folder of its own, without network, secrets, memory or anybody to ask. Only an agent that passed is
put where crews find it.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

import anyio.to_thread

from deskcrew.engine import session
from deskcrew.engine.proposing import draft_of, proposed_in
from deskcrew.engine.request import Opened, RunRequest, all_roles
from deskcrew.engine.roles.draft import Draft, Guide, Way, name_for, names_agent, role_text, with_remark
from deskcrew.engine.roles.role import Role, parse_role
from deskcrew.engine.session import Beside
from deskcrew.engine.workshop.keeping import why_unproven
from deskcrew.engine.workshop.learning import guide_text
from deskcrew.environments.linux import applications
from deskcrew.errors import ActionError, ConfigError, ModelFailure, UsageError
from deskcrew.facts.events import ActionFinished
from deskcrew.journal.journal import Journal
from deskcrew.settings import Limits, Settings

ASIDE = "untried"
"""The folder for agents that did not pass, inside the folder where crews find agents."""


@dataclass(frozen=True, slots=True)
class AgentWish:
    """An agent to draft. ``program``: the program's name or command, '' if the guide is not about one; ``name``: the agent's
    name, '' to derive it from the program or guide; ``folder``: where role files are kept; ``crew``: whose drafter writes
    it."""

    guide: Path
    folder: Path
    program: str = ""
    name: str = ""
    way: Way = "files"
    model: str = "local"
    crew: str = "default"
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Drafted:
    """A drafted agent that parses as a role file, and the task to try it on."""

    role: Role
    draft: Draft
    journal: Journal


@dataclass(frozen=True, slots=True)
class AgentTrial:
    """The result of a trial. ``why``: why the agent did not pass; '' if it did."""

    journal: Journal
    why: str = ""


def check_name(wish: AgentWish, settings: Settings) -> str:
    """The agent's name, from what the person gave, never from the guide's text. Raises UsageError for an invalid or
    taken name, ConfigError for an invalid role file."""
    name = wish.name or name_for(wish.program or wish.guide.stem)
    if not names_agent(name):
        told = f"{name!r} cannot be the name of an agent." if name else "No name for the agent can be derived from that."
        raise UsageError(told, hint="Give one of letters and digits: --name NAME.")
    if taken := next((each for each in all_roles(settings).values() if each.name.casefold() == name.casefold()), None):
        raise UsageError(f"There is a role {taken.name!r} already: {taken.path}.", hint="Give this one another --name.")
    return name


def check_program(name: str) -> None:
    """Raises UsageError if there is no such program."""
    try:
        applications.find(name, applications.installed())
    except ActionError as error:
        raise UsageError(str(error), hint="Give its name or command: --program NAME.") from error


async def draft(wish: AgentWish, settings: Settings, **beside: Unpack[Beside]) -> Drafted:
    """Have an agent drafted. Raises UsageError and ConfigError before anything is started, ModelFailure if nothing usable
    was drafted, and what :func:`deskcrew.engine.session.run` raises."""
    name = await anyio.to_thread.run_sync(check_name, wish, settings)
    if wish.way == "windows":
        await anyio.to_thread.run_sync(check_program, wish.program)
    text = await anyio.to_thread.run_sync(guide_text, wish.guide)
    guide = Guide(program=wish.program or wish.name or wish.guide.stem, text=text, way=wish.way)
    request = RunRequest(
        task=f"Draft an agent for {guide.program}", model=wish.model, crew=wish.crew, desktop="none", guide=guide,
        limits=wish.limits,
    )  # fmt: skip
    journal = await proposing_run(request, settings, "No agent was drafted", **beside)
    made = draft_of(proposed_in(journal))
    written = role_text(name, made, guide, f"{wish.guide.name}, in run {journal.run}")
    return Drafted(parse_role(written, wish.folder / f"{name}.md"), made, journal)


async def proposing_run(request: RunRequest, settings: Settings, failed: str, **beside: Unpack[Beside]) -> Journal:
    """The journal of a run that proposes something, and did. Raises ModelFailure, which begins with ``failed``, if it did
    not, and what :func:`deskcrew.engine.session.run` raises."""
    journal = await session.run(request, settings, **beside)
    outcome = journal.state.outcome
    if outcome is None or outcome.status != "done":
        why = outcome.why or outcome.reason if outcome is not None else journal.state.interrupted
        raise ModelFailure(f"{failed}: {why}", hint=f"deskcrew log {journal.run} shows what was replied.")
    return journal


async def try_out(drafted: Drafted, wish: AgentWish, settings: Settings, **beside: Unpack[Beside]) -> AgentTrial:
    """Have the agent do the task that it was drafted with. Raises what :func:`deskcrew.engine.session.run` raises."""
    made = drafted.draft
    with tempfile.TemporaryDirectory() as folder:
        files = tuple(Path(folder, file.path) for file in made.files)
        for file, path in zip(made.files, files, strict=True):
            await anyio.Path(path).write_text(file.text, encoding="utf-8")
        in_windows = wish.way == "windows"
        request = RunRequest(
            task=made.task, model=wish.model, agent=drafted.role.text, attachments=files, limits=wish.limits,
            words_of="agent", desktop="virtual" if in_windows else "none",
            opened=(Opened(name=wish.program, file=made.opens),) if in_windows else (),
        )  # fmt: skip
        journal = await session.run(request, settings, **beside)
    return AgentTrial(journal, _why_failed(journal, drafted.role.name))


def _why_failed(journal: Journal, agent: str) -> str:
    """Why the agent did not pass its trial; '' if the task was proven and the agent contributed to it."""
    if why := why_unproven(journal.state.outcome):
        return why
    did = any(
        isinstance(event.body, ActionFinished) and event.body.role == agent and event.body.ok for event in journal.events
    )
    return "" if did else "the task was done without the agent"


def keep(drafted: Drafted, trial: AgentTrial, *, untried: bool = False) -> Path:
    """Put the agent where crews find it, if it passed or ``untried`` is true; otherwise into :data:`ASIDE`, with the reason
    in the file. Returns the file. Raises ConfigError if it cannot be written."""
    place, text = Path(drafted.role.path), drafted.role.text
    if trial.why:
        text = with_remark(text, f"Not proven in run {trial.journal.run}: {trial.why}")
    offered = untried or not trial.why
    place = place if offered else place.parent / ASIDE / place.name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        # An agent that crews use is never overwritten; of those that did not pass, only the last is kept.
        with place.open("x" if offered else "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ConfigError(f"{place} cannot be written: {error.strerror}.") from error
    return place
