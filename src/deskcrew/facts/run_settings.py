"""What a run was asked for besides its task, and what it found there, as its events hold it.

Journals of every version are read by these types: a default here never changes, and what a version does not know is kept.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from deskcrew.facts.json_values import JsonObject

MemoryUse = Literal["on", "read", "off"]
SCREEN = (1280, 800)
"""Default size of a virtual desktop, in pixels."""


class Opened(NamedTuple):
    """A program that is open when a run begins, as ``open_application`` names it; ``file``: a path of the workspace."""

    name: str
    file: str = ""


Binding = tuple[tuple[str, ...], tuple[str, ...]]
"""The programs and the hosts that a secret is bound to."""


class _AsRecorded(BaseModel):
    """Written as it was read: what was not said then is not said now, and nothing is left out."""

    model_config = ConfigDict(frozen=True, extra="allow")

    @model_serializer(mode="wrap")
    def _said(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in whole(self).items() if name in self.model_fields_set}


class SearchService(_AsRecorded):
    """The web search service of a run, and the host that receives its words."""

    provider: str = ""
    host: str = ""


class Repetition(_AsRecorded):
    """What a run repeats: these ``events`` of another ``run``, with values ``set``; or a ``skill`` with its ``values``."""

    run: str = ""
    events: tuple[int, ...] = ()
    set: dict[str, str] = Field(default_factory=dict[str, str])
    skill: str = ""
    digest: str = ""
    values: dict[str, str] = Field(default_factory=dict[str, str])
    program: bool = False
    """The skill is a function, of which no step was recorded."""


class RunSettings(_AsRecorded):
    """The settings of a run. Those that are named as in ``engine.request.RunRequest`` mean the same."""

    model: str = ""
    limits: JsonObject = Field(default_factory=JsonObject)
    """As they were when it began; which there are differs between versions."""
    pool: bool = True
    without: tuple[str, ...] = ()
    lanes: int = 0
    desks: int = 1
    attempts: int = 1
    yes: bool = False
    plan_only: bool = False
    copy_of: str = ""
    """The folder that its workspace began as a copy of."""
    at: str = ""
    """The address of the agent on a Windows machine; '': this one."""
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
    """Names of those that it may type."""
    bindings: dict[str, Binding] = Field(default_factory=dict[str, Binding])
    """What each of them is bound to."""
    memory: MemoryUse = "off"
    prices: str = ""
    """Where the cost of a call comes from, in words; '': it has none that is known."""
    search: SearchService | None = None
    grounding: str = ""
    """The model that finds controls in pictures."""
    points: bool = False
    """Whether points of the picture can be acted on."""
    actions: tuple[str, ...] = ()
    """Names of actions from elsewhere, of a run of an earlier version."""
    course: JsonObject | None = None
    guide: JsonObject | None = None
    making: str | None = None
    """It makes a skill, of what this run did; '': of a description."""
    replay: Repetition | None = None
