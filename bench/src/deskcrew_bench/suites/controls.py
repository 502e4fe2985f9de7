"""The control of every suite: it does nothing, and claims to be finished."""

from __future__ import annotations

import itertools
from dataclasses import replace

from deskcrew.engine.request import RunRequest, prepare
from deskcrew.models.client import Call
from deskcrew.models.scripted import Reply, ScriptedModel
from deskcrew.settings import Settings
from deskcrew_bench.lies.believer import facts

IDLE = "no-op"
"""Its name in the place of a model's. It works in the crew ``solo``."""


def as_control(request: RunRequest, settings: Settings) -> RunRequest:
    """The request with a control in the place of its model. Raises UsageError and ConfigError where its crew is none, as a
    model's run would."""
    prepare(request, settings)
    return replace(request, model=f"scripted:{request.model}", crew="solo")


class Idle(ScriptedModel):
    """Claims at once to be finished, with an empty answer."""

    def __init__(self) -> None:
        super().__init__(itertools.repeat(self._reply), name="no-op")

    def _reply(self, call: Call) -> Reply:
        if call.role == "FinalAnswer":
            return {"answer": "", "sources": facts(call), "branch": "Continue"}
        return {"operations": [], "branch": "RoleTaskFinish"}
