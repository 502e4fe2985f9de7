"""The crew that a run began with, from its journal: later changes to files on disk do not affect the run.

Added actions are recorded without their code, which is loaded again to continue the run (``request.able_again``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath

from deskcrew.actions.added import by_name
from deskcrew.actions.added import recorded as recorded_actions
from deskcrew.engine.roles.crew import (
    SWITCHES,
    Crew,
    parse_crew,
    with_actions,
    with_lanes,
    with_skills,
    without_parts,
    without_pool,
)
from deskcrew.engine.roles.role import Role, recorded_role
from deskcrew.engine.roles.role_kinds import KINDS
from deskcrew.errors import ConfigError, JournalError
from deskcrew.facts.events import RoleKind, RunStarted
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills import front_matter
from deskcrew.learning.skills.skill import Skill

ROLES, CREWS, SKILLS = "roles", "crews", "skills"
NEAR = "words/near.json"
"""How similar each skill is to the task; in a file of its own, as it differs from run to run while skills do not."""


def texts(crew: Crew) -> tuple[str, ...]:
    """The text of every file of the crew; the run's first event contains their digests."""
    return (crew.text, *(role.text for role in crew.roles.values()), *_of_others(crew).values())


def files(crew: Crew) -> dict[str, str]:
    """The digest of each file of the crew, by its name in the journal."""
    names = {f"{ROLES}/{role.name}.md": role.digest for role in crew.roles.values()}
    added = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in _of_others(crew).items()}
    return {f"{CREWS}/{crew.name}.toml": crew.digest} | names | added


def _of_others(crew: Crew) -> dict[str, str]:
    """The texts of added actions and of skills, by their names in the journal."""
    actions = {name: text for file in crew.added for name, text in file.texts.items()}
    skills = {f"{SKILLS}/{skill.name}.json": skill.record for skill in crew.skills}
    near = {skill.name: skill.near for skill in crew.skills if skill.near}
    return actions | skills | ({NEAR: json.dumps(near, ensure_ascii=False)} if near else {})


def recorded_crew(journal: Journal) -> Crew:
    """The crew of a run. Raises JournalError if the journal does not contain its files, ConfigError if this version
    cannot read them."""
    started = journal.state.started
    assert started is not None
    return crew_of(started, journal.read_blob, journal.run)


def crew_of(started: RunStarted, read_blob: Callable[[str], bytes], run: str) -> Crew:
    """The crew of a run, from its first event and a function that reads blobs. Raises as :func:`recorded_crew`."""
    texts = {PurePosixPath(name): read_blob(digest).decode() for name, digest in started.files.items()}
    added = recorded_actions(texts, texts.__getitem__)
    names = tuple(by_name(added))
    roles: dict[str, Role] = {}
    for name, text in texts.items():
        if name.parent.name == ROLES:
            role = recorded_role(text, Path(f"{name} of the run"), names)
            roles |= {role.name: role} if role is not None else {}
    found = next(((name, text) for name, text in texts.items() if name.parent.name == CREWS), None)
    if found is None:
        raise JournalError(
            f"Run {run} was started by an older version, which did not record its crew.", hint="Start the task again."
        )
    crew = parse_crew(found[1], Path(f"{found[0]} of run {run}"), roles, recorded=True)
    crew = crew if started.settings.pool else without_pool(crew)
    crew = without_parts(crew, [switch for switch in SWITCHES if switch in started.settings.without])
    crew = with_lanes(crew, started.settings.lanes) if started.settings.lanes else crew
    near: dict[str, float | list[float]] = json.loads(texts.get(PurePosixPath(NEAR), "{}"))
    kept = (Skill.recorded(text) for name, text in texts.items() if name.parent.name == SKILLS)
    skills = sorted(
        (replace(each, near=_near(near.get(each.name, 0.0))) for each in kept),
        key=lambda each: -each.near,
    )
    return with_skills(with_actions(crew, added), skills)


def _near(kept: float | list[float]) -> float:
    """The similarity of a skill; older versions recorded several numbers, of which the first is meant."""
    return kept[0] if isinstance(kept, list) else kept


def asked_crew(started: RunStarted) -> str:
    """The name of the requested crew, without what :func:`without_parts` appended to it."""
    told = started.settings
    names = (PurePosixPath(name) for name in started.files)
    recorded = next((name.stem for name in names if name.parent.name == CREWS), started.crew)
    without = [*([] if told.pool else ["pool"]), *told.without]
    return recorded.removesuffix("".join(f"-no-{part}" for part in without))


def doing(started: RunStarted, read_blob: Callable[[str], bytes], name: str) -> str:
    """What a role is doing while its reply is awaited, in words, from its recorded file; "thinking" if that is not there."""
    with suppress(JournalError):
        if digest := started.files.get(f"{ROLES}/{name}.md"):
            said = front_matter.split(read_blob(digest).decode())[0].get("kind")
            return next((kind.doing for kind_name, kind in KINDS.items() if kind_name == said), "thinking")
    return "thinking"


def role_kinds(crew: Crew) -> dict[str, RoleKind]:
    """The kind of each role of the crew for a switch, by name; a person cannot switch to kind ``other``."""
    return {name: KINDS[crew.roles[name].kind].switch for name in crew.members}


def role_kind(crew: Crew, name: str) -> RoleKind:
    """A role's kind for a switch. Raises ConfigError, naming the alternatives, for a role that cannot be switched
    to."""
    kinds = role_kinds(crew)
    kind = kinds.get(name, "other")
    if kind == "other":
        able = ", ".join(each for each, what in kinds.items() if what != "other")
        raise ConfigError(f"{name!r} cannot be switched to.", hint=f"One of these can: {able}.")
    return kind
