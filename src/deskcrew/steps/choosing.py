"""Choose a skill for the whole task, in the place of a model that cannot reason.

Shown skills among its actions, such a model takes one where it should not, and writes a program where one would do. So it
is asked three small questions instead, each of which its grammar lets it answer in a few words: which of the nearest ones
the task comes closest to, whether that is what the task asks for, and what its values are now. Its word alone is no
evidence, so a person is shown what it understood, as a sentence. Once they have said yes, or did beforehand, the task is
that skill's own, with the goal that was proven; else the skill is used, and nothing makes the run done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any, Literal, get_args

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from deskcrew.actions.params import OneOf
from deskcrew.context import Run
from deskcrew.errors import CrewMistake
from deskcrew.events import RoleCalled
from deskcrew.roles.role import Role
from deskcrew.roles.role_kinds import Now, Reply
from deskcrew.roles.view import Sight
from deskcrew.skills.offering import as_action, in_general
from deskcrew.skills.skill import PART, Parameter, Skill
from deskcrew.skills.underway import Underway
from deskcrew.steps.understanding import Read, agreed
from deskcrew.steps.using_skills import agent_for, underway
from deskcrew.texts import file_names, names_file, quoted, spaced
from deskcrew.verdict import Branch

MORE = 2
"""Words that a value may have more than when it was recorded."""
MOST = 300
"""Maximum number of a task's texts that a grammar lists; if there are more, any text of the task is admitted."""
MOST_FILES = 40
"""The same of files."""
MARKS = "\"'`‘’“”„«»「」()<>*_.,;:!?"
"""Marks around a value that may be no part of it."""
OWNED = ("'s", "’s")


async def choose(run: Run) -> bool:
    """Have a skill chosen and begun for the whole task, if one may do it. False: something else is due first.

    It is tried once a run: after an unusable reply, or in another process, the crew goes on by itself. Only a person who
    wants another answer has it asked again.
    """
    state, name = run.journal.state, run.crew.chooser
    if not run.chooses or state.plan.subtasks or state.guidance:
        return True
    role = run.crew.roles[name]
    again = state.correction is not None and state.correction.role in ("", name)
    if not again and any(isinstance(event.body, RoleCalled) and event.body.role == name for event in run.journal.events):
        return True
    there = tuple(entry.path for entry in run.now.files if entry.kind == "file")
    possible = {
        each: (skill, agent, values)
        for each, skill in run.skills.items()
        if (agent := agent_for(run, each)) and (values := values_type(state.task, skill, there)) is not None
    }
    if not possible:
        return True

    nearest = await _nearest(run, role, {each: skill for each, (skill, *_) in possible.items()})
    if not nearest:
        return nearest is not None
    skill, agent, values = possible[nearest]

    def usable(reply: dict[str, Any]) -> None:
        try:
            _check(reply, skill, state.task, there)
            underway(run, skill, reply, agent, PART, Branch.ROLE_TASK_FINISH)
        except ValueError as error:
            raise CrewMistake(f"{error}.") from error

    given: dict[str, Any] | None = {}
    if values.model_fields:
        files = [file for each in values.model_fields.values() for file in get_args(each.annotation) if file in there]
        shown = _sight(run, role, taught=_taught(skill), files=", ".join(dict.fromkeys(files)))
        given = await run.asker.ask(role, Now(values=values), shown, check=usable)
    if given is None:
        return False

    def doing(given: dict[str, Any], *, own: bool) -> Underway:
        return underway(run, skill, given, agent, PART, Branch.ROLE_TASK_FINISH, whole=True, own=own)

    def edited(reply: dict[str, Any]) -> dict[str, Any]:
        given = as_action(skill).params.model_validate(reply).model_dump(mode="json")
        _check(given, skill, None, there)
        doing(given, own=True)
        return given

    read = Read(skill, given, lambda given: doing(given, own=True).values.text(skill.description))
    said = await agreed(run, name, read, edited)
    if said is None:
        return False
    run.skill = doing(said.given, own=said.own)
    return True


async def _nearest(run: Run, role: Role, possible: Mapping[str, Skill]) -> str | None:
    """The skill that the task asks for, '' if none does. None: something else is due."""
    nearest: str | None = next(iter(possible))
    if len(possible) > 1:
        listed = "\n".join(f"- {each}: {in_general(skill)}" for each, skill in possible.items())
        nearest = await _told(run, role, "skill", Now(skills=tuple(possible)), skills=listed)
    if nearest is None or nearest not in possible:
        return None
    same = await _told(run, role, "same", Now(), skill=in_general(possible[nearest]))
    return nearest if same else None if same is None else ""


