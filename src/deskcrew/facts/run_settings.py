"""A run's options besides its task, and what it found on the machine, as its events store them.

Journals of every version are read by these types: a default here never changes, and unknown fields are kept.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from deskcrew.facts.json_values import JsonObject

MemoryUse = Literal["on", "read", "off"]
SCREEN = (1280, 800)
"""Default size of a virtual desktop, in pixels."""


class Opened(NamedTuple):
    """A program that is open when a run begins. ``name``: as ``open_application`` calls it; ``file``: a workspace path."""

    name: str
    file: str = ""


Binding = tuple[tuple[str, ...], tuple[str, ...]]
"""The programs and the hosts that a secret is bound to."""


class _AsRecorded(BaseModel):
    """Base of types that are written back exactly as they were read: no default is added, and no field is left out."""

    model_config = ConfigDict(frozen=True, extra="allow")

    @model_serializer(mode="wrap")
    def _said(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in whole(self).items() if name in self.model_fields_set}


class SearchService(_AsRecorded):
    """The web search service of a run. ``host``: the host that receives its queries."""

    provider: str = ""
    host: str = ""


class Repetition(_AsRecorded):
    """What a run repeats: ``events`` of another ``run``, with replaced values (``set``); or a ``skill`` with ``values``."""

    run: str = ""
    events: tuple[int, ...] = ()
    set: dict[str, str] = Field(default_factory=dict[str, str])
    skill: str = ""
    digest: str = ""
    values: dict[str, str] = Field(default_factory=dict[str, str])
    program: bool = False
    """Whether the skill is a function rather than recorded steps."""

    def command(self, workspace: str = "", there: Collection[str] = ()) -> str:
        """The command that repeats the same run, or uses the same skill, again. ``workspace``: the folder to do it in, ''
        for one of its own; ``there``: files that the first run made and that may be there still: others are made now."""
        command, option, values = f"deskcrew replay {self.run} --live", "--set ", self.set
        if self.program:
            command, option, values = f"deskcrew skill use {self.skill}", "", self.values
        elif self.skill:
            command, option, values = f"deskcrew skill try {self.skill}", "--param ", self.values
        free = {name: _second(value) if value in there else value for name, value in values.items() if value or option}
        where = [f"--workspace {shlex.quote(workspace)}"] if workspace else []
        return " ".join([command, *(option + shlex.quote(f"{name}={value}") for name, value in free.items()), *where])


def _second(path: str) -> str:
    """The name of a second file beside ``path``."""
    return str(PurePath(path).with_name(f"{PurePath(path).stem}-2{PurePath(path).suffix}"))


class RunSettings(_AsRecorded):
    """The settings of a run. Fields that ``engine.request.RunRequest`` also has mean the same as there."""

    model: str = ""
    limits: JsonObject = Field(default_factory=JsonObject)
    """The limits as they were when the run began; their names differ between versions."""
    pool: bool = True
    without: tuple[str, ...] = ()
    lanes: int = 0
    desks: int = 1
    attempts: int = 1
    yes: bool = False
    plan_only: bool = False
    copy_of: str = ""
    """The folder that the workspace was copied from."""
    at: str = ""
    """The address of the agent on a Windows machine; '' for this machine."""
    screen: tuple[int, int] = SCREEN
    scale: float = 1.0
    monitors: int = 1
    opened: tuple[Opened, ...] = ()
    home: tuple[str, ...] = ()
    url: str = ""
    endpoint: str = ""
    session: str = ""
    network: bool = False
    hosts: tuple[str, ...] = ()
    unsafe_host: bool = False
    secrets: tuple[str, ...] = ()
    """Names of the secrets that the run may type."""
    bindings: dict[str, Binding] = Field(default_factory=dict[str, Binding])
    """What each of the secrets is bound to."""
    memory: MemoryUse = "off"
    prices: str = ""
    """Where the cost of a model call comes from, in words; '' if the cost is unknown."""
    search: SearchService | None = None
    grounding: str = ""
    """The model that finds controls in pictures."""
    points: bool = False
    """Whether points of the picture can be acted on."""
    actions: tuple[str, ...] = ()
    """Names of actions that are not built in; only in runs of earlier versions."""
    course: JsonObject | None = None
    guide: JsonObject | None = None
    experience: JsonObject | None = None
    making: str | None = None
    """The run from which this run makes a skill; '' if it makes one from a description, None if it makes none."""
    replay: Repetition | None = None
