"""What a subtask uses exclusively while it is worked on beside others: files, and the desktop."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from deskcrew.actions.action import ON_DESKTOP, Action
from deskcrew.engine.roles.crew import Crew
from deskcrew.facts.plan import Subtask
from deskcrew.facts.texts import file_names

DESKTOP = "/desktop"
"""The claim of a subtask whose agent works on a desktop or in a browser; no path of a workspace looks like that."""


def claims(subtask: Subtask, crew: Crew, actions: Mapping[str, Action]) -> frozenset[str]:
    """The files that a subtask names, and the desktop if its agent has one of these actions that works on it."""
    role = crew.roles[subtask.role] if subtask.role is not None else None
    domain = role.domain if role is not None else ()
    works_there = any(actions[name].needs in ON_DESKTOP for name in domain if name in actions)
    named = (PurePosixPath(path).as_posix() for path in file_names(subtask.goal))
    return frozenset({*named, *((DESKTOP,) if works_there else ())})
