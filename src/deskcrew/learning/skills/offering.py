"""Chooses the skills that a run is offered, by meaning and by open programs, and turns each into an action."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from pydantic import Field, create_model

from deskcrew.actions import builtin
from deskcrew.actions.action import ON_DESKTOP, Action, Needs, Params, Result, Scene
from deskcrew.actions.code import RUN_PYTHON_CODE
from deskcrew.actions.params import OneOf
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.facts.observation import Control, Observation
from deskcrew.facts.texts import stands_in, words_in
from deskcrew.learning.repeating.values import Replacing
from deskcrew.learning.skills.recognising import recognised, unnamed
from deskcrew.learning.skills.requesting import requesting
from deskcrew.learning.skills.skill import Parameter, Skill, SkillStep

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

OFFERED = 3
"""The maximum number of skills that a role is offered at once."""
CONSIDERED = 6
"""The maximum number of relevant skills for a run; which of them are offered depends on the open programs."""
SHARED, SHORTEST, HALF = 2, 3, 0.4
"""Without an embedder: the number of words that a skill must share with the task, the minimum length of such a word, and
the share of the task's words at which ``near`` is 0."""
SHORTER = 0.8
"""The fraction of the usual minimum cosine that suffices for a skill's description, which is shorter and more general than a
task."""
STEEP = 20
"""The factor from cosine to ``near`` for taught skills, which makes them comparable with shipped skills, whose ``near`` is
learnt from examples."""
PERHAPS = -2.0
"""The minimum ``near`` of a taught skill to be offered to a role that chooses itself. It is low because people word the same
task in very different ways."""
CLEARLY = 2.0
"""The minimum ``near`` of a shipped skill. It is high because an unsuitable one costs room in every request."""
OPENING = frozenset[Needs]({"programs"})
"""The needs of actions that open a window, and so work without one."""


class Meanings(Protocol):
    """Compares texts by meaning: one of long-term memory's embedders, passed in by whoever puts a run together."""

    @property
    def name(self) -> str:
        """A name for the vector space."""
        ...

    @property
    def alike(self) -> float:
        """The minimum cosine at which two texts count as being about the same kind of thing."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[float32]:
        """A unit vector for each text, as rows. Raises ModelFailure if they cannot be computed."""
        ...


def fitting(task: str, skills: Iterable[Skill], meanings: Meanings | None = None) -> tuple[Skill, ...]:
    """The skills that are relevant to the task, nearest first, at most :data:`CONSIDERED`.

    ``meanings``: if None or unavailable, these are the taught skills that share words with the task; for the many shipped
    skills that says too little.
    """
    there = tuple(skills)
    near = _compared(task, there, meanings)
    if near is None:
        shared = _shared(task, [skill for skill in there if not skill.shipped])
        found = {skill: count for skill, count in shared.items() if count >= SHARED}
    else:
        found = {skill: each for skill, each in near.items() if each >= (CLEARLY if skill.shipped else PERHAPS)}
    return tuple(sorted(found, key=lambda skill: (-found[skill], skill.name))[:CONSIDERED])


def nearest(task: str, skills: Iterable[Skill], meanings: Meanings | None = None) -> tuple[Skill, ...]:
    """All skills with ``near`` set, nearest first, for a model that can only use skills: which of them are possible depends
    on the existing files."""
    there, most = tuple(skills), max(1, len(_words(task)))
    near = _compared(task, there, meanings)
    if near is None:
        near = {skill: STEEP * (count / most - HALF) for skill, count in _shared(task, there).items()}
    return tuple(sorted((replace(each, near=near[each]) for each in near), key=lambda each: (-each.near, each.name)))


def _compared(task: str, skills: Sequence[Skill], meanings: Meanings | None) -> dict[Skill, float] | None:
    """How near each skill is to the task: for a shipped skill the learnt logarithm of its odds, for others from the cosine
    with their description or the requests for them. None if texts cannot be compared by meaning."""
    if meanings is None or not skills:
        return None
    own = [skill for skill in skills if not skill.shipped]
    texts = {skill: (f"{skill.name.replace('-', ' ')}: {skill.description}", *_asked(skill)) for skill in own}
    try:
        vectors = meanings.embed([unnamed(task), task, *(text for each in texts.values() for text in each)])
    except ModelFailure:
        return None
    like = map(float, vectors[2:] @ vectors[1])
    near = recognised(vectors[0], meanings.name)
    found = {skill: near[skill.name] for skill in skills if skill.shipped and skill.name in near}
    for skill, each in texts.items():
        said, *asked = islice(like, len(each))
        found[skill] = round(STEEP * (max(said / SHORTER, *asked) - meanings.alike), 3)
    return found


def _asked(skill: Skill) -> tuple[str, ...]:
    """The ways in which people ask for a skill, including the task that it was made from."""
    return tuple(filter(None, (skill.method.provenance.task, *skill.method.asked)))


def _shared(task: str, skills: Sequence[Skill]) -> dict[Skill, float]:
    """How many words each skill shares with the task."""
    wanted = _words(task)
    return {
        skill: len(wanted & _words(" ".join((skill.name.replace("-", " "), skill.description, *_asked(skill)))))
        for skill in skills
    }


def possible(skills: Iterable[Skill], now: Observation | None, most: int = OFFERED) -> tuple[Skill, ...]:
    """The skills whose programs are open now, and which need no more files than there are, in order, at most ``most``.
    ``now``: None if nothing was observed yet."""
    open_ = {window.app.casefold() for window in now.windows} if now is not None else set[str]()
    files = sum(entry.kind == "file" for entry in now.files) if now is not None else inf
    fit = (skill for skill in skills if programs(skill) <= open_ and len(skill.given) <= files)
    return tuple(islice(fit, most))


def programs(skill: Skill) -> frozenset[str]:
    """The programs (in lower case) that must be open at a skill's start: those that its steps use without opening them."""
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
    """The actions that a skill's steps consist of. Functions and requests count as running code: a role that may run code
    may also send a request."""
    if not skill.method.steps:
        return frozenset({RUN_PYTHON_CODE.name})
    return frozenset(step.operation.function for step in skill.method.steps)


