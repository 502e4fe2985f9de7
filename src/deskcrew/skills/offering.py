"""The skills that a run is offered, by meaning and by open programs, each as an action with parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from pydantic import Field, create_model

from deskcrew.actions import builtin
from deskcrew.actions.action import ON_DESKTOP, Action, Needs, Params, Result, Scene
from deskcrew.actions.params import OneOf
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.observation import Control, Observation
from deskcrew.repeating.values import Replacing
from deskcrew.skills.requesting import requesting
from deskcrew.skills.skill import Parameter, Skill, SkillStep
from deskcrew.texts import stands_in

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

OFFERED = 3
"""The maximum number of skills that a role is offered at once."""
CONSIDERED = 6
"""The number of relevant skills chosen for a run; which of them are offered depends on the open programs."""
SHARED, SHORTEST = 2, 3
"""Without an embedder: the number of words that a skill must share with the task, and the minimum length of such a
word."""
SHORTER = 0.8
"""The fraction of the usual minimum cosine that suffices, because a skill's description is shorter and more general
than a task."""
OTHERWISE = 0.8
"""The fraction of that which suffices in the end, because people word the same task in very different ways: of 36 fresh
pairs of requests for one chore it lets 27 skills be offered, not 14. Whether one of them is right is for a role to say."""
OPENING = frozenset[Needs]({"programs"})
"""The needs of an action that works without a window: it opens one."""


class Meanings(Protocol):
    """Compares texts by meaning, as long-term memory's embedders do; the composition root passes one in."""

    @property
    def alike(self) -> float:
        """The minimum cosine of two texts that are about the same kind of thing."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """A unit vector for each text, as rows. Raises ModelFailure."""
        ...


def fitting(task: str, skills: Iterable[Skill], meanings: Meanings | None = None) -> tuple[Skill, ...]:
    """The skills that are relevant to the task, the nearest first, at most :data:`CONSIDERED`.

    ``meanings`` None, or unavailable: those that share words with the task, which says too little of the many that are
    part of the package.
    """
    there = tuple(skills)
    if not there:
        return ()
    found: dict[Skill, float]
    try:
        found = _by_words(task, there) if meanings is None else _by_meaning(task, there, meanings)
    except ModelFailure:
        found = _by_words(task, there)
    return tuple(sorted(found, key=lambda skill: (-found[skill], skill.name))[:CONSIDERED])


def _by_meaning(task: str, skills: Sequence[Skill], meanings: Meanings) -> dict[Skill, float]:
    """The similarity of the skills that are near enough, by their description or by the task that they came from."""
    said = [f"{skill.name.replace('-', ' ')}: {skill.description}" for skill in skills]
    asked = [skill.method.provenance.task or said[at] for at, skill in enumerate(skills)]
    texts = list(dict.fromkeys((task, *said, *asked)))
    by = dict(zip(texts, meanings.embed(texts), strict=True))
    wanted, *vectors = (by[text] for text in (task, *said, *asked))
    near = [float(vector @ wanted) for vector in vectors]
    nearest = {skill: max(near[at] / SHORTER, near[at + len(skills)]) for at, skill in enumerate(skills)}
    return {skill: nearness for skill, nearness in nearest.items() if nearness >= meanings.alike * OTHERWISE}


def _by_words(task: str, skills: Sequence[Skill]) -> dict[Skill, float]:
    wanted = _words(task)
    own = (skill for skill in skills if not skill.shipped)
    shared = {skill: len(wanted & _words(f"{skill.name} {skill.description}")) for skill in own}
    return {skill: count for skill, count in shared.items() if count >= SHARED}


def possible(skills: Iterable[Skill], now: Observation | None, most: int = OFFERED) -> tuple[Skill, ...]:
    """The skills whose programs are open now, and which begin with no more files than there are, in order, at most ``most``.
    ``now``: None if nothing was observed yet."""
    open_ = {window.app.casefold() for window in now.windows} if now is not None else set[str]()
    files = sum(entry.kind == "file" for entry in now.files) if now is not None else inf
    fit = (skill for skill in skills if programs(skill) <= open_ and len(skill.given) <= files)
    return tuple(islice(fit, most))


def programs(skill: Skill) -> frozenset[str]:
    """The programs (in lower case) that must be open at the start: those that its steps use without opening them."""
    steps = skill.method.steps
    first = next((step.before for step in steps if step.before is not None), None)
    there = {window.id: window.app.casefold() for window in first.windows} if first is not None else {}
    return frozenset(there[window] for step in steps if (window := _window(step)) in there)


def _window(step: SkillStep) -> int | None:
    """The window that a step uses; None if it uses none."""
    action = builtin().get(step.operation.function)
    if step.before is None or action is None or action.needs not in ON_DESKTOP - OPENING:
        return None
    control = step.before.control(step.operation.control) if step.operation.control else None
    front = step.before.active_window
    return control.window if control is not None else front.id if front is not None else None


def functions(skill: Skill) -> frozenset[str]:
    """The actions that its steps consist of. Functions and requests count as code: a role that may run code may also
    send a request."""
    if not skill.method.steps:
        return frozenset({"run_python_code"})
    return frozenset(step.operation.function for step in skill.method.steps)


def as_action(skill: Skill) -> Action:
    """The skill as an action for a role. A skill with steps or a function is repeated step by step
    (``steps/using_skills.py``), and its action is never run itself; the action of a skill with a request sends it."""

    def stepwise(scene: Scene, params: Any, control: Control | None) -> Result:
        raise ActionError(f"{skill.action} is done step by step.")

    fields: dict[str, Any] = {each.name: _field(each, recorded=bool(skill.method.steps)) for each in skill.method.parameters}
    params = create_model("Params", __base__=Params, **fields)
    if skill.method.request is not None:
        return requesting(skill, params)
    stepwise.__doc__ = f"{in_general(skill).removesuffix('.')}. Proven before; needs only its values."
    return Action(name=skill.action, params=params, run=stepwise, risk="unknown", effect="lasting", needs=_needs(skill))


def in_general(skill: Skill) -> str:
    """What a skill does, with the names of its parameters in the place of the values that it was recorded with, if any."""
    if not skill.method.provenance.task:
        return skill.description
    recorded = [value for value in skill.values if value.value]
    return Replacing(recorded, {value.value: value.name for value in recorded}).text(skill.description)


_TYPES: dict[str, Any] = {"integer": int, "number": float, "truth": bool}
_KINDS = {"file": "A file", "integer": "A whole number", "number": "A number", "truth": "true or false", "json": "JSON"}


def _field(parameter: Parameter, *, recorded: bool) -> tuple[Any, Any]:
    """A parameter as a field of the action. An optional one is text, with '' for none. For recorded steps, a small
    model's grammar admits only existing files, and texts that the task mentions."""
    told, choices = _told(parameter), parameter.choices
    if choices:
        kind: Any = Literal[("", *choices)] if parameter.optional else Literal[choices]
        return kind, Field("" if parameter.optional else ..., description=told)
    if parameter.optional:
        return str, Field("", description=f"{told} '' leaves it out.")
    if parameter.kind in _TYPES:
        return _TYPES[parameter.kind], Field(description=told)
    named: Any = Annotated[str, OneOf("files" if parameter.kind == "file" else "texts")]
    free = not recorded or (parameter.kind == "file" and not parameter.given)
    return (str if free else named), Field(min_length=1, description=told)


def _told(parameter: Parameter) -> str:
    what = "An existing file" if parameter.given else _KINDS.get(parameter.kind, "A text")
    told = (parameter.description or what).removesuffix(".")
    such = f", such as {parameter.value!r}" if parameter.value and not stands_in(parameter.value, told) else ""
    return f"{told}{such}."


def _needs(skill: Skill) -> Needs:
    """What the skill needs to be done: a desktop, if one of its steps does."""
    there = builtin()
    needed: list[Needs] = [there[name].needs for name in sorted(functions(skill)) if name in there]
    needed.sort(key=lambda each: each not in ON_DESKTOP)
    return needed[0] if needed else "workspace"


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= SHORTEST}
