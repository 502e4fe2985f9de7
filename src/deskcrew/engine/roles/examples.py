"""Examples in role files: what a prompt shows as a reply must be one that the role could give."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from deskcrew.actions import builtin
from deskcrew.actions.narrowing import operation_types
from deskcrew.engine.roles.crew import Crew
from deskcrew.engine.roles.explained import REPLY
from deskcrew.engine.roles.prompt import render
from deskcrew.engine.roles.replies import reply_type
from deskcrew.engine.roles.role import BUILTIN, Role
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.errors import ConfigError
from deskcrew.facts.observation import Observation
from deskcrew.models.client import Malformed, Profile, Text
from deskcrew.models.replies import read_reply

PROFILES = tuple(
    Profile(name="any", free_text="full" if full else "short", contracts=contracts)
    for full, contracts in ((False, False), (True, False), (True, True))
)
"""What a prompt and a reply type depend on of a model: how much it writes, and whether there is a contract."""
NUMBERS = tuple(map(str, range(1, 100)))
"""Subtasks, facts and replies that an example may name."""


def refuse_unusable(crew: Crew) -> None:
    """Raise ConfigError for an example in a role file of somebody's own that no model could give as a reply in this crew.
    Those with actions that somebody added are not looked at."""
    for role in (crew.roles[name] for name in crew.members if Path(crew.roles[name].path).parent != BUILTIN):
        added = {*role.domain} - builtin().keys()
        wrong, fine = dict[int, str](), set[int]()
        for profile, human in product(PROFILES, (False, True)):
            kind = type_of(crew, role, profile, human=human)
            for place, example in enumerate(examples(told(crew, role, profile))):
                wrong[place] = "" if any(f'"{name}"' in example for name in added) else why_not(example, kind)
                fine |= set() if wrong[place] else {place}
        lines = [number for number, line in enumerate(role.text.splitlines(), 1) if line.startswith(REPLY) and "{" in line]
        for place in sorted(wrong.keys() - fine):
            line = lines[place] if len(lines) == len(wrong) else next(iter(lines), 1)
            raise ConfigError(f"{role.path}, line {line}: this example cannot be a reply of {role.name}: {wrong[place]}")


def examples(text: str) -> list[str]:
    """The replies that a prompt shows."""
    return [line.removeprefix(REPLY) for line in text.splitlines() if line.startswith(f"{REPLY}{{")]


def why_not(example: str, kind: type[BaseModel]) -> str:
    """Why an example cannot be a reply of this type; '' if it can."""
    found = read_reply(example, kind)
    return " ".join(found.error.split()) if isinstance(found, Malformed) else ""


@cache
def _operations(names: tuple[str, ...]) -> Any:
    there = [action for name, action in builtin().items() if name in names]
    return operation_types(there, Observation(), labels=False, applications=())


def told(crew: Crew, role: Role, profile: Profile, *, window: str = "none", agreed: bool | None = None) -> str:
    """What a role is told first, with its examples. ``agreed``: see :func:`type_of`."""
    shown = dict.fromkeys(role.reads, "") | ({"target_window": window} if "target_window" in role.reads else {})
    usual = type_of(crew, role, profile, agreed=agreed)
    part = render(role, shown, crew=crew, profile=profile, actions="Operations:", usual=usual)[0]
    assert isinstance(part, Text)
    return part.text


def type_of(crew: Crew, role: Role, profile: Profile, *, human: bool = False, agreed: bool | None = None) -> type[BaseModel]:
    """The type of a role's reply. ``human``: whether it may ask the user; ``agreed``: whether there is a contract, None: if
    the model is asked for one."""
    there = profile.contracts if agreed is None else agreed
    now = Now(operations=_operations(role.domain), human=human, agreed=there, texts_read=2, attempts=("A", "B"))
    return reply_type(role, crew, profile, replace(now, subtasks=NUMBERS, facts=NUMBERS, needed=NUMBERS, replies=NUMBERS))
