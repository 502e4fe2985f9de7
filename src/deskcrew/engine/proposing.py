"""Proposes what no task asks for: the next lessons of a course (F23), an agent from a program's guide (C43, M9), or another
description of an agent from what it did (C43).

Each has a run of its own, which does nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from deskcrew.actions import builtin
from deskcrew.engine.context import Run
from deskcrew.engine.roles.descriptions import Experience
from deskcrew.engine.roles.draft import MAY, Draft, GivenFile, Guide
from deskcrew.engine.roles.role_kinds import Now
from deskcrew.engine.roles.said import Lessons, SaidDescription
from deskcrew.engine.steps.ending import deliver
from deskcrew.engine.surroundings import Surroundings
from deskcrew.errors import PlanError
from deskcrew.facts.events import RoleReplied, RunStarted, newest_first
from deskcrew.facts.json_values import JsonObject
from deskcrew.facts.legible import counted
from deskcrew.journal.journal import Journal
from deskcrew.learning.skills.course import Course, Lesson, alike


async def teach(run: Run) -> None:
    """Ask the teacher for lessons. Its reply, which :func:`lessons_of` reads, is recorded."""
    record = run.record
    course = Course.model_validate((await _begun(run.surroundings)).settings.course)
    files = tuple(each.path for each in run.surroundings.now.files if each.kind == "file")

    def possible(reply: Lessons) -> None:
        names, tasks = list[str](), list[str]()
        for lesson in reply.lessons:
            if lesson.name in names or alike(lesson.task, tasks):
                raise PlanError(f"lessons: two lessons are called {lesson.name}; propose something else.")
            names.append(lesson.name)
            tasks.append(lesson.task)

    role = record.crew.roles[record.crew.teacher]
    sight = run.prompting.sight(role, subject=course.subject, material=course.material, taken="\n".join(course.taken))
    reply = await run.prompting.asker.ask(role, Now(files=files), sight, Lessons, check=possible)
    if reply is not None:
        deliver(run.surroundings, f"{counted(len(reply.lessons), 'lesson')} proposed")


def proposed_in(journal: Journal) -> JsonObject:
    """The accepted reply of a run that proposes something: its last reply."""
    return next(newest_first(journal.events, RoleReplied)).reply or {}


def lessons_of(reply: JsonObject) -> tuple[Lesson, ...]:
    """The lessons that a teacher's reply proposes."""
    return Lessons.model_validate(reply).lessons


async def draft(run: Run) -> None:
    """Ask the drafter for an agent. Its reply, which :func:`draft_of` reads, is recorded."""
    record = run.record
    guide = Guide.model_validate((await _begun(run.surroundings)).settings.guide)
    actions, choices = builtin(), MAY[guide.way]

    def possible(made: Draft) -> None:
        _check_files(made.files)
        if made.opens and made.opens not in [file.path for file in made.files]:
            raise PlanError(f"opens: {made.opens!r} is none of the files; '' where none is open.")

    role = record.crew.roles[record.crew.drafter]
    told = "\n".join(f"{name}: {actions[name].summary}" for name in choices)
    sight = run.prompting.sight(role, subject=guide.program, material=guide.text, choices=told)
    reply = await run.prompting.asker.ask(role, Now(actions=choices), sight, Draft, check=possible)
    if reply is not None:
        deliver(run.surroundings, "an agent was drafted")


def draft_of(reply: JsonObject) -> Draft:
    """The agent that a drafter's reply describes, each of its actions once."""
    made = Draft.model_validate(reply)
    return made.model_copy(update={"actions": tuple(dict.fromkeys(made.actions))})


async def describe(run: Run) -> None:
    """Ask the describer for a description. Its reply, which :func:`description_of` reads, is recorded."""
    record = run.record
    told = Experience.model_validate((await _begun(run.surroundings)).settings.experience)

    def possible(said: SaidDescription) -> None:
        if not said.skills.strip().isprintable():
            raise PlanError("skills: write it in one line.")

    role = record.crew.roles[record.crew.describer]
    sight = run.prompting.sight(role, subject=f"{told.agent}: {told.skills}", material=told.record)
    reply = await run.prompting.asker.ask(role, Now(), sight, SaidDescription, check=possible)
    if reply is not None:
        deliver(run.surroundings, f"a description of {told.agent} was proposed")


def description_of(reply: JsonObject) -> SaidDescription:
    """What a describer's reply proposes."""
    return SaidDescription.model_validate(reply)


async def _begun(surroundings: Surroundings) -> RunStarted:
    """The first event of the run, which says what to propose for; observes first if nothing was observed yet."""
    if surroundings.seen is None:
        await surroundings.look()
    started = surroundings.record.state.started
    assert started is not None
    return started


def _check_files(files: Sequence[GivenFile]) -> None:
    """Raise PlanError for a name that is not plain, or occurs twice: all files are put into one folder."""
    names = [file.path for file in files]
    for name in names:
        plain = name == PurePosixPath(name).name and name.isprintable() and not name.startswith(".")
        if not plain or len(name.encode()) > 200:
            raise PlanError(f"files: {name!r} is not a plain file name, like notes.txt.")
        if names.count(name) > 1:
            raise PlanError(f"files: {name!r} is there twice.")
