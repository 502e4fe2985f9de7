"""Which skills a run is offered, and each as an action: its name, what it does, and its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field, create_model

from deskcrew.actions import builtin
from deskcrew.actions.action import ON_DESKTOP, Action, Needs, Params, Result, Scene
from deskcrew.errors import ActionError
from deskcrew.observation import Control
from deskcrew.skills.requesting import requesting
from deskcrew.skills.skill import Parameter, Skill

MOST = 3
SHARED, SHORTEST = 2, 3
"""Words that a skill must share with the task to be offered, and the letters of the shortest that counts."""


def fitting(task: str, skills: Iterable[Skill]) -> tuple[Skill, ...]:
    """Those whose name and description share the most words with the task, the best first, at most :data:`MOST`."""
    wanted = _words(task)
    shared = {skill: len(wanted & _words(f"{skill.name} {skill.description}")) for skill in skills}
    found = [skill for skill, count in shared.items() if count >= SHARED]
    return tuple(sorted(found, key=lambda skill: (-shared[skill], skill.name))[:MOST])


def action_name(skill: Skill) -> str:
    """What a role calls it."""
    return skill.action


def functions(skill: Skill) -> frozenset[str]:
    """The actions that its steps are. A function is code, and who may run code may also send a request."""
    if not skill.method.steps:
        return frozenset({"run_python_code"})
    return frozenset(step.operation.function for step in skill.method.steps)


def as_action(skill: Skill) -> Action:
    """The skill as a role is offered it. One with steps or a function is done step by step (``steps/skilled.py``), never by
    itself; one with a request sends it."""

    def stepwise(scene: Scene, params: Any, control: Control | None) -> Result:
        raise ActionError(f"{action_name(skill)} is done step by step.")

    fields: dict[str, Any] = {each.name: _field(each) for each in skill.method.parameters}
    params = create_model("Params", __base__=Params, **fields)
    if skill.method.request is not None:
        return requesting(skill, params)
    stepwise.__doc__ = f"{skill.description.removesuffix('.')}. Proven before; needs only its values."
    return Action(
        name=action_name(skill), params=params, run=stepwise, risk="unknown", effect="lasting", needs=_needs(skill)
    )


_TYPES: dict[str, Any] = {"integer": int, "number": float, "truth": bool}
_KINDS = {"file": "A file", "integer": "A whole number", "number": "A number", "truth": "true or false", "json": "JSON"}


def _field(parameter: Parameter) -> tuple[Any, Any]:
    """A parameter as a field of the action's: what may be left out is text, and '' where it is."""
    told, choices = _told(parameter), parameter.choices
    if choices:
        kind: Any = Literal[("", *choices)] if parameter.optional else Literal[choices]
        return kind, Field("" if parameter.optional else ..., description=told)
    if parameter.optional:
        return str, Field("", description=f"{told} '' leaves it out.")
    if parameter.kind in _TYPES:
        return _TYPES[parameter.kind], Field(description=told)
    return str, Field(min_length=1, description=told)


def _told(parameter: Parameter) -> str:
    what = "A file that is there" if parameter.given else _KINDS.get(parameter.kind, "A text")
    such = f", such as {parameter.value!r}" if parameter.value else ""
    return f"{(parameter.description or what).removesuffix('.')}{such}."


def _needs(skill: Skill) -> Needs:
    """What must be there for it: of the screen, if a step needs that."""
    there = builtin()
    needed: list[Needs] = [there[name].needs for name in sorted(functions(skill)) if name in there]
    needed.sort(key=lambda each: each not in ON_DESKTOP)
    return needed[0] if needed else "workspace"


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= SHORTEST}
