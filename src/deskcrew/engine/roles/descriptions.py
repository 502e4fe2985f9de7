"""Descriptions of agents that were proposed from what they did, in place of those in their role files (COLA's update of
capability descriptions).

Planners and schedulers choose an agent by its description, ``skills``. A folder of roles may hold :data:`FILE`: for each
agent the descriptions that a person has accepted, the last of which counts. One counts only while the role's file says
what it said then, so that a file that is edited or comes with a new version wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml
from pydantic import TypeAdapter, ValidationError

from deskcrew.errors import ConfigError
from deskcrew.facts.liveness import write_private
from deskcrew.facts.observation import Frozen
from deskcrew.facts.unfit import fault
from deskcrew.settings import read_config

FILE = "descriptions.yaml"
LONGEST = 300
"""The maximum number of characters of a description."""


class Experience(Frozen):
    """An agent to describe anew. ``skills``: its present description; ``record``: what it did, one subtask per line."""

    agent: str
    skills: str
    record: str


class Description(Frozen):
    """An accepted description. ``replaces``: the one in the role's file at that time; ``run``: the run that proposed it."""

    skills: str
    replaces: str
    run: str


_FILE = TypeAdapter(dict[str, tuple[Description, ...]])


def descriptions_in(folder: Path) -> dict[str, tuple[Description, ...]]:
    """The accepted descriptions in a folder of roles, by agent, the oldest first. Raises ConfigError if the file cannot be
    used."""
    if not (folder / FILE).exists():
        return {}
    try:
        return _FILE.validate_python(yaml.safe_load(read_config(folder / FILE)) or {})
    except yaml.YAMLError as error:
        raise ConfigError(f"{folder / FILE} cannot be read: {error}.") from error
    except ValidationError as error:
        raise ConfigError(f"{folder / FILE}: {fault(error)}.") from error


def accept(folder: Path, agent: str, present: str, skills: str, run: str) -> None:
    """Make a description count for an agent, in place of the present one. Raises ConfigError if the file cannot be used."""
    there = descriptions_in(folder)
    known = there.get(agent, ())
    in_file = known[-1].replaces if known and known[-1].skills == present else present
    _write(folder, {**there, agent: (*known, Description(skills=skills, replaces=in_file, run=run))})


def revoke(folder: Path, agent: str) -> Description | None:
    """Remove an agent's last description, so that the one before counts again, and return it; None if there is none. Raises
    ConfigError if the file cannot be used."""
    there = descriptions_in(folder)
    if not (known := there.get(agent, ())):
        return None
    _write(folder, {**there, agent: known[:-1]})
    return known[-1]


def _write(folder: Path, known: Mapping[str, tuple[Description, ...]]) -> None:
    told = {agent: [each.model_dump() for each in versions] for agent, versions in known.items() if versions}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_private(folder / FILE, yaml.safe_dump(told, allow_unicode=True))
    except OSError as error:
        raise ConfigError(f"{folder / FILE} cannot be written: {error.strerror}.") from error
