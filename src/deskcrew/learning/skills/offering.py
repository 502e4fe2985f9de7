"""The skills that a run is offered, by meaning and by open programs, each as an action with parameters."""

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
"""The number of relevant skills chosen for a run; which of them are offered depends on the open programs."""
SHARED, SHORTEST, HALF = 2, 3, 0.4
"""Without an embedder: the number of words that a skill must share with the task, the minimum length of such a word, and
the part of them that makes it as near as none."""
SHORTER = 0.8
"""The fraction of the usual minimum cosine that suffices, because a skill's description is shorter and more general
than a task."""
STEEP = 20
"""How much nearer a skill that was taught is for each 1 of cosine, so that it can be compared with those that ship, of which
it is known how people ask for them."""
PERHAPS = -2.0
"""How near a skill that was taught must be to be offered to those who choose themselves: people word the same task in very
different ways."""
CLEARLY = 2.0
"""How near one that ships must be: they work by themselves, and one that is not apt costs room in every request."""
OPENING = frozenset[Needs]({"programs"})
"""The needs of an action that works without a window: it opens one."""


class Meanings(Protocol):
    """Compares texts by meaning, as long-term memory's embedders do; the composition root passes one in."""

    @property
    def name(self) -> str:
        """Identifies the space of the vectors."""
        ...

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
    near = _compared(task, there, meanings)
    if near is None:
        shared = _shared(task, [skill for skill in there if not skill.shipped])
        found = {skill: count for skill, count in shared.items() if count >= SHARED}
    else:
        found = {skill: each for skill, each in near.items() if each >= (CLEARLY if skill.shipped else PERHAPS)}
    return tuple(sorted(found, key=lambda skill: (-found[skill], skill.name))[:CONSIDERED])


def nearest(task: str, skills: Iterable[Skill], meanings: Meanings | None = None) -> tuple[Skill, ...]:
    """All skills, the nearest first, with how near they are, for a model that does nothing but skills: which of them come
    into question depends on the files there."""
    there, most = tuple(skills), max(1, len(_words(task)))
    near = _compared(task, there, meanings)
    if near is None:
        near = {skill: STEEP * (count / most - HALF) for skill, count in _shared(task, there).items()}
    return tuple(sorted((replace(each, near=near[each]) for each in near), key=lambda each: (-each.near, each.name)))


def _compared(task: str, skills: Sequence[Skill], meanings: Meanings | None) -> dict[Skill, float] | None:
    """How near each skill is to the task: of one that ships the logarithm of its odds, as learnt; of another by the cosine
    to what it does or was taught with. None: nothing can be compared by meaning."""
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
    """How people ask for it, or asked when it was made."""
    return tuple(filter(None, (skill.method.provenance.task, *skill.method.asked)))


def _shared(task: str, skills: Sequence[Skill]) -> dict[Skill, float]:
    """How many words each shares with the task."""
    wanted = _words(task)
    return {
        skill: len(wanted & _words(" ".join((skill.name.replace("-", " "), skill.description, *_asked(skill)))))
        for skill in skills
    }


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
        return frozenset({RUN_PYTHON_CODE.name})
    return frozenset(step.operation.function for step in skill.method.steps)


@lru_cache(maxsize=256)
def as_action(skill: Skill) -> Action:
    """The skill as an action for a role. A skill with steps or a function is repeated step by step
    (``engine/steps/using_skills.py``), and its action is never run itself; the action of a skill with a request sends it."""

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
_KINDS = {
    "file": "A file",
    "files": "Files",
    "folder": "A folder",
    "column": "A column's heading",
    "columns": "Headings of columns",
    "integer": "A whole number",
    "number": "A number",
    "truth": "true or false",
    "json": "JSON",
}


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
    return {word for word in words_in(text.casefold()) if len(word) >= SHORTEST}
