"""What runs taught: counted before they are deleted, and deleted with them."""

from __future__ import annotations

from collections.abc import Set
from contextlib import suppress
from dataclasses import dataclass

from deskcrew.engine.request import skill_folders
from deskcrew.errors import ConfigError
from deskcrew.learning.memory.store import Memory
from deskcrew.learning.skills.folders import load, read
from deskcrew.learning.skills.trials import Trials
from deskcrew.settings import Settings


@dataclass(frozen=True, slots=True)
class Learned:
    """What runs taught. ``memories``: the number of memory entries; ``trials``: the number of results that skills' scores
    are computed from; ``skills``: the names of the user's skills made from the runs. Skills are kept when runs are
    deleted, since a person wanted them."""

    memories: int = 0
    trials: int = 0
    skills: tuple[str, ...] = ()


def taught(runs: Set[str], settings: Settings) -> Learned:
    """What these runs taught. Raises MemoryFailure or ConfigError if memory cannot be used."""
    memory = Memory.of(settings)
    try:
        memories = len(memory.taught(runs))
    finally:
        memory.close()
    return Learned(memories, Trials(settings.data).count(runs), made_from(runs, settings))


def forget(runs: Set[str], settings: Settings) -> Learned:
    """Delete what these runs taught, and return it. Raises MemoryFailure or ConfigError if memory cannot be used."""
    if not runs:
        return Learned()
    memory = Memory.of(settings)
    try:
        memories = memory.forget_runs(runs)
    finally:
        memory.close()
    return Learned(memories, Trials(settings.data).forget(runs), made_from(runs, settings))


def made_from(runs: Set[str], settings: Settings) -> tuple[str, ...]:
    """The names of the user's skills that were made from these runs."""
    found: list[str] = []
    for origin, folder in skill_folders(settings):
        with suppress(ConfigError):
            if origin == "user" and load(read(folder, origin)).method.provenance.run in runs:
                found.append(folder.name)
    return tuple(found)
