"""Choose a skill for the whole task, in the place of a model that cannot reason.

Shown skills among its actions, such a model takes one where it should not, and writes a program where one would do. So it
is asked three small questions instead, each of which its grammar lets it answer in a few words: which of the nearest ones
the task comes closest to, whether that is what the task asks for, and what its values are now. That the skill was the
right one is its word alone: unlike a task that is a skill's own (``using_skills.recognise``), such a run does not take over
the skill's goal.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import BaseModel, create_model

from deskcrew.actions.params import OneOf
from deskcrew.context import Run
from deskcrew.errors import CrewMistake
from deskcrew.roles.role_kinds import Now, Reply
from deskcrew.skills.offering import as_action, in_general
from deskcrew.skills.skill import PART, Parameter, Skill
from deskcrew.steps.using_skills import agent_for, missing, underway
from deskcrew.texts import LETTER, file_names, names_file, quoted
from deskcrew.verdict import Branch

TRIES = 2
"""The number of unusable replies after which no skill is chosen."""
MORE = 2
"""Words that a value may have more than when it was recorded."""
MOST = 300
"""Maximum number of a task's texts that a grammar lists; if there are more, any text is admitted."""
MARKS = "\"'`“”„«»「」().,;:!?"
"""Marks around a value that are no part of it."""


async def choose(run: Run) -> bool:
    """Have a skill chosen and begun for the whole task, if one may do it. False: ask again."""
    state, name = run.journal.state, run.crew.chooser
    role = run.crew.roles.get(name)
    if role is None or not run.coached(role) or state.plan.subtasks or state.guidance:
        return True
    if state.malformed_by == name and state.format_errors >= TRIES:
        return True
    there = tuple(entry.path for entry in run.now.files if entry.kind == "file")
    possible = {
        each: (skill, values)
        for each, skill in run.skills.items()
        if agent_for(run, each) and (values := values_in(state.task, skill, there)) is not None
    }
    if not possible:
        return True

    async def told(key: str, now: Now, **shown: str) -> Any:
        """What it says, or said before this process; None: ask again."""
        if (reply := next((turn.reply for turn in state.turns if turn.role == name and key in turn.reply), None)) is None:
            blank = dict.fromkeys(("skills", "skill", "taught", "files"), "")
            reply = await run.asker.ask(role, now, run.sight(role, **blank | shown))
        return reply[key] if reply is not None else None

    nearest: str | None = next(iter(possible))
    if len(possible) > 1:
        listed = "\n".join(f"- {each}: {in_general(skill)}" for each, (skill, _) in possible.items())
        nearest = await told("skill", Now(skills=tuple(possible)), skills=listed)
    if nearest is None:
        return False
    skill, values = possible[nearest]
    same = await told("same", Now(), skill=in_general(skill))
    if not same:
        return same is not None
    agent = agent_for(run, nearest)

    def usable(reply: dict[str, Any]) -> None:
        try:
            if file := missing(run, skill, reply):
                raise ValueError(f"there is no file {file!r}")
            underway(run, skill, reply, agent, PART, Branch.ROLE_TASK_FINISH)
        except ValueError as error:
            raise CrewMistake(f"{error}.") from error

    shown = run.sight(role, skills="", skill="", taught=_taught(skill), files=", ".join(there))
    given = await run.asker.ask(role, Now(values=values), shown, check=usable)
    if given is None:
        return False
    run.skill = underway(run, skill, given, agent, PART, Branch.ROLE_TASK_FINISH, whole=True)
    return True


def _taught(skill: Skill) -> str:
    """How the task that it came from is filled in."""
    values = {each.name: None if each.optional and not each.value else each.value for each in skill.method.parameters}
    reply = {name: skill.typed(values)[name] if value else "" for name, value in values.items()}
    return f"Request: {skill.method.provenance.task}\nReply: {json.dumps(reply, ensure_ascii=False, separators=(',', ':'))}"


def values_in(task: str, skill: Skill, there: tuple[str, ...]) -> type[BaseModel] | None:
    """The parameters of a skill as a reply: its values can only be texts of the task, and files that are ``there`` where it
    needs one. None: it needs a file of a kind that is not."""
    fields: dict[str, Any] = {}
    for parameter, (name, info) in zip(skill.method.parameters, as_action(skill).params.model_fields.items(), strict=True):
        named = any(isinstance(mark, OneOf) for mark in info.metadata)
        choices = (
            _files(task, parameter, there) if parameter.kind == "file" else spans(task, parameter.value) if named else ()
        )
        if parameter.given and not choices:
            return None
        default = ... if info.is_required() else info.get_default()
        kind: Any = Literal[choices] if choices else info.annotation
        fields[name] = (kind, default)
    return create_model("Values", __base__=Reply, **fields)


def _files(task: str, parameter: Parameter, there: tuple[str, ...]) -> tuple[str, ...]:
    """The files that it may be: of the same kind as the recorded one, and named in the task if any of them is. A new one
    whose name the task does not tell may have any: ()."""
    suffix = PurePosixPath(parameter.value).suffix.casefold()
    wanted = there if parameter.given else file_names(task)
    alike = tuple(file for file in wanted if PurePosixPath(file).suffix.casefold() == suffix)
    return tuple(file for file in alike if names_file(task, file)) or alike


def spans(task: str, like: str) -> tuple[str, ...]:
    """The texts in a task that a value ``like`` this may be: those in quotation marks, and all of consecutive words up to
    a few more than it has, without the marks around them. (): any text, where there are too many, or words are not
    separated by spaces."""
    if any(each.isalnum() and not re.match(LETTER, each) for each in task):
        return ()
    words, longest = list(re.finditer(r"\S+", task)), len(like.split()) + MORE
    found = dict.fromkeys(quoted(task))
    for at, first in enumerate(words):
        for last in words[at : at + longest]:
            found[task[first.start() : last.end()].strip(MARKS)] = None
    found.pop("", None)
    return tuple(found) if len(found) <= MOST else ()
