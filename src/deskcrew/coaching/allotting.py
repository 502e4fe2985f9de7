"""Whose each part of a task is, as far as a small planner need not be asked: its words say what work it is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from deskcrew.english.clauses import asks, clauses, informs, verb_of
from deskcrew.english.openings import names_program
from deskcrew.english.routing import ACTION, on_files_alone, refers, routed, work_of, writes_file
from deskcrew.english.texts import file_names
from deskcrew.observation import Observation
from deskcrew.roles.role_kinds import NOBODY

Owners = Mapping[str, Collection[str]]
"""Agents in the order of the pool, each with the names of its actions."""
CODE = ACTION["code"]
JOINED = "joined_"
"""Before the number of a part that is done together with the one before."""


def informing(parts: tuple[str, ...]) -> dict[str, Any]:
    """Those that are nobody's, since they only inform."""
    return {f"clause_{number}": NOBODY for number, part in enumerate(parts, 1) if informs(part)}


def allotted(
    parts: tuple[str, ...], task: str, owners: Owners, now: Observation, programs: tuple[str, ...]
) -> dict[str, Any]:
    """The agents of parts whose words leave no doubt, in the form of a planner's reply. ``programs``: those there are."""
    windows = bool(now.windows) or names_program(task, programs)
    found = routed(parts, task, owners, windows=windows, nobody=NOBODY)
    reply: dict[str, Any] = {f"clause_{number}": agent for number, agent in found.items()}
    for number, agent in found.items():
        further = refers(parts[number - 1]) or writes_file(parts[number - 1])
        if CODE in owners.get(agent, ()) and found.get(number - 1) == agent and further:
            reply[f"{JOINED}{number}"] = True  # one program does both
    if now.on_page:
        if not (now.files or file_names(task) or (programs and names_program(task, programs))):
            _on_the_page(owners, parts, found, reply)
        # What one agent does on one page in a row is one part: cut up, its words no longer say what belongs together.
        for number, agent in found.items():
            if ACTION["windows"] in owners.get(agent, ()) and found.get(number - 1) == agent:
                reply[f"{JOINED}{number}"] = True
    return reply


def _on_the_page(owners: Owners, parts: tuple[str, ...], found: dict[int, str], reply: dict[str, Any]) -> None:
    """Give what is nobody's yet to who works on the page in front: there is nothing else to work on."""
    if all(found.get(number, NOBODY) == NOBODY for number in range(1, len(parts) + 1)):
        found.clear()  # somebody has to do something
    for number, part in enumerate(parts, 1):
        work = ACTION["look" if part.endswith("?") else "windows"]
        owner = next((name for name, actions in owners.items() if work in actions), None)
        pressed = verb_of(part) == "press" and not part.endswith("?")
        if owner is not None and (number not in found or (pressed and found[number] != NOBODY)):
            found[number] = reply[f"clause_{number}"] = owner


def able(task: str, owners: Owners, now: Observation, programs: tuple[str, ...]) -> tuple[str, ...]:
    """Who is offered to a small planner where a task is about files alone: not those who work in windows. () for all."""
    if now.windows or not on_files_alone(task, programs):
        return ()
    handling = {ACTION["files"], ACTION["read"], ACTION["code"]}
    return tuple(name for name, actions in owners.items() if handling & set(actions))


def sought(task: str) -> str:
    """What a task has found out and does nothing with: that is what its user wants to be told. '' where it does more."""
    parts = clauses(task)
    found = [part for part in parts if asks(part) or verb_of(part) == "find"]
    found = [part for part in found if work_of(part, windows=False, whole=task) in ("code", "read")]
    return found[-1] if found and all(part in found or informs(part) for part in parts) else ""
