"""The skills that a run is offered, by meaning and by open programs, each as an action with parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from pydantic import Field, create_model

from deskcrew.actions import builtin
from deskcrew.actions.action import ON_DESKTOP, Action, Needs, Params, Result, Scene
from deskcrew.actions.params import OneOf
from deskcrew.errors import ActionError, ModelFailure
from deskcrew.observation import Control, Observation
from deskcrew.repeating.values import Replacing
from deskcrew.skills.lexicon import POLITE, lexicon, shipped, telling, words_of
from deskcrew.skills.requesting import requesting
from deskcrew.skills.skill import Parameter, Skill, SkillStep
from deskcrew.texts import FILE_NAME, QUOTED, spaced, stands_in

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MEANINGS = Path(__file__).with_name("meanings.npz")
"""The vectors of what :func:`compared` returns (``tools/meanings.py``)."""
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


def nearest(task: str, skills: Iterable[Skill], meanings: Meanings | None = None) -> tuple[Skill, ...]:
    """All skills, the nearest first, with how near they are, for a model that does nothing but skills: which of them come
    into question depends on the files there."""
    there = tuple(skills)
    try:
        if meanings is None:
            shared, most = _shared(task, there), max(1, len(_words(task)))
            near = tuple(replace(skill, near=2 * shared[skill] / most) for skill in there)
        else:
            near = _compared(task, _near(task, there, meanings), meanings)
        return tuple(sorted(near, key=lambda skill: (-skill.near, skill.name)))
    except ModelFailure:
        return nearest(task, there)


def _near(task: str, skills: Sequence[Skill], meanings: Meanings) -> tuple[Skill, ...]:
    """All, with the cosine of the task to the nearest way of asking for each, and the same without the names of files and
    what is quoted, added."""
    bare = QUOTED.sub(" ", FILE_NAME.sub(" ", task))
    texts = [known_of(skill) for skill in skills]
    vectors = meanings.embed([task, bare, *(text for each in texts for text in each)])
    like = iter(vectors[2:] @ vectors[:2].T)
    near = [list(islice(like, len(each))) for each in texts]
    return tuple(
        replace(skill, near=round(float(sum(max(row[at] for row in each) for at in (0, 1))), 3))
        for skill, each in zip(skills, near, strict=True)
    )


def _compared(task: str, skills: Sequence[Skill], meanings: Meanings) -> tuple[Skill, ...]:
    """Those that ship, with how much is left over of each word of the task. Those that were taught know the words of one
    request."""
    words = sorted({*words_of(task)})
    if not words or not spaced(task):
        return tuple(skills)
    own = {skill: sorted(lexicon(skill) | POLITE) for skill in skills if skill.shipped}
    every = sorted({word for each in own.values() for word in each})
    like = meanings.embed(words) @ meanings.embed(every).T
    at = {word: number for number, word in enumerate(every)}

    def unlike(skill: Skill) -> dict[str, float]:
        apart = 1 - like[:, [at[word] for word in own[skill]]].max(axis=1)
        return {word: round(float(one) ** 2 * telling(word), 4) for word, one in zip(words, apart, strict=True)}

    return tuple(replace(each, unlike=unlike(each)) if each in own else each for each in skills)


@lru_cache(maxsize=1)
def compared() -> tuple[str, ...]:
    """Everything about the skills that ship that tasks are compared with."""
    texts = (text for each in shipped() for text in (*known_of(each), *sorted(lexicon(each) | POLITE)))
    return tuple(dict.fromkeys(texts))


def known_of(skill: Skill) -> tuple[str, ...]:
    """The texts that a task is compared with: what a skill does, and how people ask for it."""
    return (*_said(skill), *_asked(skill))


def _said(skill: Skill) -> tuple[str, ...]:
    return (f"{skill.name.replace('-', ' ')}: {skill.description}", skill.description)


def _asked(skill: Skill) -> tuple[str, ...]:
    """How people ask for it, or asked when it was made."""
    return tuple(filter(None, (skill.method.provenance.task, *skill.method.asked)))


def _by_meaning(task: str, skills: Sequence[Skill], meanings: Meanings) -> dict[Skill, float]:
    """The similarity of the skills that are near enough, by their description or by the task that they came from; with many
    ways to ask for one, one of them is near by chance, so these must be nearer."""
    texts = {skill: (_said(skill)[0], skill.method.provenance.task, *skill.method.asked) for skill in skills}
    vectors = meanings.embed([task, *(text for each in texts.values() for text in each)])
    like = map(float, vectors[1:] @ vectors[0])
    found: dict[Skill, float] = {}
    for skill, each in texts.items():
        said, came, *asked = islice(like, len(each))
        nearness = max(said / SHORTER, came if each[1] else 0.0, *(near * OTHERWISE for near in asked))
        if nearness >= meanings.alike * OTHERWISE:
            found[skill] = nearness
    return found


def _by_words(task: str, skills: Sequence[Skill]) -> dict[Skill, float]:
    shared = _shared(task, [skill for skill in skills if not skill.shipped])
    return {skill: count for skill, count in shared.items() if count >= SHARED}


def _shared(task: str, skills: Sequence[Skill]) -> dict[Skill, float]:
    """How many words each shares with the task."""
    wanted = _words(task)
    return {skill: len(wanted & _words(" ".join((*_said(skill), *_asked(skill))))) for skill in skills}


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


@lru_cache(maxsize=256)
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
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) >= SHORTEST}