@lru_cache(maxsize=256)
def as_action(skill: Skill) -> Action:
    """A skill as an action for roles. A skill with steps or a function is repeated step by step
    (``engine/steps/using_skills.py``), and its action is never run itself; a request's action sends the request."""

    def stepwise(scene: Scene, params: Any, control: Control | None) -> Result:
        raise ActionError(f"{skill.action} is done step by step.")

    fields: dict[str, Any] = {each.name: _field(each, recorded=bool(skill.method.steps)) for each in skill.method.parameters}
    params = create_model("Params", __base__=Params, **fields)
    if skill.method.request is not None:
        return requesting(skill, params)
    stepwise.__doc__ = f"{in_general(skill).removesuffix('.')}. Proven before; needs only its values."
    return Action(name=skill.action, params=params, run=stepwise, risk="unknown", effect="lasting", needs=_needs(skill))


def in_general(skill: Skill) -> str:
    """What a skill does, with its parameters' names in place of the recorded values, if there are any."""
    if not skill.method.provenance.task:
        return skill.description
    recorded = [value for value in skill.values if value.value]
    return Replacing(recorded, {value.value: value.name for value in recorded}).text(skill.description)


_TYPES: dict[str, Any] = {"integer": int, "number": float, "truth": bool}
_KINDS = {
    "file": "A file",
    "files": "Files",
    "folder": "A folder",
    "column": "A column's heading",
    "columns": "Headings of columns",
    "sheet": "The name of a sheet",
    "rows": "Conditions for rows",
    "integer": "A whole number",
    "number": "A number",
    "truth": "true or false",
    "json": "JSON",
}


def _field(parameter: Parameter, *, recorded: bool) -> tuple[Any, Any]:
    """A parameter as a field of the action. An optional field is text, with '' for none. For recorded steps, a small model's
    grammar admits only existing files, and texts that the task mentions."""
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
    """What a skill's action needs: a desktop, if one of its steps does."""
    there = builtin()
    needed: list[Needs] = [there[name].needs for name in sorted(functions(skill)) if name in there]
    needed.sort(key=lambda each: each not in ON_DESKTOP)
    return needed[0] if needed else "workspace"


def _words(text: str) -> set[str]:
    return {word for word in words_in(text.casefold()) if len(word) >= SHORTEST}
