"""Deskcrew: LLM agents that operate a computer, whose every run can be inspected, repaired and replayed.

The names below are the public library (docs/reference/python.md), stable within a major version. They are loaded on
first use, since a command that only reads needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deskcrew.actions.action import Action
    from deskcrew.engine.human.responder import PythonResponder, Responder
    from deskcrew.errors import (
        ConfigError,
        DeskcrewError,
        EnvironmentFailure,
        JournalError,
        ModelFailure,
        RunNotDone,
        UnknownError,
        UsageError,
    )
    from deskcrew.models.scripted import ScriptedModel
    from deskcrew.settings import Limits, Settings
    from deskcrew.ways_in.library import Options, Session, arun, ause_skill, run, use_skill
    from deskcrew.ways_in.report.result import Result

__all__ = [
    "Action",
    "ConfigError",
    "DeskcrewError",
    "EnvironmentFailure",
    "JournalError",
    "Limits",
    "ModelFailure",
    "Options",
    "PythonResponder",
    "Responder",
    "Result",
    "RunNotDone",
    "ScriptedModel",
    "Session",
    "Settings",
    "UnknownError",
    "UsageError",
    "arun",
    "ause_skill",
    "run",
    "use_skill",
]

_PLACES = {
    "deskcrew.actions.action": "Action",
    "deskcrew.errors": "ConfigError DeskcrewError EnvironmentFailure JournalError ModelFailure RunNotDone UnknownError "
    "UsageError",
    "deskcrew.engine.human.responder": "PythonResponder Responder",
    "deskcrew.ways_in.library": "Options Session arun ause_skill run use_skill",
    "deskcrew.models.scripted": "ScriptedModel",
    "deskcrew.ways_in.report.result": "Result",
    "deskcrew.settings": "Limits Settings",
}
_PLACE = {name: place for place, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _PLACE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACE[name]), name)


def __dir__() -> list[str]:
    return sorted(each for each in {*globals(), *__all__} if each in __all__ or each.startswith("__"))