async def _told(run: Run, role: Role, key: str, now: Now, **shown: str) -> Any:
    """What it says, or said before a person wanted another answer to a later question; None: something else is due."""
    turns = run.journal.state.turns
    if (reply := next((turn.reply for turn in turns if turn.role == role.name and key in turn.reply), None)) is None:
        reply = await run.asker.ask(role, now, _sight(run, role, **shown))
    return reply[key] if reply is not None else None


def _sight(run: Run, role: Role, **shown: str) -> Sight:
    return run.sight(role, **dict.fromkeys(("skills", "skill", "taught", "files"), "") | shown)


def _taught(skill: Skill) -> str:
    """How the task that it came from is filled in; what its parameters are, if somebody has said it."""
    method = skill.method
    reply = {
        each.name: each.value if each.optional or each.kind in AS_TEXT or not each.value else each.read(each.value)
        for each in method.parameters
    }
    filled = json.dumps(reply, ensure_ascii=False, separators=(",", ":"))
    lines = [f"{each.name}: {each.description}" for each in method.parameters if each.description]
    if all(each.value in method.provenance.task for each in method.parameters):
        return "\n".join((*lines, f"Request: {method.provenance.task}", f"Reply: {filled}"))
    return "\n".join((f"Chore: {skill.description}", *lines, f"Reply to another request: {filled}"))


AS_TEXT = ("text", "file", "json")
"""Kinds of parameters that are given as text."""


def values_type(task: str, skill: Skill, there: tuple[str, ...]) -> type[BaseModel] | None:
    """The parameters of a skill as a reply: its values can only be texts of the task, and files that are ``there`` where it
    needs one. None: it needs a file, and there is none of its kind."""
    fields: dict[str, Any] = {}
    for parameter, (name, info) in zip(skill.method.parameters, as_action(skill).params.model_fields.items(), strict=True):
        choices: tuple[str, ...] = ()
        if parameter.kind == "file":
            choices = _files(task, parameter, there)
        elif _of_task(info):
            choices = spans(task, parameter.value)
        if parameter.given and not choices:
            return None
        listed = 0 < len(choices) <= (MOST_FILES if parameter.kind == "file" else MOST)
        fields[name] = (Literal[choices], ...) if listed else (info.annotation, info)
    return create_model("Values", __base__=Reply, **fields)


def _of_task(info: FieldInfo) -> bool:
    """Whether a parameter's value is a text of the task: it was one when its skill was recorded."""
    return any(isinstance(mark, OneOf) and mark.source == "texts" for mark in info.metadata)


def _check(given: Mapping[str, Any], skill: Skill, task: str | None, there: tuple[str, ...]) -> None:
    """Raise ValueError for values that no grammar kept away: a file that is missing, or that a new one would overwrite, and
    a text that is not in the task. ``task`` None: a person gave them, and may give any text."""
    infos = as_action(skill).params.model_fields.items()
    for parameter, (name, info) in zip(skill.method.parameters, infos, strict=True):
        value = str(given[name])
        if parameter.kind == "file" and skill.method.steps and parameter.given != (value in there):
            raise ValueError(f"{name}: {'there is no file' if parameter.given else 'there is already a file'} {value!r}")
        if task is not None and parameter.kind != "file" and _of_task(info) and value not in task:
            raise ValueError(f"{name}: {value!r} is not in the request")


def _files(task: str, parameter: Parameter, there: tuple[str, ...]) -> tuple[str, ...]:
    """The files that it may be: those that the task names, of the same kind as the recorded one if any of them is; if it
    names none, all of that kind. A new one is none that is there; its name may be any if the task does not tell it: ()."""
    suffix = PurePosixPath(parameter.value).suffix.casefold()

    def alike(files: Iterable[str]) -> tuple[str, ...]:
        return tuple(file for file in files if PurePosixPath(file).suffix.casefold() == suffix)

    if not parameter.given:
        new = tuple(file for file in file_names(task) if file not in there)
        return alike(new) or new
    named = tuple(file for file in there if names_file(task, file))
    return alike(named) or named or alike(there)


def spans(task: str, like: str) -> tuple[str, ...]:
    """The texts in a task that a value ``like`` this may be: those in quotation marks, and all of consecutive words up to
    a few more than it has, with and without the marks around them. (): any text, where there are too many, or words are not
    separated by spaces."""
    if not spaced(task):
        return ()
    words, longest = list(re.finditer(r"\S+", task)), len(like.split()) + MORE
    found = dict.fromkeys(quoted(task))
    for at, first in enumerate(words):
        for last in words[at : at + longest]:
            text = task[first.start() : last.end()]
            bare = text.strip(MARKS)
            owner = next((bare.removesuffix(end) for end in OWNED if bare.endswith(end)), bare)
            found |= dict.fromkeys((bare, owner, text.rstrip(MARKS), text))
    found.pop("", None)
    return tuple(found) if len(found) <= MOST else ()
